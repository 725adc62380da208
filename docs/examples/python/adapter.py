"""Lets `accrete kit` test a consumer: answers JSON-RPC 2.0 requests, one JSON object a line. Needs Python 3.8 or later."""

import json
import sys

from timeline import Timeline  # The consumer under test.

consumers = {}


def hello(protocol, version):
    return {"hooks": ["viewRun", "cursor"]}  # The optional methods below.


def create(consumer):
    consumers[consumer] = Timeline()


def drop(consumer):
    del consumers[consumer]


def push(consumer, events):
    for event in events:
        consumers[consumer].push(event)


def snapshot(consumer):
    return consumers[consumer].snapshot()


def viewRun(consumer, stream):
    return consumers[consumer].view_run(stream)


def cursor(consumer, stream):
    return consumers[consumer].cursor(stream)


METHODS = {each.__name__: each for each in (hello, create, drop, push, snapshot, viewRun, cursor)}
answers = sys.stdout
sys.stdout = sys.stderr  # print() of the consumer must not mix with the answers.

for line in sys.stdin.buffer:
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    try:
        answer["result"] = METHODS[request["method"]](**request["params"])
    except Exception as error:
        answer["error"] = {"code": -32000, "message": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
