"""A small consumer of hecate events: it shows texts in full, and a line for every other event."""


class Timeline:
    def __init__(self):
        self.runs = {}

    def push(self, event):
        run = self.runs.setdefault(event["run_id"], {"ids": set(), "items": [], "blocks": {}, "epoch": 0, "cursor": -1})
        if event["event_id"] in run["ids"]:
            return  # A redelivery.
        run["ids"].add(event["event_id"])
        run["cursor"] = max(run["cursor"], event["sequence"])
        if event["type"] in ("assistant.text_delta", "assistant.text_complete"):
            self._push_text(run, event)
            return
        if event["type"] in ("turn.started", "turn.failed"):
            run["epoch"] += 1  # The numbers of blocks begin again.
        data = event.get("data")
        ids = data if isinstance(data, dict) else {}
        names = ("tool_call_id", "approval_id", "artifact_id")
        run["items"].append({"type": event["type"], **{name: ids[name] for name in names if name in ids}})

    def _push_text(self, run, event):
        data = event["data"]
        key = (run["epoch"], data.get("turn_index"), data.get("block_index"))
        if key not in run["blocks"]:
            run["blocks"][key] = {"text": "", "done": False}
            run["items"].append(run["blocks"][key])
        block = run["blocks"][key]
        if event["type"] == "assistant.text_complete":
            block.update(text=data["text"], done=True)
        elif not block["done"]:
            block["text"] += data["delta"]

    def snapshot(self):
        return [self.view_run(run_id) for run_id in self.runs]

    def view_run(self, run_id):
        return {"run": run_id, "items": self.runs.get(run_id, {}).get("items", [])}

    def cursor(self, run_id):
        return self.runs[run_id]["cursor"] if run_id in self.runs else None
