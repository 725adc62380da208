"""Counts the events and the faults of an archive of hecate/v1, by docs/stream-rules.md and the schemas alone.

    python3 confirm.py ARCHIVE SCHEMAS SORTED

ARCHIVE is a folder of JSON Lines, SCHEMAS the folder of the protocol. Writes the lines, sorted by run and number, to the file
SORTED, and to standard output a JSON object: `findings`, each as a rule, a file and a line; `deliveries`, the number of events by
type and delivery; `firsts`, the number of different ids of valid events by type; and `bill`, the sums of the first valid turns with
an id. Each entry of the last three holds whether these are events with a name that occurs twice.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path

MAX_SAFE = 2**53 - 1


class Schemas:
    """What the schemas say about the envelope, the event types and the stream rules."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.types = {file.name.removesuffix(".schema.json") for file in (folder / "events").iterdir()}
        self.rules = json.loads((folder / "protocol.json").read_text())["stream"]["rules"]
        file = folder / "envelope.schema.json"
        envelope = json.loads(file.read_text())
        self.required = envelope["required"]
        self.fields = {name: self.resolve(file, schema) for name, schema in envelope["properties"].items()}

    def resolve(self, file: Path, schema: dict) -> dict:
        if "$ref" not in schema:
            return schema
        path, _, pointer = schema["$ref"].partition("#/")
        target = (file.parent / path) if path else file
        found = json.loads(target.read_text())
        for name in pointer.split("/"):
            found = found[name]
        return {**self.resolve(target, found), **{name: value for name, value in schema.items() if name != "$ref"}}

    def accepts_envelope(self, event: dict) -> bool:
        if any(name not in event for name in self.required):
            return False
        return all(name not in event or accepts(schema, event[name]) for name, schema in self.fields.items())


def accepts(schema: dict, value: object) -> bool:
    kinds = {"string": str, "integer": int, "object": dict, "array": list}
    kind = kinds.get(schema.get("type", ""))
    if kind is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return False
    return not isinstance(value, str) or re.search(schema.get("pattern", ""), value) is not None


class Delivery:
    """A line of the archive. `event` is None if it cannot be read."""

    __slots__ = ("place", "run", "number", "event", "digest", "is_valid", "has_name_twice")


class DuplicateName(Exception):
    pass


def refuse_duplicates(pairs: list) -> dict:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise DuplicateName
    return members


def find(rules: Counter, rule: str, delivery: Delivery) -> None:
    rules[(rule, *delivery.place)] += 1


def read_delivery(line: bytes, place: tuple, schemas: Schemas, findings: Counter) -> Delivery:
    delivery = Delivery()
    delivery.place = place
    delivery.event = delivery.number = None
    delivery.is_valid = delivery.has_name_twice = False
    delivery.digest = hashlib.sha256(line).digest()
    run = re.search(rb'"run_id":"([^"]*)"', line)
    delivery.run = run[1].decode() if run else None
    problem = None
    try:
        text = line.decode()
        try:
            delivery.event = json.loads(text, object_pairs_hook=refuse_duplicates)
        except DuplicateName:
            problem = "json-duplicate-key"
            delivery.event = json.loads(text)
            delivery.has_name_twice = True
    except UnicodeDecodeError:
        problem = "json-encoding"
    except json.JSONDecodeError:
        problem = "json-syntax"
    event = delivery.event
    if event is not None:
        number = event.get("sequence")
        delivery.number = number if isinstance(number, int) else None
        delivery.is_valid = schemas.accepts_envelope(event)
        if problem is None and (delivery.number or 0) > MAX_SAFE:
            problem = "sequence-unsafe"
        elif problem is None and not delivery.is_valid:
            problem = "event-invalid"
        elif problem is None and event["type"] not in schemas.types:
            find(findings, "event-type-unknown", delivery)
    if problem is not None:
        find(findings, problem, delivery)
    return delivery


