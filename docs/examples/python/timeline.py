"""A small consumer of hecate events: it shows texts in full, and a line for every other event.

It needs the package that `accrete generate --emit python` writes.
"""

from hecate_v1 import (
    AssistantTextCompleteEvent,
    AssistantTextDeltaEvent,
    ErrorUpstreamEvent,
    EventReader,
    TurnFailedEvent,
    TurnStartedEvent,
    UnknownEvent,
)


class Timeline:
    def __init__(self):
        self.reader = EventReader()
        self.runs = {}
        self.unknown = []

    def push(self, event):
        delivery = self.reader.read(event)
        if delivery.kind == "invalid":
            raise delivery.error
        if delivery.kind in ("duplicate", "conflict"):
            return
        run = self.runs.setdefault(delivery.stream, {"items": [], "blocks": {}, "epoch": 0})
        match delivery.event:
            case AssistantTextDeltaEvent(data=data):
                block = self._find_block(run, data)
                if not block["done"]:
                    block["text"] += data.delta
                return
            case AssistantTextCompleteEvent(data=data):
                self._find_block(run, data).update(text=data.text, done=True)
                return
            case TurnStartedEvent() | TurnFailedEvent() | ErrorUpstreamEvent():
                run["epoch"] += 1  # The numbers of blocks begin again.
            case UnknownEvent():
                self.unknown.append(event)
        names = ("tool_call_id", "approval_id", "artifact_id")
        ids = {name: getattr(delivery.event.data, name, None) for name in names}
        run["items"].append({"type": delivery.event.type, **ids})

    def _find_block(self, run, data):
        key = (run["epoch"], data.turn_index, data.block_index)
        if key not in run["blocks"]:
            run["blocks"][key] = {"text": "", "done": False}
            run["items"].append(run["blocks"][key])
        return run["blocks"][key]

    def snapshot(self):
        return [self.view_run(run_id) for run_id in self.runs]

    def view_run(self, run_id):
        return {"run": run_id, "items": self.runs.get(run_id, {}).get("items", [])}

    def opaque(self):
        return self.unknown

    def gaps(self):
        gaps = [gap for run_id in self.runs for gap in self.reader.gaps(run_id)]
        return [{"before": gap.before, **({} if gap.after is None else {"after": gap.after})} for gap in gaps]

    def cursor(self, run_id):
        return self.reader.cursor(run_id)

    def reconnect(self):
        """Is called when the connection was lost. Nothing that is shown changes."""
