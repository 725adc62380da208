"""A small consumer of hecate events without packages: a panel of tool calls, and the sum of what they cost."""

ICONS = {"shell": "$", "file_write": "✎", "mcp": "⇄"}


class Timeline:
    def __init__(self):
        self.calls = {}
        self.lines = []
        self.costs = {}

    def push(self, event):
        kind, data = event["type"], event["data"]
        if kind.startswith("tool.") and "tool_call_id" in data:
            call = self.calls.setdefault(data["tool_call_id"], {"icon": "", "states": []})
            call["icon"] = ICONS.get(str(data.get("kind")), call["icon"])
            call["states"].append(kind)
            if kind == "tool.failed":
                call["error"] = data.get("error") or "failed"
            if kind == "tool.shell.output_chunk" and data["stream"] == "stderr":
                call["stderr"] = call.get("stderr", "") + data["data"]
        elif kind == "cost.tick":
            self.costs[event["run_id"]] = data["cumulative_cost_micros_usd"] / 1_000_000
        elif kind.startswith("approval."):
            self.lines.append(dict(data))
        elif kind == "run.failed":
            self.lines.append([kind, len(data), data.get("code")])

    def snapshot(self):
        return {"calls": self.calls, "lines": self.lines, "costs": self.costs}
