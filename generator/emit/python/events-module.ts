/** Formats `events.py`: the models and `decode_event`. */
import type { Protocol } from "../../protocol/protocol.js";
import { avoidNames, formatCapitalName, formatSnakeName, splitWords } from "../plan/names.js";
import type { AliasPlan, ClassPlan, EventPlan, FieldPlan, NamingRules, ProtocolPlan } from "../plan/plan.js";
import { sortDeclarations } from "../plan/sort-declarations.js";
import { readSourceFile, replaceRegion } from "../source-file.js";
import { formatDocstring, formatString } from "./text.js";
import { formatFieldType, formatValueType } from "./types.js";

/** The names that the modules of the package declare or import, whatever the protocol holds. */
const MODULE_NAMES = splitWords(`
  Annotated Any Literal TypeAlias TypeVar BaseModel BeforeValidator ConfigDict Discriminator Field
  Strict Tag T None True False Boolean Integer Number Omittable Event KnownEvent UnknownEvent
  EventReader Delivery Gap FirstArrival LateArrival Duplicate Conflict Invalid Finding Profile
  StreamChecker Issue InvalidEventError
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
  const source = readSourceFile("python/package/events.py")
    .replace("ATTRIBUTE", () => discriminator)
    .replaceAll('"WIRE_NAME"', () => typeField.wire);
  const models = [
    ...sortDeclarations(plan).map((each) =>
      "value" in each ? formatAlias(each) : formatClass(each, "_Model"),
    ),
    formatUnknownEvent(plan, typeField),
    ...events.map((event) => formatEvent(event, typeField)),
    formatUnion(events),
  ];
  return replaceRegion(source, "# region models", "# endregion", models.join("\n\n\n"));
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
