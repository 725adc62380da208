"""Interprets machines: what the stream rules of the contract remember and report. machines.json describes them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .values import (
    are_equal,
    find_part,
    format_ids,
    format_number,
    format_plain,
    is_scalar,
    join_pointer,
    quote_value,
    read_id,
    split_pointer,
    to_units,
)

_MAX_ROWS = 10_000
"""The greatest number of rows of a table. Beyond it, the oldest one is forgotten."""


_Node: TypeAlias = dict[str, Any]
_Row: TypeAlias = dict[str, Any]
_Rows: TypeAlias = dict[str, _Row]
Memory: TypeAlias = dict[str, dict[str, _Rows]]
"""The rows of each table by their groups and keys. A table that is not grouped has the group ""."""

_Run: TypeAlias = Callable[[], bool]
_Read: TypeAlias = Callable[[], Any]
_Test: TypeAlias = Callable[[], bool]


@dataclass
class StreamState:
    """A stream that is open, or that has ended and is remembered."""

    key: str
    epoch: int
    """A number that increases where events may be missing."""
    gaps: int
    complete_epoch: int = 0
    """The epoch while no event can be missing since the start."""
    index: int = 0
    """The index of the last event."""
    has_ended: bool = False
    is_limit_reported: bool = False
    memories: dict[int, Memory] = field(default_factory=dict)


@dataclass
class Step:
    """An event in its stream, as machines see it."""

    event: _Node
    payload: _Node
    type: str
    carrier: str | None
    sequence: float | None
    gap: dict[str, float]
    stream: StreamState
    report: Callable[[str, str, str, int], None]

    def report_limit(self, limit: int) -> None:
        """Report that the stream has reached a limit, once for each stream."""
        if not self.stream.is_limit_reported:
            message = f"The stream has more than {limit} ids that a rule has to remember."
            self.report("stream-limit-reached", message, "", self.stream.index)
        self.stream.is_limit_reported = True


def name_event(type: str, sequence: float | None) -> str:
    """Return the name of an event in messages: its type, and its number if it has one."""
    return type if sequence is None else f"{type} #{format_number(sequence)}"


@dataclass
class _NamedRow:
    """A row that has a name at the moment. The row is None if it does not exist."""

    table: str
    definition: _Node
    row: _Row | None = None
    group: str = ""
    key: str = ""

    def cell(self, name: str) -> Any:
        return None if self.row is None else self.row.get(name)

    def text(self, name: str) -> tuple[int, int]:
        """Return the length and the hash of the texts in a cell."""
        return self.cell(name) or (0, 0)

    def ranges(self, name: str) -> list[tuple[float, float]]:
        return self.cell(name) or []


@dataclass
class _NamedItem:
    """A value that has a name at the moment, and its JSON pointer within the value that holds it."""

    value: Any = None
    path: str = ""


class Machine:
    """A machine that can check events. All of its functions share the names, the memory and the event."""

    def __init__(self, source: _Node) -> None:
        self.is_shared = source.get("shared") is True
        self.memory: Memory = {}
        self.step: Step | None = None
        self._source = source
        self._rows: dict[str, _NamedRow] = {}
        self._items: dict[str, _NamedItem] = {}
        self.clauses: list[tuple[str | list[str], _Run]] = [
            (clause["on"], self._compile_later(clause["do"])) for clause in source["clauses"]
        ]

    def start(self) -> Memory:
        """Return the memory before the first event."""
        return {table: {} for table in self._source["tables"]}

    @property
    def _event(self) -> Step:
        assert self.step is not None
        return self.step

    # Statements. Each returns True if the innermost loop, or the clause, has to stop.

    def _compile_later(self, body: list[_Node]) -> _Run:
        """Return a function that is compiled when it is first called. Most feeds have few of the types of a contract."""
        compiled: _Run | None = None

        def run() -> bool:
            nonlocal compiled
            if compiled is None:
                compiled = self._compile_body(body)
            return compiled()

        return run

    def _compile_body(self, body: list[_Node]) -> _Run:
        runs = [self._compile_statement(statement) for statement in body]
        return lambda: any(run() for run in runs)

    def _compile_statement(self, node: _Node) -> _Run:
        compile: Callable[[_Node], _Run] = getattr(self, f"_run_{node['op']}")
        return compile(node)

    def _name_row(self, node: _Node) -> _NamedRow:
        table = node["table"]
        named = self._rows[node["row"]] = _NamedRow(table, self._source["tables"][table])
        return named

    def _compile_with_row(self, node: _Node) -> tuple[_NamedRow, _Run]:
        """Compile statements in which a row has a name. An outer row may have the same name."""
        outer = self._rows.get(node["row"])
        named = self._name_row(node)
        body = self._compile_body(node["do"])
        if outer is not None:
            self._rows[node["row"]] = outer
        return named, body

    def _name_item(self, name: str) -> _NamedItem:
        item = self._items[name] = _NamedItem()
        return item

    def _run_if(self, node: _Node) -> _Run:
        when = self._compile_condition(node["when"])
        then, otherwise = self._compile_body(node["do"]), self._compile_body(node.get("else", []))
        return lambda: then() if when() else otherwise()

    def _run_find(self, node: _Node) -> _Run:
        keys = self._compile_values(node["key"])
        named, body = self._compile_with_row(node)
        is_grouped = named.definition.get("grouped", False)

        def run() -> bool:
            ids = [read_id(key()) for key in keys]
            texts = [id for id in ids if id is not None]
            if len(texts) < len(ids):
                return False
            named.group = texts.pop(0) if is_grouped else ""
            named.key = "\n".join(texts)
            named.row = self.memory[named.table].get(named.group, {}).get(named.key)
            return body()

        return run

    def _run_rows(self, node: _Node) -> _Run:
        key = self._compile_optional(node, "key")
        named, body = self._compile_with_row(node)
        is_grouped = named.definition.get("grouped", False)

        def run() -> bool:
            group = read_id(key()) if is_grouped else ""
            for id, row in _visit(self.memory[named.table].get(group, {}) if group is not None else {}):
                named.row, named.group, named.key = row, group or "", id
                if body():
                    break
            return False

        return run

    def _run_each(self, node: _Node) -> _Run:
        of, parts = self._compile_value(node["of"]), node["parts"]
        item = self._name_item(node["item"])
        body = self._compile_body(node["do"])
        types = {"ids": (str, float), "numbers": (float,), "items": (object,)}[parts]

        def run() -> bool:
            value = of()
            entries: list[tuple[str, Any]] = [] if value is None else [("", value)]
            if isinstance(value, dict) and parts == "numbers":
                entries = [(join_pointer(name), each) for name, each in value.items()]
            elif isinstance(value, list) and parts != "numbers":
                entries = [(f"/{index}", each) for index, each in enumerate(value)]
            for path, each in entries:
                if isinstance(each, types):
                    item.value, item.path = read_id(each) if parts == "ids" else each, path
                    if body():
                        break
            return False

        return run

    def _run_uncovered(self, node: _Node) -> _Run:
        target, cell = self._rows[node["row"]], node["cell"]
        start, end = self._name_item(node["item"]), self._name_item(node["end"])
        body = self._compile_body(node["do"])

        def use(first: float, last: float) -> None:
            for start.value, end.value in _list_uncovered(target.ranges(cell), first, last):
                if body():
                    break

        return self._with_range(node, use)

    def _run_stop(self, _: _Node) -> _Run:
        return lambda: True

    def _run_set(self, node: _Node) -> _Run:
        target = self._rows[node["row"]]
        cells = [(cell, self._compile_value(value)) for cell, value in node["cells"].items()]

        def run() -> bool:
            if target.row is None:
                target.row = {}
                self._add_row(target, target.row)
            for cell, value in cells:
                target.row[cell] = value()
            return False

        return run

    def _add_row(self, target: _NamedRow, row: _Row) -> None:
        """Add a row under its key. Forget the oldest group or row of a full table."""
        groups = self.memory[target.table]
        limit = int(target.definition.get("limit", _MAX_ROWS))
        if target.definition.get("grouped", False):
            self._forget_oldest(groups, target.group, limit)
        group = groups.setdefault(target.group, {})
        self._forget_oldest(group, target.key, limit)
        group[target.key] = row

    def _forget_oldest(self, rows: dict[str, Any], key: str, limit: int) -> None:
        if len(rows) >= limit and key not in rows:
            del rows[next(iter(rows))]
            self._event.report_limit(limit)

    def _run_append(self, node: _Node) -> _Run:
        target, cell, text = self._rows[node["row"]], node["cell"], self._compile_value(node["text"])

        def run() -> bool:
            piece = text()
            if isinstance(piece, str) and target.row is not None:
                target.row[cell] = _add_text(target.text(cell), to_units(piece))
            return False

        return run

    def _run_cover(self, node: _Node) -> _Run:
        target, cell = self._rows[node["row"]], node["cell"]

        def use(first: float, last: float) -> None:
            if target.row is not None:
                target.row[cell] = _add_range(target.ranges(cell), first, last)

        return self._with_range(node, use)

    def _run_drop(self, node: _Node) -> _Run:
        target = self._rows[node["row"]]

        def run() -> bool:
            target.row = None
            groups = self.memory[target.table]
            group = groups.get(target.group, {})
            group.pop(target.key, None)
            if not group:
                groups.pop(target.group, None)
            return False

        return run

    def _run_clear(self, node: _Node) -> _Run:
        table, key = node["table"], self._compile_optional(node, "key")

        def run() -> bool:
            if "key" not in node:
                self.memory[table] = {}
            elif (group := read_id(key())) is not None:
                self.memory[table].pop(group, None)
            return False

        return run

    def _run_report(self, node: _Node) -> _Run:
        parts = [self._compile_message_part(part) for part in node["message"]]
        place, index = self._compile_place(node.get("at")), self._compile_optional(node, "index")

        def run() -> bool:
            at = index()
            number = self._event.stream.index if at is None else int(at)
            self._event.report(node["finding"], "".join(part() for part in parts), place(), number)
            return False

        return run

    # Values. None stands for an absent one.

    def _compile_value(self, node: _Node) -> _Read:
        compile: Callable[[_Node], _Read] | None = getattr(self, f"_read_{node['op']}", None)
        return self._compile_arithmetic(node) if compile is None else compile(node)

    def _compile_values(self, nodes: list[_Node]) -> list[_Read]:
        return [self._compile_value(node) for node in nodes]

    def _compile_optional(self, node: _Node, name: str) -> _Read:
        return self._compile_value(node[name]) if name in node else lambda: None

    def _with_range(self, node: _Node, use: Callable[[float, float], None]) -> _Run:
        read_first, read_last = self._compile_value(node["first"]), self._compile_value(node["last"])

        def run() -> bool:
            first, last = read_first(), read_last()
            if isinstance(first, float) and isinstance(last, float):
                use(first, last)
            return False

        return run

    def _read_constant(self, node: _Node) -> _Read:
        return lambda: node["value"]

    def _read_payload(self, node: _Node) -> _Read:
        return lambda: self._event.payload.get(node["field"])

    def _read_envelope(self, node: _Node) -> _Read:
        return lambda: self._event.event.get(node["field"])

    def _read_type(self, _: _Node) -> _Read:
        return lambda: self._event.type

    def _read_sequence(self, _: _Node) -> _Read:
        return lambda: self._event.sequence

    def _read_epoch(self, _: _Node) -> _Read:
        return lambda: float(self._event.stream.epoch)

    def _read_event(self, _: _Node) -> _Read:
        return lambda: name_event(self._event.type, self._event.sequence)

    def _read_index(self, _: _Node) -> _Read:
        return lambda: float(self._event.stream.index)

    def _read_gap(self, node: _Node) -> _Read:
        return lambda: self._event.gap.get(node["side"])

    def _read_item(self, node: _Node) -> _Read:
        item = self._items[node["item"]]
        return lambda: item.value

    def _read_path(self, node: _Node) -> _Read:
        item = self._items[node["item"]]
        return lambda: item.path

    def _read_counterpart(self, node: _Node) -> _Read:
        item, of = self._items[node["item"]], self._compile_value(node["of"])
        return lambda: find_part(of(), split_pointer(item.path))

    def _read_key(self, node: _Node) -> _Read:
        named = self._rows[node["row"]]
        return lambda: named.key

    def _read_cell(self, node: _Node) -> _Read:
        target = self._rows[node["row"]]
        return lambda: target.cell(node["cell"])

    def _read_first(self, node: _Node) -> _Read:
        values = self._compile_values(node["of"])
        return lambda: next((found for value in values if (found := value()) is not None), None)

    def _compile_arithmetic(self, node: _Node) -> _Read:
        values = self._compile_values(node["of"])
        combine = _ARITHMETIC[node["op"]]

        def read() -> float | None:
            result: float | None = None
            for value in values:
                operand = value()
                if not isinstance(operand, float):
                    return None
                result = operand if result is None else combine(result, operand)
            return result

        return read

    def _compile_text_value(self, node: _Node, measure: Callable[[str], int]) -> _Read:
        of = self._compile_value(node["of"])
        return lambda: float(measure(text)) if isinstance(text := of(), str) else None

    def _read_bytes(self, node: _Node) -> _Read:
        return self._compile_text_value(node, lambda text: len(text.encode("utf-8", "surrogatepass")))

    def _read_units(self, node: _Node) -> _Read:
        return self._compile_text_value(node, lambda text: len(to_units(text)))

    def _read_textUnits(self, node: _Node) -> _Read:
        target = self._rows[node["row"]]
        return lambda: float(target.text(node["cell"])[0])

    def _read_join(self, node: _Node) -> _Read:
        values = self._compile_values(node["of"])

        def read() -> str | None:
            parts = [value() for value in values]
            return "".join(parts) if all(isinstance(part, str) for part in parts) else None

        return read

    def _read_covered(self, node: _Node) -> _Read:
        target = self._rows[node["row"]]
        counts: list[float] = []
        count = self._with_range(
            node, lambda first, last: counts.append(_count_covered(target.ranges(node["cell"]), first, last))
        )

        def read() -> float | None:
            count()
            return counts.pop() if counts else None

        return read

    def _read_keys(self, node: _Node) -> _Read:
        named = self._name_row(node)
        when = self._compile_condition(node["when"])

        def read() -> list[str] | None:
            ids: list[str] = []
            for key, row in _visit(self.memory[named.table].get("", {})):
                named.key, named.row = key, row
                if when():
                    ids.append(key)
            return ids or None

        return read

    # Conditions

    def _compile_condition(self, node: _Node) -> _Test:
        compile: Callable[[_Node], _Test] | None = getattr(self, f"_test_{node['op']}", None)
        if compile is not None:
            return compile(node)
        of, test = self._compile_value(node["of"]), self._compile_text_test(node)
        return lambda: isinstance(text := of(), str) and test(text)

    def _test_not(self, node: _Node) -> _Test:
        of = self._compile_condition(node["of"])
        return lambda: not of()

    def _test_all(self, node: _Node) -> _Test:
        tests = [self._compile_condition(each) for each in node["of"]]
        return lambda: all(test() for test in tests)

    def _test_any(self, node: _Node) -> _Test:
        tests = [self._compile_condition(each) for each in node["of"]]
        return lambda: any(test() for test in tests)

    def _compile_comparison(self, node: _Node, expected: bool) -> _Test:
        one, other = self._compile_values(node["of"])
        as_sets = node.get("asSets", False)

        def test() -> bool:
            a, b = one(), other()
            return a is not None and b is not None and are_equal(a, b, as_sets) is expected

        return test

    def _test_equal(self, node: _Node) -> _Test:
        return self._compile_comparison(node, True)

    def _test_differ(self, node: _Node) -> _Test:
        return self._compile_comparison(node, False)

    def _compile_number_test(self, node: _Node, compare: Callable[[float, float], bool]) -> _Test:
        one, other = self._compile_values(node["of"])

        def test() -> bool:
            a, b = one(), other()
            return isinstance(a, float) and isinstance(b, float) and compare(a, b)

        return test

    def _test_less(self, node: _Node) -> _Test:
        return self._compile_number_test(node, lambda a, b: a < b)

    def _test_atMost(self, node: _Node) -> _Test:
        return self._compile_number_test(node, lambda a, b: a <= b)

    def _test_present(self, node: _Node) -> _Test:
        of = self._compile_value(node["of"])
        return lambda: of() is not None

    def _test_exists(self, node: _Node) -> _Test:
        named = self._rows[node["row"]]
        return lambda: named.row is not None

    def _test_is(self, node: _Node) -> _Test:
        of, has_type = self._compile_value(node["of"]), _TYPE_TESTS[node["type"]]
        return lambda: has_type(of())

    def _test_in(self, node: _Node) -> _Test:
        of, values = self._compile_value(node["of"]), [each for each in node["values"] if is_scalar(each)]
        return lambda: (value := of()) is not None and any(are_equal(value, each) for each in values)

    def _test_lists(self, node: _Node) -> _Test:
        of, values = self._compile_value(node["of"]), node["values"]
        return lambda: isinstance(found := of(), list) and any(each in values for each in found)

    def _test_related(self, node: _Node) -> _Test:
        relation = self._source["relations"][node["relation"]]
        one, other = self._compile_values(node["of"])
        return lambda: isinstance(name := one(), str) and other() in relation.get(name, [])

    def _test_current(self, node: _Node) -> _Test:
        target = self._rows[node["row"]]
        return lambda: bool(target.cell(node["cell"]) == self._event.stream.epoch)

    def _test_seenFromStart(self, _: _Node) -> _Test:
        return lambda: self._event.stream.epoch == self._event.stream.complete_epoch

    def _test_ended(self, _: _Node) -> _Test:
        return lambda: self._event.stream.has_ended

    def _compile_text_test(self, node: _Node) -> Callable[[str], bool]:
        """Compile a condition about a text."""
        op = node["op"]
        if op == "matches":
            pattern = re.compile(node["pattern"])
            return lambda text: pattern.search(text) is not None
        if op == "hasReplacement":
            return lambda text: "\ufffd" in text
        if op == "hasPath":
            return lambda text: _find_path(self._event.payload, text) is not None
        if op == "hasMember":
            return lambda text: (
                text in self._event.payload
                or any(
                    name not in node["except"] and _has_member(value, text)
                    for name, value in self._event.payload.items()
                )
            )
        target, cell = self._rows[node["row"]], node["cell"]

        def test(text: str) -> bool:
            sent, units = target.text(cell), to_units(text)
            excess = len(units) - sent[0]
            if excess < 0 or (excess > 0 and op == "sameText"):
                return False
            return _add_text((0, 0), units[excess:]) == sent

        return test

    # Messages and places

    def _compile_message_part(self, part: str | _Node) -> Callable[[], str]:
        if isinstance(part, str):
            return lambda: part
        for form, format in _FORMS.items():
            if form in part:
                value = self._compile_value(part[form])
                return lambda: format(value(), part)
        item = self._items[part["item"]]
        return lambda: ".".join([part["field"], *split_pointer(item.path)])

    def _compile_place(self, place: _Node | None) -> Callable[[], str]:
        if place is None:
            return lambda: ""
        pointer, is_in_payload = join_pointer(place["field"]), place["in"] == "payload"
        item = self._items[place["item"]] if "item" in place else _NamedItem()

        def locate() -> str:
            carrier = self._event.carrier if is_in_payload else None
            return ("" if carrier is None else join_pointer(carrier)) + pointer + item.path

        return locate


def _divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return float("nan") if a == 0 or math.isnan(a) else float("inf") * a


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "subtract": lambda a, b: a - b,
    "divide": _divide,
    "minimum": min,
}

_TYPE_TESTS: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, float),
    "integer": lambda value: isinstance(value, float) and value.is_integer(),
    "safe": lambda value: isinstance(value, float) and value.is_integer() and abs(value) < 2**53,
    "list": lambda value: isinstance(value, list),
}


def _visit(rows: _Rows) -> Iterator[tuple[str, _Row]]:
    """Visit the rows in their order. Rows may be removed meanwhile."""
    return ((key, rows[key]) for key in list(rows) if key in rows)


def _has_member(value: Any, name: str) -> bool:
    """Return whether an object in a value, at any depth, has a member."""
    if isinstance(value, list):
        return any(_has_member(each, name) for each in value)
    if isinstance(value, dict):
        return name in value or any(_has_member(each, name) for each in value.values())
    return False


def _find_path(payload: _Node, path: str) -> Any:
    """Return the value at a JSON pointer or at a path such as `$.input.headers[0].value`."""
    if path in payload:
        return payload[path]
    if path.startswith("/"):
        return find_part(payload, split_pointer(path))
    dotted = re.sub(r"\[([0-9]+)\]", r".\1", re.sub(r"\A\$\.?", "", path))
    return find_part(payload, [name for name in dotted.split(".") if name != ""] or [""])


# Texts and ranges in cells


def _add_text(before: tuple[int, int], units: memoryview) -> tuple[int, int]:
    """Continue a length and a hash: each step multiplies it by a prime and adds the unit, modulo 2^32."""
    value = before[1]
    for unit in units:
        value = (value * 0x9E3779B1 + unit) & 0xFFFFFFFF
    return before[0] + len(units), value


_Ranges: TypeAlias = list[tuple[float, float]]


def _add_range(ranges: _Ranges, first: float, last: float) -> _Ranges:
    """Add numbers to ranges that neither overlap nor touch, in ascending order."""
    if first > last:
        return ranges
    before = [each for each in ranges if each[1] < first - 1]
    after = [each for each in ranges if each[0] > last + 1]
    merged = [*ranges[len(before) : len(ranges) - len(after)], (first, last)]
    return [*before, (min(low for low, _ in merged), max(high for _, high in merged)), *after]


def _count_covered(ranges: _Ranges, first: float, last: float) -> float:
    overlaps = [(low, high) for low, high in ranges if low <= last and high >= first]
    return float(sum(min(high, last) - max(low, first) + 1 for low, high in overlaps))


def _list_uncovered(ranges: _Ranges, first: float, last: float) -> _Ranges:
    """Return the ranges of numbers from `first` to `last` that are not in `ranges`."""
    uncovered: _Ranges = []
    for low, high in ranges:
        if high < first:
            continue
        if low > last:
            break
        if low > first:
            uncovered.append((first, low - 1))
        first = high + 1
    return [*uncovered, (first, last)] if first <= last else uncovered


def _format_count(count: Any, part: _Node) -> str:
    return f"{format_plain(count)} {part['noun' if count == 1 else 'plural']}"


_FORMS: dict[str, Callable[[Any, _Node], str]] = {
    "quote": lambda value, _: quote_value(value),
    "plain": lambda value, _: format_plain(value),
    "count": _format_count,
    "list": lambda value, _: format_ids(value),
}
