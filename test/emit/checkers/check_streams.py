"""Checks streams with generated packages: one request in JSON a line in, the findings a line out."""

import importlib
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    package = importlib.import_module(request["package"])
    reader = package.EventReader(window=request["window"], streams=request["streams"])
    checker = package.StreamChecker(request["profile"], reader=reader)
    found = []
    for event in request["events"]:
        try:
            found += checker.check(event)
        except ValueError:
            pass  # The text is not an event.
    found += checker.end()
    print(json.dumps([vars(finding) for finding in found]))
