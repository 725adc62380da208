"""Checks whether the events of a feed keep the stream rules of the contract."""

from __future__ import annotations

import functools
import importlib.resources
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .events import parse_json
from .machine import Machine, Memory, Step, StreamState, name_event
from .stream import (
    Conflict,
    Duplicate,
    EventReader,
    FirstArrival,
    Invalid,
    LateArrival,
    stream_key,
)
from .values import join_pointer, normalize

_MAX_FINISHED = 1000
"""The number of ended streams that are remembered, because more events may arrive for them."""

Profile: TypeAlias = Literal["reader", "writer"]
"""The reading of the contract whose rules are checked: what consumers may rely on, or what producers have to do."""


@dataclass(frozen=True)
class Finding:
    """A violation of a stream rule of the contract."""

    rule: str
    """The id of the finding, such as "sequence-gap"."""
    severity: str
    """One of "error", "warning" and "note"."""
    message: str
    """One sentence. It may quote text from events."""
    hint: str
    """What to do."""
    pointer: str
    """A JSON pointer into the event; empty for the whole event."""
    index: int
    """The number of the call of `check` that passed the event, from 0 on."""


class _TypePlan:
    """The checks of the events of one type, and the meaning of the type for its stream."""

    def __init__(self, contract: dict[str, Any], type: str | None) -> None:
        self.checks: list[_Check] = []
        self.carrier: str | None = None
        if type is not None:
            carrier = contract["payloads"][type]
            self.carrier = carrier if isinstance(carrier, str) else None
        self.is_opening = type in contract["opening"]
        self.is_terminal = type in contract["terminal"]
        self.is_gap_marker = type in contract["gapMarkers"]


_Check: TypeAlias = "tuple[int, Any]"
"""The number of a machine, and a function that checks the event of its step."""


@functools.cache
def _load_contract() -> dict[str, Any]:
    text = importlib.resources.files(__package__ or "").joinpath("machines.json").read_text("utf-8")
    contract: dict[str, Any] = normalize(parse_json(text))
    return contract


