"""JSON values with the numbers, the order of members and the texts of JavaScript.

All numbers are float, null is `NULL`, and None stands for an absent value.
"""

from __future__ import annotations

import json
import math
import re
import sys
from decimal import Decimal
from typing import Any, Final


class Null:
    """The type of null. None stands for an absent value."""


NULL: Final = Null()


def normalize(value: Any) -> Any:
    """Return a JSON value with numbers as JavaScript has them, and members in its order: indexes first."""
    if value is None:
        return NULL
    if isinstance(value, dict):
        names = sorted(value, key=_rank_name)
        return {name: normalize(value[name]) for name in names}
    if isinstance(value, (list, tuple)):
        return [normalize(each) for each in value]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    return value


def _rank_name(name: str) -> int:
    """Return the index that a name stands for; a greater number for other names."""
    is_index = re.fullmatch("0|[1-9][0-9]{0,9}", name) is not None
    return min(int(name), 2**32 - 1) if is_index else 2**32 - 1


def read_id(value: Any) -> str | None:
    """Return an id as text; None if it is neither a text nor a number."""
    if isinstance(value, str):
        return value
    return format_number(value) if isinstance(value, float) else None


def is_scalar(value: Any) -> bool:
    return not isinstance(value, (list, dict))


def are_equal(one: Any, other: Any, as_sets: bool = False) -> bool:
    """Return whether two values are equal. With `as_sets`, the order of lists does not matter."""
    if type(one) is not type(other):
        return False
    if is_scalar(one):
        return bool(one == other)
    if as_sets and isinstance(one, list):
        return sorted(_format_json(each, True) for each in one) == sorted(
            _format_json(each, True) for each in other
        )
    return _format_json(one, True) == _format_json(other, True)


def _format_json(value: Any, is_sorted: bool = False) -> str:
    """Format a value as JSON.stringify of JavaScript does."""
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return re.sub("[\ud800-\udfff]", lambda unit: f"\\u{ord(unit[0]):04x}", text)
    if isinstance(value, list):
        return f"[{','.join(_format_json(each, is_sorted) for each in value)}]"
    if isinstance(value, dict):
        names = sorted(value) if is_sorted else list(value)
        members = (f"{_format_json(name)}:{_format_json(value[name], is_sorted)}" for name in names)
        return f"{{{','.join(members)}}}"
    if isinstance(value, float) and not abs(value) < float("inf"):
        return "null"
    return format_plain(value)


def format_plain(value: Any) -> str:
    """Format a value as String of JavaScript does."""
    if value is None:
        return "undefined"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, list):
        return ",".join("" if each is NULL else format_plain(each) for each in value)
    return "null" if value is NULL else "[object Object]"


def format_number(value: float) -> str:
    """Format a number as JavaScript does."""
    if math.isnan(value):
        return "NaN"
    if value < 0:
        return f"-{format_number(-value)}"
    if value == float("inf"):
        return "Infinity"
    if value < 2**53 and value.is_integer():
        return str(int(value))
    parts = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, parts.digits))
    point = len(digits) + int(parts.exponent)
    if point > 21 or point < -5:
        mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
        return f"{mantissa}e{point - 1:+d}"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    return f"{digits[:point]}.{digits[point:]}" if point < len(digits) else digits.ljust(point, "0")


def quote_value(value: Any) -> str:
    """Format a value for messages as JSON, shortened if it is long."""
    if value is None:
        return "nothing"
    text = _format_json(value)
    units = to_units(text)
    if len(units) <= 80:
        return text
    encoding = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"
    return units[:77].tobytes().decode(encoding, "replace") + "…"


def format_ids(ids: list[str] | None) -> str:
    """Format the first ids of a list, and how many more there are."""
    names = [quote_value(id) for id in (ids or [])]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def join_pointer(name: str) -> str:
    """Return the JSON pointer of a member."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def split_pointer(pointer: str) -> list[str]:
    return [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]]


def find_part(value: Any, names: list[str]) -> Any:
    """Return the part of a value that the names lead to; None if there is none."""
    for name in names:
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and _rank_name(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def to_units(text: str) -> memoryview:
    """Return the UTF-16 units of a text."""
    encoding = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"
    return memoryview(text.encode(encoding, "surrogatepass")).cast("H")
