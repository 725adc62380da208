"""A correct consumer of hecate events: the reducer of test/kit/consumers in Python, without packages."""

import json
import re
import time
from pathlib import Path

PROTOCOL = json.loads((Path(__file__).parent / "protocol.json").read_text(encoding="utf-8"))

ICONS = {
    "shell": "$",
    "mcp": "⇄",
    "file": "✎",
    "file_read": "→",
    "file_write": "✎",
    "edit": "✎",
    "multi_edit": "✎",
    "glob": "?",
    "grep": "?",
    "http": "⇄",
    "web_fetch": "⇄",
    "web_search": "?",
    "todo_write": "☐",
    "git": "±",
}
ENDS = ("run.finished", "run.failed", "run.cancelled")
ARTIFACTS = ("result_artifact_id", "patch_artifact_id", "artifact_id")
shared = {}


def icon_of(kind):
    return ICONS.get(str(kind), "•")


def is_strict(event):
    """Returns whether a writer may send an event: no unknown fields, no unknown values of open lists."""
    properties = PROTOCOL["fields"].get(event["type"], {})
    return all(
        name in properties and (properties[name] is None or value in properties[name])
        for name, value in event["data"].items()
    )


class Reader:
    """Recognises redeliveries and gaps."""

    def __init__(self):
        self.ids = {}
        self.cursors = {}
        self.known_gaps = {}

    def read(self, event):
        stream, sequence = event["run_id"], event["sequence"]
        ids = self.ids.setdefault(stream, set())
        if event["event_id"] in ids:
            return "duplicate"
        ids.add(event["event_id"])
        gaps = self.known_gaps.setdefault(stream, [])
        cursor = self.cursors.get(stream, -1)
        if sequence > cursor:
            gaps.append((cursor, sequence))
            self.cursors[stream] = sequence
        else:
            gaps[:] = [
                part
                for after, before in gaps
                for part in ([(after, sequence), (sequence, before)] if after < sequence < before else [(after, before)])
            ]
        gaps[:] = [(after, before) for after, before in gaps if before - after > 1]
        return "new"

    def gaps(self, stream):
        gaps = self.known_gaps.get(stream, [])
        return [{"before": before, **({"after": after} if after >= 0 else {})} for after, before in gaps]


class SseParser:
    def __init__(self):
        self.rest = b""
        self.ends_with_return = False
        self.data = []
        self.event = "message"

    def push(self, more):
        if self.ends_with_return and more.startswith(b"\n"):
            more = more[1:]
        self.ends_with_return = more.endswith(b"\r")
        *lines, self.rest = re.split(rb"\r\n|\r|\n", self.rest + more)
        frames = []
        for line in lines:
            name, _, value = line.decode().partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "data":
                self.data.append(value)
            elif name == "event":
                self.event = value
            elif line == b"":
                if self.data:
                    frames.append({"event": self.event, "data": "\n".join(self.data)})
                self.data = []
                self.event = "message"
        return frames


class Timeline:
    def __init__(self):
        self.reader = Reader()
        self.runs = {}
        self.unknown = []
        self.parser = SseParser()

    def run_of(self, key):
        empty = {"items": [], "boxes": {}, "epoch": 0, "status": "", "cost": None}
        return self.runs.setdefault(key, empty)

    def item_of(self, run, name, item_id):
        key = (name, item_id)
        if key not in run["boxes"]:
            item = {"shown": name, "text": "", "done": False, "output": {}, "details": [item_id]}
            run["boxes"][key] = item
            run["items"].append(item)
        return run["boxes"][key]

    def note(self, run, event):
        item = {"shown": event["type"], "text": "", "done": True, "output": {}, "details": [event["data"]]}
        run["items"].append(item)

    def reduce(self, run, event):
        kind, data = event["type"], event["data"]
        if kind in ("assistant.text_delta", "assistant.thinking_delta"):
            block = self.item_of(run, kind[:-6], (run["epoch"], data.get("turn_index"), data["block_index"]))
            if not block["done"]:
                block["text"] += data["delta"]
        elif kind in ("assistant.text_complete", "assistant.thinking_complete"):
            block = self.item_of(run, kind[:-9], (run["epoch"], data.get("turn_index"), data["block_index"]))
            block["text"] = data["text"]
            block["done"] = True
        elif kind == "cost.tick":
            run["cost"] = data
        elif kind.startswith("approval."):
            self.item_of(run, "approval", data["approval_id"])["details"].append([kind, data])
        elif kind == "tool.shell.output_chunk":
            output = self.item_of(run, "tool", data["tool_call_id"])["output"]
            output[data["stream"]] = output.get(data["stream"], "") + data["data"]
        elif isinstance(data.get("tool_call_id"), str):
            item = self.item_of(run, "tool", data["tool_call_id"])
            item["details"].append([icon_of(data.get("kind")), kind, data])
        else:
            if kind in ("turn.started", "turn.failed", "error.upstream"):
                run["epoch"] += 1
            if kind in ENDS:
                run["status"] = kind
            self.note(run, event)

    def push(self, event):
        delivery = self.reader.read(event)
        if delivery == "duplicate":
            return
        stream = event["run_id"]
        run = self.run_of(stream)
        if event["type"] not in PROTOCOL["fields"]:
            self.unknown.append(event)
            self.note(run, event)
            return
        self.reduce(run, event)

    def show(self, run):
        items = [{name: item[name] for name in ("shown", "text", "output", "details")} for item in run["items"]]
        return {"items": items, "status": run["status"], "cost": run["cost"]}

    def snapshot(self):
        return [{"run": key, **self.show(run)} for key, run in self.runs.items()]

    def opaque(self):
        return self.unknown

    def gaps(self):
        return [gap for stream in self.runs for gap in self.reader.gaps(stream)]

    def cursor(self, stream):
        return self.reader.cursors.get(stream)

    def view_run(self, stream):
        return self.show(self.run_of(stream))

    def reconnect(self):
        self.parser = SseParser()  # A new connection begins with a new frame.

    def ingest(self, more):
        for frame in self.parser.push(more):
            value = json.loads(frame["data"])
            self.push(value["data"] if value.get("object") == "event" else value)