class Run:
    """Checks the deliveries of a run in their order."""

    def __init__(self, rules: dict, findings: Counter) -> None:
        self.rules = rules
        self.findings = findings
        self.last = -1
        self.is_ended = self.is_over = False
        self.texts: dict = {}
        self.is_start_missed = False
        self.outputs: dict = {}
        self.ended_calls: set = set()
        self.stages: dict = {}
        self.ended_state = next(
            forbid for forbid in reversed(rules["machines"][0]["forbids"]) if forbid["in"] == ["ended", "cancelled"]
        )
        self.working = next(forbid for forbid in rules["machines"][0]["forbids"] if "except" in forbid and "ended" in forbid["in"])

    def mark_hole(self) -> None:
        self.is_start_missed = True
        self.is_over = False
        for text in self.texts.values():
            text["has_hole"] = True
        for output in self.outputs.values():
            output["is_exact"] = output["is_whole"] = False
        self.ended_calls.clear()

    def check(self, delivery: Delivery) -> None:
        number = delivery.number
        if number > self.last + 1:
            find(self.findings, "sequence-start" if self.last < 0 else "sequence-gap", delivery)
            self.mark_hole()
        self.last = number
        event = delivery.event
        kind, data = event["type"], event["data"]
        self.check_state(kind, delivery)
        self.check_texts(kind, data, delivery)
        self.check_output(kind, data, delivery)
        self.check_call(kind, data, delivery)

    def check_state(self, kind: str, delivery: Delivery) -> None:
        def matches(types: list) -> bool:
            return any(kind == one or (one.endswith("*") and kind.startswith(one[:-1])) for one in types)

        if self.is_over and (
            matches(self.ended_state["types"]) or (matches(self.working["types"]) and not matches(self.working["except"]))
        ):
            find(self.findings, "state-forbids-event", delivery)
        if kind in self.rules["terminal"]["types"]:
            if self.is_over:
                find(self.findings, "terminal-repeated", delivery)
            self.is_ended = self.is_over = True
        elif kind in ("run.created", "run.queued", "run.started"):
            self.is_over = False

    def check_texts(self, kind: str, data: dict, delivery: Delivery) -> None:
        for rule in self.rules["texts"]:
            if kind in rule["restart"]:
                self.texts.clear()
                self.is_start_missed = False
            if kind not in (rule["delta"], rule["whole"]):
                continue
            key = (rule["delta"], *(data.get(field) for field in rule["key"]))
            if kind == rule["delta"]:
                new = {"parts": "", "has_hole": False, "is_start_missed": self.is_start_missed}
                self.texts.setdefault(key, new)["parts"] += data[rule["part"]]
                continue
            text = self.texts.pop(key, None)
            if text is None or text["has_hole"]:
                continue
            whole = data[rule["text"]]
            if not (whole.endswith(text["parts"]) if text["is_start_missed"] else whole == text["parts"]):
                find(self.findings, "text-mismatch", delivery)

    def check_output(self, kind: str, data: dict, delivery: Delivery) -> None:
        (rule,) = self.rules["offsets"]
        source, channel = rule["key"]
        call = data.get(source)
        if kind in rule["start"]:
            for name in rule["totals"]:
                self.outputs[(call, name)] = {"bytes": 0, "is_exact": True, "is_whole": True}
        elif kind == rule["type"]:
            unknown = {"bytes": 0, "is_exact": False, "is_whole": False}
            output = self.outputs.setdefault((call, data[channel]), unknown)
            size = len(data[rule["data"]].encode())
            offset = data[rule["offset"]]
            if not (offset == output["bytes"] if output["is_exact"] else offset >= output["bytes"]):
                find(self.findings, "byte-offset-wrong", delivery)
            output["bytes"] = (output["bytes"] if output["is_exact"] else offset) + size
            output["is_exact"] = True
        elif kind == rule["end"] and not data.get(rule["unless"]):
            for name, field in rule["totals"].items():
                output = self.outputs.pop((call, name), None)
                if output and output["is_whole"] and data.get(field) not in (None, output["bytes"]):
                    find(self.findings, "byte-total-wrong", delivery)

    def check_call(self, kind: str, data: dict, delivery: Delivery) -> None:
        rule = next(one for one in self.rules["lifecycles"] if one["key"] == "tool_call_id")
        call = data.get("tool_call_id")
        if call is None:
            return
        if call in self.ended_calls and kind in rule["end"]:
            find(self.findings, "lifecycle-end-repeated", delivery)
        elif call in self.ended_calls and kind not in rule["after"] + rule["restart"]:
            find(self.findings, "lifecycle-after-end", delivery)
        if kind in rule["restart"]:
            self.ended_calls.discard(call)
        if kind in rule["end"]:
            self.ended_calls.add(call)
        stages = next(one for one in self.rules["stages"] if one["key"] == "tool_call_id")
        stage = next((index for index, types in enumerate(stages["stages"]) if kind in types), None)
        if stage is None:
            return
        last = self.stages.get(call, -1)
        if stage < last:
            find(self.findings, "stage-late", delivery)
        elif stage == last and kind not in stages["repeat"]:
            find(self.findings, "stage-repeated", delivery)
        self.stages[call] = max(stage, last)


