"""Classifies the values of a feed: new events, redeliveries, gaps and late events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .events import Event, decode_event, parse_json

_KEY: tuple[str, ...] | None = ("session_id",)
_SEQUENCE: str | None = "sequence"
_FIRST: int | None = 1
_ID: str | None = "event_id"
# True if no two streams have an event with the same id. Otherwise, each stream has ids of its own.
_SHARES_IDS: bool = False

_MAX_GAPS = 100


@dataclass(frozen=True)
class Gap:
    """Skipped numbers: those between `after` and `before`, which are not missing themselves."""

    after: int | None
    """The highest number before the gap; None if the stream starts above its first number."""
    before: int


@dataclass(frozen=True)
class FirstArrival:
    """An event that arrives for the first time, with a number above all earlier ones of its stream."""

    event: Event
    stream: str
    sequence: int | None
    gap: Gap | None
    evicted: tuple[str, ...]
    """Streams that were forgotten in favour of this one, because the limit `streams` is reached."""
    kind: Literal["new"] = "new"


@dataclass(frozen=True)
class LateArrival:
    """An event with a new id whose number is not above the cursor. It may fill a gap. Show it like a new one."""

    event: Event
    stream: str
    sequence: int
    cursor: int
    """The highest number so far."""
    forgotten: bool
    """Whether its number is so old that its id may have been forgotten, so it may be a redelivery."""
    kind: Literal["late"] = "late"


@dataclass(frozen=True)
class Duplicate:
    """An event that arrived before. Ignore it."""

    event: Event
    stream: str
    sequence: int | None
    kind: Literal["duplicate"] = "duplicate"


@dataclass(frozen=True)
class Conflict:
    """An event with the id of an earlier event and other content: one of the two is wrong."""

    event: Event
    stream: str
    sequence: int | None
    kind: Literal["conflict"] = "conflict"


@dataclass(frozen=True)
class Invalid:
    """A value that is not an event of this protocol. It leaves the reader unchanged."""

    value: Any
    error: Exception
    kind: Literal["invalid"] = "invalid"


Delivery: TypeAlias = FirstArrival | LateArrival | Duplicate | Conflict | Invalid
"""The classification of one value. Show events of the kinds "new" and "late"."""


@dataclass
class _Stream:
    number: int
    cursor: int | None
    young_from: int | None
    old_from: int | None
    last_used: int = 0
    gaps: tuple[Gap, ...] = field(default=())


class EventReader:
    """Classifies the values of a feed in the order of arrival."""

    def __init__(
        self,
        *,
        window: int = 65_536,
        streams: int = 10_000,
        cursors: Mapping[str, int] | Iterable[tuple[str, int]] = (),
    ) -> None:
        """Create a reader.

        It remembers at least `window` ids, over all streams, and at most `streams` streams. Beyond that, the
        streams without an event for the longest time are forgotten. `cursors` holds the numbers after which
        streams continue after a restart, as `cursor` returned them before.
        """
        self._window = window
        self._max_streams = max(1, streams)
        self._streams: dict[str, _Stream] = {}
        self._young: dict[tuple[int, str], object] = {}
        self._old: dict[tuple[int, str], object] = {}
        self._clock = 0
        self._stream_count = 0
        for stream, sequence in dict(cursors).items():
            self._open(stream, sequence)

    def read(
        self,
        value: str | bytes | bytearray | dict[str, Any],
        *,
        id: str | None = None,
        digest: str | int | None = None,
    ) -> Delivery:
        """Classify JSON text or the value that it holds. Raises nothing for bad values.

        `id` is the id under which the event was sent. It identifies the event if the protocol has no field for
        ids. `digest` stands for the content of the event when redeliveries are compared. Pass one for all values
        or for none. Without digests the reader keeps the last events, and these must not be changed.
        """
        try:
            content = parse_json(value) if isinstance(value, (str, bytes, bytearray)) else value
            event = decode_event(content)
            sequence = _read_sequence(content)
        except (ValueError, RecursionError) as error:
            return Invalid(value, error)
        own_id = (id or None) if _ID is None else content.get(_ID)
        if not isinstance(own_id, str):
            own_id = None
        return self._place(event, content, sequence, own_id, content if digest is None else digest)

    def cursor(self, stream: str) -> int | None:
        """Return the highest number of a stream so far, after which to resume."""
        state = self._streams.get(stream)
        return None if state is None else state.cursor

    def streams(self) -> list[str]:
        """Return the keys of the remembered streams."""
        return list(self._streams)

    def gaps(self, stream: str) -> tuple[Gap, ...]:
        """Return the gaps of a stream, ascending: numbers that were skipped and did not arrive late."""
        state = self._streams.get(stream)
        return () if state is None else state.gaps

    def forget(self, stream: str) -> None:
        """Forget a stream that has ended. Its next event starts a new one."""
        self._streams.pop(stream, None)

    def _place(
        self, event: Event, content: dict[str, Any], sequence: int | None, id: str | None, digest: object
    ) -> Delivery:
        stream = stream_key(content)
        state = self._streams.get(stream)
        evicted: tuple[str, ...] = ()
        if state is None:
            evicted = self._make_room()
            state = self._open(stream, None)
        self._clock += 1
        state.last_used = self._clock
        if id is not None:
            first = self._remember((0 if _SHARES_IDS else state.number, id), digest)
            if first is not None:
                kind = Duplicate if _is_same_content(first, digest) else Conflict
                return kind(event, stream, sequence)
        if sequence is None:
            delivery: Delivery = FirstArrival(event, stream, None, None, evicted)
        else:
            delivery = _advance(state, event, stream, sequence, evicted)
        if id is not None and len(self._young) >= self._window:
            self._rotate_generation()
        return delivery

    def _open(self, stream: str, cursor: int | None) -> _Stream:
        state = _Stream(self._stream_count, cursor, cursor, cursor)
        self._stream_count += 1
        self._streams[stream] = state
        return state

    def _make_room(self) -> tuple[str, ...]:
        if len(self._streams) < self._max_streams:
            return ()
        by_use = sorted(self._streams, key=lambda stream: self._streams[stream].last_used)
        evicted = tuple(by_use[: -(-self._max_streams // 8)])
        for stream in evicted:
            del self._streams[stream]
        return evicted

    def _remember(self, key: tuple[int, str], digest: object) -> object:
        first = self._young.get(key, self._old.get(key))
        if first is None:
            self._young[key] = digest
        return first

    def _rotate_generation(self) -> None:
        self._old = self._young
        self._young = {}
        for state in self._streams.values():
            state.old_from = state.young_from
            state.young_from = state.cursor


def stream_key(event: Mapping[str, Any]) -> str:
    """Return the key of the stream of an event, given as the value of its JSON text.

    It is the value of the key field, or the values of several fields joined by `/`, in which `~` and `/` are
    escaped as in a JSON pointer.
    """
    if _KEY is None:
        return ""
    values = [_format_key(event[name]) if name in event else "" for name in _KEY]
    if len(values) == 1:
        return values[0]
    return "/".join(value.replace("~", "~0").replace("/", "~1") for value in values)


def _format_key(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _read_sequence(event: dict[str, Any]) -> int | None:
    value = None if _SEQUENCE is None else event.get(_SEQUENCE)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if value != int(value):
        raise ValueError(f"{_SEQUENCE}: must be a whole number")
    return int(value)


def _advance(state: _Stream, event: Event, stream: str, sequence: int, evicted: tuple[str, ...]) -> Delivery:
    cursor = state.cursor
    if cursor is not None and sequence <= cursor:
        state.gaps = _remove_from_gaps(state.gaps, sequence)
        forgotten = state.old_from is not None and sequence <= state.old_from
        return LateArrival(event, stream, sequence, cursor, forgotten)
    gap = _find_gap(cursor, sequence)
    if gap is not None:
        state.gaps = _add_gap(state.gaps, gap)
    state.cursor = sequence
    return FirstArrival(event, stream, sequence, gap, evicted)


def _find_gap(cursor: int | None, sequence: int) -> Gap | None:
    if cursor is not None:
        return Gap(cursor, sequence) if sequence > cursor + 1 else None
    return Gap(None, sequence) if _FIRST is not None and sequence > _FIRST else None


def _add_gap(gaps: tuple[Gap, ...], gap: Gap) -> tuple[Gap, ...]:
    if len(gaps) < _MAX_GAPS:
        return (*gaps, gap)
    # The two oldest gaps become one that spans both.
    return (Gap(gaps[0].after, gaps[1].before), *gaps[2:], gap)


def _remove_from_gaps(gaps: tuple[Gap, ...], sequence: int) -> tuple[Gap, ...]:
    left: list[Gap] = []
    for gap in gaps:
        after = (_FIRST or 0) - 1 if gap.after is None else gap.after
        if sequence <= after or sequence >= gap.before:
            left.append(gap)
            continue
        if sequence > after + 1:
            left.append(Gap(gap.after, sequence))
        if sequence < gap.before - 1:
            left.append(Gap(sequence, gap.before))
    return tuple(left)


def _is_same_content(one: object, other: object) -> bool:
    """Return whether two JSON values are equal. Unlike ==, it tells True from 1 and needs no deep stack."""
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs.extend((a[key], b[key]) for key in a)
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif isinstance(a, bool) is not isinstance(b, bool) or a != b:
            return False
    return True
