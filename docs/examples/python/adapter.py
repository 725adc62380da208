"""Lets `accrete kit` test a consumer: answers JSON-RPC 2.0 requests, one JSON object a line. Needs Python 3.8 or later."""

import base64
import json
import sys

from timeline import Timeline  # The consumer under test.

# The optional methods of the kit, and the methods of the consumer that they call.
HOOKS = {
    "opaque": "opaque",
    "gaps": "gaps",
    "cursor": "cursor",
    "viewRun": "view_run",
    "ingest": "ingest",
    "reconnect": "reconnect",
}
consumers = {}


def call(method, params):
    if method == "hello":
        return {"hooks": [hook for hook, name in HOOKS.items() if hasattr(Timeline, name)]}
    name = params["consumer"]
    if method == "create":
        consumers[name] = Timeline()
    elif method == "drop":
        del consumers[name]
    elif method == "push":
        for event in params["events"]:
            consumers[name].push(event)
    elif method == "snapshot":
        return consumers[name].snapshot()
    elif method == "ingest":
        consumers[name].ingest(base64.b64decode(params["bytes"]))
    else:
        arguments = [params["stream"]] if "stream" in params else []
        return getattr(consumers[name], HOOKS[method])(*arguments)


answers = sys.stdout
sys.stdout = sys.stderr  # print() of the consumer must not mix with the answers.

for line in sys.stdin.buffer:
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    try:
        answer["result"] = call(request["method"], request["params"])
    except Exception as error:
        answer["error"] = {"code": -32000, "message": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
