"""A correct consumer for any protocol: the rebuilder of test/kit/consumers in Python, without packages."""

import codecs
import json
import re
from pathlib import Path

PROTOCOL = json.loads((Path(__file__).parent / "protocol.json").read_text(encoding="utf-8"))
KEY = PROTOCOL["stream"].get("key", [])
SEQUENCE = PROTOCOL["stream"].get("sequence")
ID = PROTOCOL["stream"].get("id")
END = re.compile(r"\r?\n\r?\n")


def stream_of(event):
    return "/".join(str(event.get(field)) for field in KEY)


def type_of(event):
    return event[PROTOCOL["discriminator"]]


def is_known(event):
    return type_of(event) in PROTOCOL["fields"]


def payload_of(event):
    name = PROTOCOL["properties"].get(type_of(event), PROTOCOL["property"])
    return event if name is None else event.get(name) or {}


class Timeline:
    def __init__(self):
        self.streams = {}
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.buffered = ""

    def push(self, event):
        events = self.streams.setdefault(stream_of(event), {})
        name = len(events) if ID is None else event[ID]
        if name not in events:
            events[name] = event

    def sorted(self, stream):
        events = list(self.streams.get(stream, {}).values())
        return events if SEQUENCE is None else sorted(events, key=lambda event: event[SEQUENCE])

    def view_run(self, stream):
        blocks = {}
        calls = {}
        rest = []
        epoch = 0
        for event in self.sorted(stream):
            kind = type_of(event)
            payload = payload_of(event)
            text = next((rule for rule in PROTOCOL["texts"] if kind in (rule["delta"], rule["whole"])), None)
            keys = [rule["key"] for rule in PROTOCOL["lifecycles"] if isinstance(payload.get(rule["key"]), str)]
            epoch += any(kind in rule.get("restart", []) for rule in PROTOCOL["texts"])
            shown = {"type": kind, "payload": payload} if is_known(event) else event
            if text is not None:
                name = (text["whole"], epoch, *(payload.get(field) for field in text["key"]))
                before = blocks.get(name, {"whole": False, "text": ""})
                if kind == text["whole"]:
                    blocks[name] = {"whole": True, "text": payload[text["text"]]}
                elif not before["whole"]:
                    blocks[name] = {"whole": False, "text": before["text"] + payload[text["part"]]}
            elif keys and is_known(event):
                calls.setdefault((keys[0], payload[keys[0]]), []).append(shown)
            else:
                rest.append(shown)
        return {"texts": list(blocks.values()), "calls": list(calls.values()), "rest": rest}

    def snapshot(self):
        return {stream: self.view_run(stream) for stream in self.streams}

    def opaque(self):
        return [event for stream in self.streams for event in self.sorted(stream) if not is_known(event)]

    def take(self, line):
        value = json.loads(line)
        self.push(value["data"] if value.get("object") == "event" else value)

    def ingest(self, more):
        self.buffered += self.decoder.decode(more)
        *frames, self.buffered = END.split(self.buffered)
        for frame in frames:
            lines = [line[5:] for line in re.split(r"\r?\n", frame) if line.startswith("data:")]
            data = [line[1:] if line.startswith(" ") else line for line in lines]
            if data:
                self.take("\n".join(data))
