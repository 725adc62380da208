"""Runs generated packages on the requests of a test: one JSON value a line in, one out."""

import importlib
import json
import sys
from dataclasses import asdict

readers = {}


def decode(package, request):
    try:
        event = package.decode_event(request["text"])
    except ValueError as error:
        issues = [[issue.pointer, issue.keyword] for issue in getattr(error, "issues", ())]
        return {"error": str(error), "issues": issues}
    known = not isinstance(event, package.UnknownEvent)
    return {"model": type(event).__name__, "known": known, "text": package.encode_event(event)}


def read(package, request):
    name = request["reader"]
    if name not in readers:
        readers[name] = package.EventReader(**request["options"])
    reader = readers[name]
    if "forget" in request:
        reader.forget(request["forget"])
        return {"delivery": None, "streams": describe_streams(reader)}
    delivery = reader.read(request["text"], id=request.get("id"))
    fields = {key: value for key, value in vars(delivery).items() if key not in ("event", "value", "error")}
    if fields.get("gap"):
        fields["gap"] = asdict(fields["gap"])
    return {"delivery": fields, "streams": describe_streams(reader)}


def describe_streams(reader):
    return {key: [reader.cursor(key), [asdict(gap) for gap in reader.gaps(key)]] for key in reader.streams()}


for line in sys.stdin:
    request = json.loads(line)
    package = importlib.import_module(request["package"])
    answer = read(package, request) if "reader" in request else decode(package, request)
    print(json.dumps(answer))
