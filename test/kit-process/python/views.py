"""Small consumers of hecate events without packages. Each function shows all events that came, in another way."""

import json
import re
from collections import Counter


def show_totals(events):
    turns = [event["data"] for event in events if event["type"] == "turn.completed"]
    return [len(turns), sum(turn["input_tokens"] + turn["output_tokens"] for turn in turns)]


def show_kinds(events):
    kinds = Counter(str(event["data"].get("kind", "none")) for event in events if event["type"].startswith("tool."))
    return dict(sorted(kinds.items()))


def show_errors(events):
    lines = []
    for event in events:
        data = event["data"]
        if event["type"] in ("tool.failed", "tool.timed_out") and data.get("error"):
            lines.append(data["error"] if data.get("kind") == "shell" else "error")
        if event["type"] == "run.failed":
            lines.append(data["code"] if data["retriable"] else "final")
    return lines


def show_last(events):
    return {event["run_id"]: [event["sequence"], event["type"]] for event in events}


def show_commands(events):
    commands = [event["data"] for event in events if event["type"] == "tool.shell.command"]
    return [bool(re.search(r"\brm\b|sudo", data.get("command_string", ""))) or data["argv"][:1] for data in commands]


def show_approvals(events):
    states = {}
    for event in events:
        data = event["data"]
        if event["type"] == "approval.requested":
            labels = {"shell_exec": "sh", "shell_command": "sh", "git_exec": "git", "file_write": "file"}
            states[data["approval_id"]] = labels.get(data["kind"], "other")
        if event["type"] == "approval.resolved":
            states[data["approval_id"]] = "yes" if data["decision"] == "approved" else data.get("comment", "no")
    return states


def show_todos(events):
    updates = [event["data"]["todos"] for event in events if event["type"] == "tool.todo_write.updated"]
    return [[sum(todo["status"] == "completed" for todo in todos), len(todos)] for todos in updates]


def show_json(events):
    chosen = [event for event in events if event["type"].startswith("artifact.")]
    return [json.dumps({name: event["data"].get(name) for name in ("artifact_id", "relation")}) for event in chosen]


class Timeline:
    def __init__(self):
        self.events = []

    def push(self, event):
        self.events.append(event)

    def snapshot(self):
        return show_totals(self.events)
