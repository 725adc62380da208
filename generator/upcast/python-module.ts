/** The Python module of a plan. Only the steps and the names in braces depend on the plan. */
export const PYTHON_MODULE = `{BANNER}
"""Carries events of {FROM} over to {TO}.

{PROOF}
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, {IMPORT}Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any


class UpcastError(ValueError):
    """Raised if a value would be lost."""


def upcast_event(original: dict[str, Any], {PARAMETER}stream_types: Iterable[str] = ()) -> dict[str, Any]:
    """Returns an event of {TO}. \`stream_types\` are the event types of its stream. The original does not change."""
    {STEPS}
    return event


def upcast_events(originals: Sequence[dict[str, Any]]{LAST}) -> list[dict[str, Any]]:
    """Returns the events of complete streams in their order."""
    streams: dict[str, set[str]] = {}
    keys = [json.dumps([event.get(name) for name in {KEY}], sort_keys=True) for event in originals]
    for key, event in zip(keys, originals):
        streams.setdefault(key, set()).add(read_type(event))
    return [upcast_event(event, {ARGUMENT}streams[key]) for key, event in zip(keys, originals)]


_ABSENT: Any = object()


def read_type(event: dict[str, Any]) -> str:
    type = event.get({DISCRIMINATOR})
    return type if isinstance(type, str) else ""


def matches(types: Iterable[str], names: Sequence[str]) -> bool:
    return any(
        type.startswith(name[:-1]) if name.endswith("*") else type == name for type in types for name in names
    )


def equal(a: Any, b: Any) -> bool:
    # In Python, True equals 1.
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[name], b[name]) for name in a)
    return bool(a == b)


def find(event: Any, path: Sequence[str]) -> Any:
    for name in path:
        event = event.get(name, _ABSENT) if isinstance(event, dict) else _ABSENT
    return event


def has(event: dict[str, Any], path: Sequence[str], values: Sequence[Any]) -> bool:
    value = find(event, path)
    return value is not _ABSENT and any(equal(each, value) for each in values)


def set_value(event: dict[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """Sets a value, also in the place of another one."""
    name, *rest = path
    if not rest:
        return {**event, name: value}
    child = event.get(name)
    return {**event, name: set_value(child if isinstance(child, dict) else {}, rest, value)}


def remove(event: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    name, *rest = path
    if rest and isinstance(event.get(name), dict):
        return {**event, name: remove(event[name], rest)}
    return {key: value for key, value in event.items() if key != name}


def add(event: dict[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """Adds a value where there is none."""
    for length in range(1, len(path) + 1):
        present = find(event, path[:length])
        if present is not _ABSENT and (length == len(path) or not isinstance(present, dict)):
            raise UpcastError(f"There is a value at /{'/'.join(path[:length])} already.")
    return set_value(event, path, value)


def replace(event: dict[str, Any], path: Sequence[str], value: Any, replaced: Any) -> dict[str, Any]:
    return set_value(event, path, value) if has(event, path, [replaced]) else add(event, path, value)


def add_default(event: dict[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    return add(event, path, value) if find(event, path) is _ABSENT else event


def move(event: dict[str, Any], source: Sequence[str], to: Sequence[str]) -> dict[str, Any]:
    value = find(event, source)
    return event if value is _ABSENT else add(remove(event, source), to, value)


def move_alias(event: dict[str, Any], source: Sequence[str], to: Sequence[str]) -> dict[str, Any]:
    if find(event, source) is _ABSENT:
        return event
    return move(event, source, to) if find(event, to) is _ABSENT else remove(event, source)


def parse(
    event: dict[str, Any], source: Sequence[str], literals: Sequence[str], targets: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Reads a text into fields. Each part but the last ends where the literal behind it occurs first."""
    value = find(event, source)
    if value is _ABSENT:
        return event
    parts = divide(value, literals) if isinstance(value, str) else None
    if parts is None:
        raise UpcastError(f"The value at /{'/'.join(source)} does not have its parts.")
    event = remove(event, source)
    for to, part in zip(targets, parts):
        event = add(event, to, part)
    return event


def divide(text: str, literals: Sequence[str]) -> list[str] | None:
    first, *separators, last = literals
    if not text.startswith(first):
        return None
    rest = text[len(first) :]
    parts = []
    for separator in separators:
        part, found, rest = rest.partition(separator)
        if not found:
            return None
        parts.append(part)
    return [*parts, rest[: len(rest) - len(last)]] if rest.endswith(last) else None


def template(
    event: dict[str, Any], sources: Sequence[Sequence[str]], literals: Sequence[str], to: Sequence[str]
) -> dict[str, Any]:
    """Writes fields into one text."""
    values = [find(event, source) for source in sources]
    if all(value is _ABSENT for value in values):
        return event
    if not all(isinstance(value, str) for value in values):
        raise UpcastError(f"The values for /{'/'.join(to)} are not all texts.")
    for source in sources:
        event = remove(event, source)
    return add(event, to, "".join(literal + value for literal, value in zip(literals, [*values, ""])))


def map_value(event: dict[str, Any], at: Sequence[str], values: dict[str, Any]) -> dict[str, Any]:
    value = find(event, at)
    return set_value(event, at, values[value]) if isinstance(value, str) and value in values else event


def apply_function(event: dict[str, Any], at: Sequence[str], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Gives a value to a function, and takes the new one."""
    value = find(event, at)
    return event if value is _ABSENT else set_value(event, at, change(value))


def is_position(name: str) -> bool:
    """Returns whether a part of a path selects items of lists: all by *, one by [2], all from there on by [2..]."""
    return name == "*" or re.fullmatch(r"\\[[0-9]+(\\.\\.)?\\]", name) is not None


def selects(name: str, index: int) -> bool:
    if name == "*" or not is_position(name):
        return name == "*"
    start = int(name.strip("[.]"))
    return index >= start if name.endswith("..]") else index == start


def change_at(value: Any, path: Sequence[str], change: Callable[[Any], Any]) -> Any:
    """Changes the values to which a path leads. The part {*} of a path selects each value of a map."""
    if not path:
        return change(value)
    name, *rest = path
    if isinstance(value, list):
        return [change_at(item, rest, change) if selects(name, index) else item for index, item in enumerate(value)]
    if not isinstance(value, dict) or is_position(name):
        return value
    return {
        key: change_at(member, rest, change) if name in (key, "{*}") else member for key, member in value.items()
    }


def each(
    event: dict[str, Any], path: Sequence[str], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    """Changes each value to which a path leads. The value is a member of an object of its own."""
    result: dict[str, Any] = change_at(event, path, lambda item: change({"item": item})["item"])
    return result


def deep(
    event: dict[str, Any],
    path: Sequence[str],
    loops: Sequence[Sequence[str]],
    change: Callable[[dict[str, Any]], dict[str, Any]],
) -> dict[str, Any]:
    """Changes the value to which a path leads, and before it those to which the loops lead from it, at every depth."""

    def visit(value: Any) -> Any:
        for loop in loops:
            value = change_at(value, loop, visit)
        return change({"item": value})["item"]

    result: dict[str, Any] = change_at(event, path, visit)
    return result


def scale(event: dict[str, Any], at: Sequence[str], by: str) -> dict[str, Any]:
    """Multiplies the decimal digits of a double, and rounds once, to the nearest double."""
    value = find(event, at)
    if value is _ABSENT:
        return event
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError
        product = Fraction(repr(float(value))) * Fraction(by)
        number = float(product)
    except (TypeError, ValueError, OverflowError):
        raise UpcastError(f"The value at /{'/'.join(at)} cannot be multiplied.") from None
    return set_value(event, at, int(number) if number.is_integer() else number)


def number_to_text(event: dict[str, Any], at: Sequence[str]) -> dict[str, Any]:
    """Writes a number in decimal digits, without an exponent."""
    value = find(event, at)
    if value is _ABSENT:
        return event
    number = to_double(value)
    if not math.isfinite(number):
        raise UpcastError(f"The value at /{'/'.join(at)} is not a number.")
    text = format(Decimal(repr(number)), "f") if number else "0"
    return set_value(event, at, text.rstrip("0").rstrip(".") if "." in text else text)


def to_double(value: Any) -> float:
    """Returns a number as a double, and no number for other values."""
    try:
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan


def text_to_number(event: dict[str, Any], at: Sequence[str], pattern: str) -> dict[str, Any]:
    value = find(event, at)
    if value is _ABSENT:
        return event
    if not isinstance(value, str) or not re.fullmatch(pattern, value, re.ASCII):
        raise UpcastError(f"The value at /{'/'.join(at)} is not a text of a decimal number.")
    number = float(value)
    return set_value(event, at, int(number) if number.is_integer() else number)


def number_to_time(event: dict[str, Any], at: Sequence[str], per_second: int, is_rounded: bool) -> dict[str, Any]:
    """Writes a number of seconds or milliseconds since the beginning of 1970 as a time in UTC."""
    value = find(event, at)
    if value is _ABSENT:
        return event
    number = to_double(value)
    if is_rounded and math.isfinite(number):
        number = float(math.floor(number))
    if not number.is_integer() or not -62135596800 * per_second <= number < 253402300800 * per_second:
        raise UpcastError(f"The value at /{'/'.join(at)} has no time.")
    time = datetime(1970, 1, 1) + timedelta(milliseconds=int(number) * 1000 // per_second)
    return set_value(event, at, time.isoformat(timespec="seconds" if per_second == 1 else "milliseconds") + "Z")


def time_to_number(event: dict[str, Any], at: Sequence[str], pattern: str, per_second: int) -> dict[str, Any]:
    """Reads a time as a number of seconds or milliseconds since the beginning of 1970."""
    value = find(event, at)
    if value is _ABSENT:
        return event
    if not isinstance(value, str) or not re.fullmatch(pattern, value, re.ASCII):
        raise UpcastError(f"The value at /{'/'.join(at)} is not such a time.")
    year, month, day, hour, minute, second = (
        int(value[start:end]) for start, end in ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19))
    )
    start, months = (year, month - 3) if month > 2 else (year - 1, month + 9)
    days = 365 * start + start // 4 - start // 100 + start // 400 + (153 * months + 2) // 5 + day - 719469
    fraction = value[20:].rstrip("Zz").split("+")[0].split("-")[0] if value[19] == "." else ""
    zone = value[-6:]
    minutes = 0 if zone[-1] in "Zz" else int(zone[1:3]) * 60 + int(zone[4:6])
    offset = minutes * (-60 if zone[0] == "-" else 60)
    seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
    return set_value(event, at, seconds if per_second == 1 else seconds * 1000 + int(fraction.ljust(3, "0")[:3]))
`;
