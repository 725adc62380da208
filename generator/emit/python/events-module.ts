/** Formats `events.py`: the models and `decode_event`. */
import type { Protocol } from "../../protocol/protocol.js";
import { avoidNames, formatCapitalName, formatSnakeName, splitWords } from "../plan/names.js";
import type { AliasPlan, ClassPlan, EventPlan, FieldPlan, NamingRules, ProtocolPlan } from "../plan/plan.js";
import { sortDeclarations } from "../plan/sort-declarations.js";
import { formatDocstring, formatString } from "./text.js";
import { formatFieldType, formatValueType } from "./types.js";

/** The names that the modules of the package declare or import, whatever the protocol holds. */
const MODULE_NAMES = splitWords(`
  Annotated Any Literal TypeAlias TypeVar BaseModel BeforeValidator ConfigDict Discriminator Field
  Strict Tag T None True False Boolean Integer Number Omittable Event KnownEvent UnknownEvent
  EventReader Delivery Gap FirstArrival LateArrival Duplicate Conflict Invalid Finding Profile
  StreamChecker
`);

/** Keywords, attributes of pydantic's BaseModel, and the types that annotations name in lowercase letters. */
const FIELD_NAMES = splitWords(`
  and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield str list dict construct
  copy from_orm json parse_file parse_obj parse_raw schema schema_json update_forward_refs validate
  model_computed_fields model_config model_construct model_copy model_dump model_dump_json model_extra
  model_fields model_fields_set model_json_schema model_parametrized_name model_post_init
  model_rebuild model_validate model_validate_json model_validate_strings
`);

/** The class of the fields that all events share. */
const BASE = "BaseEvent";

/** How Python names types and fields. */
export const NAMING: NamingRules = {
  envelope: BASE,
  formatTypeName: formatCapitalName,
  formatFieldName: avoidNames(FIELD_NAMES, formatSnakeName),
  reservedTypes: MODULE_NAMES,
  reservedFields: FIELD_NAMES,
};

/** Returns the source of the module. Classes and aliases stand after those that they refer to, where that is possible. */
export function formatEventsModule({ envelope }: Protocol, plan: ProtocolPlan): string {
  const { discriminator, events } = plan;
  const typeField = { wire: formatString(envelope.discriminator), attribute: discriminator };
  const parts = [
    formatPrelude(typeField),
    ...sortDeclarations(plan).map((each) =>
      "value" in each ? formatAlias(each) : formatClass(each, "_Model"),
    ),
    formatUnknownEvent(plan, typeField),
    ...events.map((event) => formatEvent(event, typeField)),
    formatUnion(events),
    formatDecoder(typeField),
  ];
  return `${parts.join("\n\n\n")}\n`;
}

function formatPrelude({ wire, attribute }: TypeField): string {
  return `"""The events of this protocol as pydantic models."""

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


def _read_number(value: Any) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) != float("inf"):
        return value
    raise ValueError("must be a number")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _select_tag(value: Any) -> str:
    kind = value.get(${wire}) if isinstance(value, dict) else getattr(value, "${attribute}", None)
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
    )`;
}

/** The field with the event's type. */
interface TypeField {
  /** Its name in JSON, as a literal. */
  readonly wire: string;
  readonly attribute: string;
}

function formatClass(
  { name, doc, fields, others }: ClassPlan,
  base: string,
  typeLines: string[] = [],
): string {
  const extra =
    others === undefined
      ? []
      : [
          `    __pydantic_extra__: dict[str, ${formatValueType(others)}] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]`,
        ];
  return [
    `class ${name}(${base}, frozen=True):`,
    formatDocstring(doc, "    "),
    ...[extra, typeLines, ...fields.map(formatField)]
      .filter((lines) => lines.length > 0)
      .map((lines) => `\n${lines.join("\n")}`),
  ].join("\n");
}

function formatField(field: FieldPlan): string[] {
  const { name, attribute, isRequired, doc } = field;
  const alias =
    name === attribute
      ? []
      : [`validation_alias=${formatString(name)}`, `serialization_alias=${formatString(name)}`];
  const line = `    ${attribute}: ${formatFieldType(field)}${formatDefault(isRequired, alias)}`;
  return doc.text === "" && doc.deprecated === undefined ? [line] : [line, formatDocstring(doc, "    ")];
}

function formatDefault(isRequired: boolean, alias: readonly string[]): string {
  if (alias.length === 0) return isRequired ? "" : " = None";
  return ` = Field(${[...(isRequired ? [] : ["default=None"]), ...alias].join(", ")})`;
}

function formatTypeField({ wire, attribute }: TypeField, type: string): string[] {
  const alias =
    wire === formatString(attribute) ? "" : ` = Field(validation_alias=${wire}, serialization_alias=${wire})`;
  return [`    ${attribute}: ${type}${alias}`];
}

function formatEvent(event: EventPlan, typeField: TypeField): string {
  return formatClass(event, BASE, formatTypeField(typeField, `Literal[${formatString(event.type)}]`));
}

function formatUnknownEvent({ unknownEventFields }: ProtocolPlan, typeField: TypeField): string {
  const text = "An event of a type that this version does not know. All its fields are kept.";
  const plan = { name: "UnknownEvent", doc: { text }, fields: unknownEventFields, others: undefined };
  return formatClass(plan, BASE, formatTypeField(typeField, "str"));
}

function formatAlias({ name, doc, value }: AliasPlan): string {
  return `${name}: TypeAlias = ${formatValueType(value)}\n${formatDocstring(doc, "")}`;
}

function formatUnion(events: readonly EventPlan[]): string {
  const names = events.map(({ name }) => name);
  const known = names.length === 0 ? ["UnknownEvent"] : names;
  const members = [
    ...events.map(({ name, type }) => `Annotated[${name}, Tag(${formatString(type)})]`),
    'Annotated[UnknownEvent, Tag("")]',
  ];
  return `KnownEvent: TypeAlias = (
    ${known.join("\n    | ")}
)
"""An event of a type that this version knows."""

Event: TypeAlias = Annotated[
    ${members.join("\n    | ")},
    Discriminator(_select_tag),
]
"""Any event. Use it as the type of a field or with pydantic's TypeAdapter."""

_MODELS: dict[str, type[${BASE}]] = {
${events.map(({ name, type }) => `    ${formatString(type)}: ${name},\n`).join("")}}`;
}

function formatDecoder({ wire }: TypeField): string {
  return `def decode_event(event: str | bytes | bytearray | dict[str, Any]) -> Event:
    """Decode one event, from JSON text or from the value that it holds.

    An event of a type that this version does not know becomes an UnknownEvent. Raises ValueError if the text
    is not JSON, and pydantic's ValidationError, which is a ValueError, if the value is not an event.
    """
    value = parse_json(event) if isinstance(event, (str, bytes, bytearray)) else event
    kind = value.get(${wire}) if isinstance(value, dict) else None
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
        raise ValueError("the JSON text is nested too deeply") from None`;
}
