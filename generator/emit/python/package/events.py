"""The events of this protocol as pydantic models."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Strict,
    Tag,
)

from .validation import InvalidEventError, find_issues


def _refuse_null(value: Any) -> Any:
    if value is None:
        raise ValueError("must not be null; leave it out instead")
    return value


def _read_integer(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError("must be an integer")


def _read_listed(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _read_number(value: Any) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) != float("inf"):
        return value
    raise ValueError("must be a number")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _select_tag(value: Any) -> str:
    kind = value.get("WIRE_NAME") if isinstance(value, dict) else getattr(value, "ATTRIBUTE", None)
    return kind if isinstance(kind, str) and kind in _MODELS else ""


T = TypeVar("T")

Omittable: TypeAlias = Annotated[T | None, BeforeValidator(_refuse_null)]
"""A field that may be absent, but not null. None stands for an absent field."""

Boolean: TypeAlias = Annotated[bool, Strict()]
"""A truth value. Other values are not converted to one."""

Integer: TypeAlias = Annotated[int, BeforeValidator(_read_integer)]
"""A whole number of any size. 1.0 is read as 1."""

Number: TypeAlias = Annotated[int | float, BeforeValidator(_read_number)]
"""A number: whole numbers of any size are int, others float."""


class _Model(BaseModel, frozen=True):
    """An object of the protocol. Undeclared fields are kept."""

    model_config = ConfigDict(
        extra="allow",
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        protected_namespaces=(),
    )


# region models


class BaseEvent(_Model, frozen=True):
    """Stands for the models of a protocol, which replace this region."""


class UnknownEvent(BaseEvent, frozen=True):
    """An event of a type that the protocol does not know."""


Event: TypeAlias = Annotated[Annotated[UnknownEvent, Tag("")], Discriminator(_select_tag)]

_MODELS: dict[str, type[BaseEvent]] = {}


# endregion


def decode_event(event: str | bytes | bytearray | dict[str, Any]) -> Event:
    """Decode one event, from JSON text or from the value that it holds.

    An event of a type that this version does not know becomes an UnknownEvent. Raises ValueError if the text
    is not JSON, InvalidEventError if the value breaks the contract, and pydantic's ValidationError if the models
    cannot hold it. All of them are ValueErrors.
    """
    value = parse_json(event) if isinstance(event, (str, bytes, bytearray)) else event
    issues = find_issues(value)
    if issues:
        raise InvalidEventError(issues)
    kind = value.get("WIRE_NAME") if isinstance(value, dict) else None
    model = _MODELS.get(kind, UnknownEvent) if isinstance(kind, str) else UnknownEvent
    return cast(Event, model.model_validate(value, by_alias=True, by_name=False))


def encode_event(event: BaseModel) -> str:
    """Return the JSON text of an event or another model: the fields that were read or set, unknown ones too."""
    return json.dumps(event.model_dump(exclude_unset=True), separators=(",", ":"), allow_nan=False)


def parse_json(text: str | bytes | bytearray) -> Any:
    """Return the value of a JSON text. Unlike json.loads, it refuses NaN and Infinity."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("the JSON text is nested too deeply") from None