class StreamChecker:
    """Checks whether the events of a feed keep the stream rules of the contract.

    It gives the findings of `accrete validate`.
    """

    def __init__(self, profile: Profile, *, reader: EventReader | None = None) -> None:
        """Create a checker of the rules for a profile.

        `reader` places the events in their streams. Pass one to change its limits or to resume streams.
        """
        self._profile: str = profile
        self._reader = EventReader() if reader is None else reader
        self._contract = contract = _load_contract()
        self._types = {type: _TypePlan(contract, type) for type in contract["payloads"]}
        self._undeclared = _TypePlan(contract, None)
        self._after_terminal: list[_Check] = []
        self._refused: list[_Check] = []
        self._ends: list[_Check] = []
        sources = [source for source in contract["machines"] if source.get("profile", profile) == profile]
        self._machines = [Machine(source) for source in sources]
        for slot, machine in enumerate(self._machines):
            for on, run in machine.clauses:
                for checks in self._select_checks(on):
                    checks.append((slot, run))
        self._shared: dict[int, Memory] = {}
        self._live: dict[str, StreamState] = {}
        self._finished: dict[str, StreamState] = {}
        self._gaps = 0
        self._forgotten = 0
        self._first_forgotten = 0
        self._index = 0
        self._step = Step({}, {}, "", None, None, {}, StreamState("", 0, 0), self._report)
        self._findings: list[Finding] = []

    def check(self, event: str | bytes | bytearray | dict[str, Any]) -> list[Finding]:
        """Check the next event of the feed, given as JSON text or as the value that it holds.

        Raises ValueError if it is not an event. The number of an invalid event is not missing, but what it said is.
        """
        index = self._index
        self._index += 1
        try:
            content = parse_json(event) if isinstance(event, (str, bytes, bytearray)) else event
        except ValueError:
            self._refuse(None)
            raise
        delivery = self._reader.read(content)
        if isinstance(delivery, Invalid):
            self._refuse(normalize(content))
            raise delivery.error
        if isinstance(delivery, FirstArrival):
            if self._forgotten == 0:
                self._first_forgotten = index
            self._forgotten += self._evict(delivery.evicted)
            self._accept(normalize(content), delivery, index)
        else:
            self._report_placement(content[self._contract["discriminator"]], delivery, index)
        return self._take()

    def mark_gap(self) -> None:
        """Tell the checker that events of any stream may be missing here."""
        self._gaps += 1

    def end(self) -> list[Finding]:
        """End the input, and with it every stream. Return the findings about incomplete streams."""
        for stream in [*self._finished.values(), *self._live.values()]:
            self._close(stream)
        self._finished.clear()
        self._live.clear()
        if self._forgotten > 0:
            message = f"Too many streams are open: {self._forgotten} of them were forgotten."
            self._report("stream-limit-reached", message, "", self._first_forgotten)
            self._forgotten = 0
        return self._take()

    def _select_checks(self, on: str | list[str]) -> list[list[_Check]]:
        """Return the lists of checks to which the clauses for these types belong."""
        if on == "every":
            return [plan.checks for plan in [*self._types.values(), self._undeclared]]
        if isinstance(on, str):
            lists = {"end": self._ends, "refused": self._refused, "after-terminal": self._after_terminal}
            return [lists[on]]
        return [self._types[type].checks for type in on if type in self._types]

    def _refuse(self, value: Any) -> None:
        """Take note of a value that is not an event, as far as its stream and its number can be read."""
        fields, is_numbered = self._contract["stream"], self._contract["numbered"]
        if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in fields["key"]):
            if not is_numbered:
                self.mark_gap()
            return
        key = stream_key(value)
        number = value.get(fields.get("sequence", ""))
        if isinstance(number, float) and number.is_integer() and abs(number) < 2**53:
            stream = self._find_stream(key, None)
            self._step = Step({}, {}, "", None, number, {}, stream, self._report)
            self._run_checks(self._refused)
            stream.gaps = -1
        elif not is_numbered and (known := self._live.get(key) or self._finished.get(key)) is not None:
            known.gaps = -1

    def _accept(self, event: dict[str, Any], delivery: FirstArrival, index: int) -> None:
        type = event[self._contract["discriminator"]]
        plan = self._types.get(type, self._undeclared)
        stream = self._find_stream(delivery.stream, delivery.sequence)
        stream.index = index
        if stream.gaps != self._gaps or delivery.gap is not None or plan.is_gap_marker:
            stream.epoch += 1
        stream.gaps = self._gaps
        if plan.is_opening:
            if "sequence" not in self._contract["stream"]:
                # Without numbers, an opening event shows that nothing is missing from here on.
                stream.complete_epoch = stream.epoch
            stream.has_ended = False
            if self._finished.pop(stream.key, None) is not None:
                self._live[stream.key] = stream
        gap: dict[str, float] = {}
        if delivery.gap is not None:
            gap["before"] = float(delivery.gap.before)
            if delivery.gap.after is not None:
                gap["after"] = float(delivery.gap.after)
        payload = event if plan.carrier is None else event[plan.carrier]
        sequence = None if delivery.sequence is None else float(delivery.sequence)
        self._step = Step(event, payload, type, plan.carrier, sequence, gap, stream, self._report)
        if stream.has_ended:
            self._run_checks(self._after_terminal)
        self._run_checks(plan.checks)
        if plan.is_terminal:
            self._finish(stream)

    def _run_checks(self, checks: list[_Check]) -> None:
        for slot, run in checks:
            machine, memories = self._machines[slot], self._step.stream.memories
            if slot not in memories:
                is_known = machine.is_shared and slot in self._shared
                memories[slot] = self._shared[slot] if is_known else machine.start()
                if machine.is_shared:
                    self._shared[slot] = memories[slot]
            machine.memory, machine.step = memories[slot], self._step
            run()

    def _find_stream(self, key: str, sequence: int | None) -> StreamState:
        stream = self._live.get(key) or self._finished.get(key)
        if stream is None:
            first = self._contract["stream"].get("first")
            is_first = first is not None and sequence == first
            stream = self._live[key] = StreamState(key, 0 if is_first else 1, self._gaps)
        return stream

    def _finish(self, stream: StreamState) -> None:
        """Mark a stream as ended. It is forgotten once enough other streams have ended after it."""
        stream.has_ended = True
        if self._live.pop(stream.key, None) is not None:
            self._finished[stream.key] = stream
        if len(self._finished) > _MAX_FINISHED:
            self._close(self._finished.pop(next(iter(self._finished))))

    def _evict(self, keys: tuple[str, ...]) -> int:
        """Forget streams, whose rest may still come if they had not ended. Return how many of them had not."""
        open = len(self._live)
        for key in keys:
            self._live.pop(key, None)
            if key in self._finished:
                self._close(self._finished.pop(key))
        return open - len(self._live)

    def _close(self, stream: StreamState) -> None:
        self._step.stream = stream
        self._run_checks([check for check in self._ends if check[0] in stream.memories])

    def _report_placement(self, type: str, delivery: Duplicate | Conflict | LateArrival, index: int) -> None:
        fields = self._contract["stream"]
        name = name_event(type, None if delivery.sequence is None else float(delivery.sequence))
        if isinstance(delivery, LateArrival):
            message = f"{name} comes after #{delivery.cursor}."
            rule = "sequence-late"
            if delivery.forgotten:
                rule = "sequence-uncertain"
                message += " It may be a redelivery: its id may have been forgotten."
            self._report(rule, message, join_pointer(fields["sequence"]), index)
        elif isinstance(delivery, Conflict):
            message = f"{name} has the id of an event with other content."
            self._report("event-conflict", message, join_pointer(fields["id"]), index)
        else:
            message = f"{name} was delivered before, with the same content."
            self._report("event-repeated", message, join_pointer(fields["id"]), index)

    def _report(self, rule: str, message: str, pointer: str, index: int) -> None:
        """Add a finding, unless its rule is off. Two declarations that report the same give one finding."""
        kind = self._contract["findings"][rule]
        severity = kind[self._profile]
        finding = Finding(
            rule, severity, _replace_surrogates(message), kind["hint"], _replace_surrogates(pointer), index
        )
        if severity != "off" and self._findings[-1:] != [finding]:
            self._findings.append(finding)

    def _take(self) -> list[Finding]:
        findings, self._findings = self._findings, []
        return findings


def _replace_surrogates(text: str) -> str:
    """Replace each half of a surrogate pair, which cannot be printed, by U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