class Totals:
    """The numbers of events. Those with a name that occurs twice are counted apart, because not every reader can read them."""

    def __init__(self) -> None:
        self.deliveries: Counter = Counter()
        self.bill: Counter = Counter()
        self.firsts: dict = {}

    def add(self, delivery: Delivery, way: str) -> None:
        event = delivery.event
        kind, twice = event.get("type"), delivery.has_name_twice
        self.deliveries[(kind, twice, way)] += 1
        if not delivery.is_valid:
            return
        # An event of another type with the same id does not count.
        names = self.firsts.setdefault((kind, twice), set())
        is_first = event["event_id"] not in names
        names.add(event["event_id"])
        if is_first and kind == "turn.completed":
            for field in ("cost_micros_usd", "input_tokens", "output_tokens"):
                self.bill[(field, twice)] += event["data"][field]


def check_run(deliveries: list, schemas: Schemas, findings: Counter, totals: Totals, ids: dict) -> None:
    run = Run(schemas.rules, findings)
    last = None
    twice_ids: set = set()
    for delivery in deliveries:
        event = delivery.event
        if event is None:
            continue
        number, name = delivery.number, event.get("event_id")
        is_known = name in (twice_ids if delivery.has_name_twice else ids)
        is_equal = delivery.has_name_twice or ids.get(name) == delivery.digest
        way = "new" if not is_known else "duplicate" if is_equal else "conflict"
        totals.add(delivery, way if delivery.is_valid else "refused")
        if delivery.has_name_twice:
            twice_ids.add(name)
            continue
        if number is None or number > MAX_SAFE:
            continue
        if not delivery.is_valid:
            # Its number is not missing, and what it says is unknown.
            if number == run.last + 1:
                run.last = number
            run.mark_hole()
            continue
        last = delivery
        if is_known:
            find(findings, "event-repeated" if is_equal else "event-conflict", delivery)
        else:
            ids[event["event_id"]] = delivery.digest
            run.check(delivery)
    if last is not None and not run.is_ended:
        find(findings, "stream-unfinished", last)


def main() -> None:
    archive, folder, output = (Path(value) for value in sys.argv[1:])
    schemas = Schemas(folder)
    findings, totals = Counter(), Totals()
    runs: dict = {}
    last_numbers: dict = {}
    order = []
    run = ""
    for file in sorted(archive.iterdir()):
        with file.open("rb") as lines:
            start = 0
            for index, line in enumerate(lines):
                delivery = read_delivery(line[:-1], (file.stem, index + 1), schemas, findings)
                # A line without a number stays behind the one of its run that it followed.
                run = delivery.run or run
                number = delivery.number if delivery.number is not None else last_numbers.get(run, -1)
                last_numbers[run] = number
                order.append((run, number, len(order), str(file), start, len(line)))
                runs.setdefault(run, []).append((number, len(order), delivery))
                start += len(line)
    ids: dict = {}
    for name in sorted(runs):
        check_run([each for _, _, each in sorted(runs.pop(name))], schemas, findings, totals, ids)
    order.sort()
    files = {str(file): file.open("rb") for file in archive.iterdir()}
    with output.open("wb") as target:
        for _, _, _, file, start, length in order:
            files[file].seek(start)
            target.write(files[file].read(length))
    json.dump(
        {
            "findings": [[*key] for key, count in findings.items() for _ in range(count)],
            "deliveries": [[*key, count] for key, count in totals.deliveries.items()],
            "firsts": [[*key, len(names)] for key, names in totals.firsts.items()],
            "bill": [[*key, total] for key, total in totals.bill.items()],
        },
        sys.stdout,
    )


main()
