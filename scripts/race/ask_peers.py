"""Answers questions about schemas with a library of Python. Reads JSON Lines `{a, b}`, prints `[answer, milliseconds]` for each.

The answer is true if the library says that b accepts everything that a accepts, false if it denies this, and null if it
does not know, fails, or takes more than five seconds.
"""

import json
import signal
import sys
import time
import warnings

SECONDS = 5


def ask_jsonschema_rs(a, b):
    import jsonschema_rs

    canonicalize = jsonschema_rs.canonicalize
    answer = canonicalize(b).covers(canonicalize(a))
    return {"YES": True, "NO": False}.get(str(answer).rsplit(".", maxsplit=1)[-1].upper())


def ask_jsonsubschema(a, b):
    import jsonsubschema

    return bool(jsonsubschema.isSubschema(a, b))


PEERS = {"jsonschema-rs": ask_jsonschema_rs, "jsonsubschema": ask_jsonsubschema}


def stop(_signal, _frame):
    raise TimeoutError


def main():
    warnings.simplefilter("ignore")
    ask = PEERS[sys.argv[1]]
    signal.signal(signal.SIGALRM, stop)
    output, sys.stdout = sys.stdout, sys.stderr
    ask({"type": "integer"}, {"type": "number"})
    for line in sys.stdin:
        question = json.loads(line)
        signal.alarm(SECONDS)
        start = time.perf_counter()
        try:
            answer = ask(question["a"], question["b"])
        except KeyboardInterrupt:
            raise
        except BaseException:  # One library panics, and the other one calls exit.
            answer = None
        milliseconds = (time.perf_counter() - start) * 1000
        signal.alarm(0)
        print(json.dumps([answer, milliseconds]), file=output, flush=True)


main()
