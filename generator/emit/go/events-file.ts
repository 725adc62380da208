/** Formats `events.go`: the types of a protocol. `json.go` decodes and encodes them. */
import type { Protocol } from "../../protocol/protocol.js";
import type { DocText } from "../plan/doc.js";
import { createNameAssigner, splitWords } from "../plan/names.js";
import type {
  AliasPlan,
  ClassPlan,
  EventPlan,
  FieldPlan,
  NamingRules,
  ProtocolPlan,
  ValuePlan,
} from "../plan/plan.js";
import { findRecursiveNames } from "../plan/recursive-names.js";
import type { ListedValues } from "../plan/shape.js";
import { sortDeclarations } from "../plan/sort-declarations.js";
import { formatGoConstants, formatGoDoc, formatGoName, formatGoString, formatGoWords } from "./text.js";
import { formatField, formatType, type GoTypes } from "./types.js";

/** The exported names of every package, whatever the protocol holds. */
const TYPE_NAMES = splitWords(`
  DecodeError DecodeEvent Delivery DeliveryConflict DeliveryDuplicate DeliveryKind DeliveryLate
  DeliveryNew EncodeEvent Event EventReader EventType Finding Gap Issue NewStreamChecker Profile
  ProfileReader ProfileWriter StreamChecker StreamKey UnknownEvent
`);

/** How Go names types and fields. A field must not have the name of a method or of the embedded struct. */
export const NAMING: NamingRules = {
  envelope: "BaseEvent",
  formatTypeName: formatGoName,
  formatFieldName: formatGoName,
  reservedTypes: TYPE_NAMES,
  reservedFields: ["Extra", "MarshalJSON", "UnmarshalJSON"],
  reservedEventFields: ["Base", "BaseEvent", "EventType"],
  namesEnums: true,
};

/** The declarations that are formatted, and what their formatting needs. */
interface Printer extends GoTypes {
  /** Returns a name for a constant that no other declaration has. */
  readonly assignConstant: (name: string) => string;
  /** The names of the declared lists of texts. */
  readonly enums: Set<string>;
  readonly parts: string[];
}

/** An event type with the name of its constant. */
type NamedEvent = EventPlan & { readonly constant: string };

/** Returns the source of the file after its package clause. */
export function formatEventsFile({ envelope }: Protocol, plan: ProtocolPlan): string {
  const aliases = sortDeclarations(plan).filter((each) => "value" in each);
  const printer: Printer = {
    aliases: new Map(aliases.map(({ name, value }) => [name, value])),
    recursive: findRecursiveNames({ classes: plan.classes, aliases }),
    assignConstant: createNameAssigner([...TYPE_NAMES, NAMING.envelope, ...listTypeNames(plan)]),
    enums: new Set(),
    parts: [],
  };
  const events = plan.events.map((event) => ({
    ...event,
    constant: printer.assignConstant(`EventType${formatGoName(event.eventName)}`),
  }));
  addStruct(printer, plan.envelope, []);
  for (const event of events) addEvent(printer, event);
  addUnknownEvent(printer, plan);
  for (const each of plan.classes) {
    addStruct(printer, each, [EXTRA]);
    printer.parts.push(formatMethods(each.name));
  }
  for (const alias of aliases) addAlias(printer, alias);
  return [
    `const discriminator = ${formatGoString(envelope.discriminator)}`,
    formatEventTypes(events),
    EVENT,
    ...printer.parts,
    formatNewEvent(plan, events),
  ].join("\n\n");
}

/** Lists the names of all types that a plan declares. */
function listTypeNames({ envelope, unknownEventFields, events, classes, aliases }: ProtocolPlan): string[] {
  const values = [
    ...[envelope, ...events, ...classes].flatMap(({ fields }) => fields.map(({ value }) => value)),
    ...unknownEventFields.map(({ value }) => value),
    ...aliases.map(({ value }) => value),
  ];
  const enums = values.flatMap((value) => listEnums(value).map(({ name }) => name));
  return [...[...events, ...classes, ...aliases].map(({ name }) => name), ...enums];
}

/** Lists the lists of texts within a value that have a type of their own. */
function listEnums({ members }: ValuePlan): { readonly name: string; readonly listed: ListedValues }[] {
  // A value of several types is raw JSON.
  const [member, ...others] = members;
  if (member === undefined || others.length > 0) return [];
  if (member.kind === "list") return listEnums(member.items);
  if (member.kind === "map") return listEnums(member.values);
  if (!("listed" in member) || member.name === undefined || member.listed === undefined) return [];
  return [{ name: member.name, listed: member.listed }];
}

function formatEventTypes(events: readonly NamedEvent[]): string {
  const rows = events.map(({ constant, type }) => [constant, type.toWellFormed()] as const);
  return [
    "// EventType is the type of an event as it stands in its JSON text.",
    "type EventType string",
    ...(rows.length === 0 ? [] : ["", "// The event types of this version."]),
    ...formatGoConstants("EventType", rows),
  ].join("\n");
}

const EVENT = `// Event is an event: a pointer to one of the event types of this package, or an *UnknownEvent.
type Event interface {
	// EventType returns the type of the event.
	EventType() EventType

	// Base returns the fields that all events share.
	Base() *BaseEvent

	isEvent()
}

// Base returns the fields that all events share.
func (e *BaseEvent) Base() *BaseEvent {
	return e
}

func (*BaseEvent) isEvent() {}`;

const EXTRA = `	// Extra holds the fields that this version does not know.
	Extra map[string]json.RawMessage \`json:"-"\``;

/** Adds a struct. `others` are the texts of fields after the planned ones. */
function addStruct(
  printer: Printer,
  { name, doc, fields }: ClassPlan,
  others: readonly string[],
  first: readonly string[] = [],
): void {
  for (const { value } of fields) addEnums(printer, value);
  const blocks = [...first, ...fields.map((field) => formatStructField(printer, field)), ...others];
  // gofmt would align fields that no blank line separates.
  const body = blocks.length === 0 ? "struct{}" : `struct {\n${blocks.join("\n\n")}\n}`;
  printer.parts.push([...formatTypeDoc(name, doc), `type ${name} ${body}`].join("\n"));
}

function formatStructField(types: GoTypes, field: FieldPlan): string {
  const { text, deprecated } = field.doc;
  return [...formatGoDoc(text, "\t", deprecated), `\t${field.attribute} ${formatField(types, field)}`].join(
    "\n",
  );
}

function addEvent(printer: Printer, event: NamedEvent): void {
  const { name, constant, doc, type } = event;
  const text = `${name} is the event ${JSON.stringify(type)}. ${doc.text}`;
  addStruct(printer, { ...event, doc: { ...doc, text } }, [EXTRA], ["\tBaseEvent"]);
  printer.parts.push(
    `// EventType returns ${constant}.\nfunc (${name}) EventType() EventType {\n\treturn ${constant}\n}`,
    formatEventMethods(name),
  );
}

function addUnknownEvent(printer: Printer, { discriminator, unknownEventFields }: ProtocolPlan): void {
  const name = "UnknownEvent";
  const doc = {
    text: `${name} is an event of a type that this version does not know. All its fields are kept.`,
  };
  const type = `\t// ${discriminator} is the type of the event.\n\t${discriminator} EventType \`json:"-"\``;
  addStruct(
    printer,
    { name, doc, fields: unknownEventFields, others: undefined },
    [EXTRA],
    ["\tBaseEvent", type],
  );
  printer.parts.push(
    `// EventType returns the type of the event.\nfunc (e ${name}) EventType() EventType {\n\treturn e.${discriminator}\n}`,
    formatEventMethods(name),
  );
}

function formatEventMethods(name: string): string {
  return `// UnmarshalJSON decodes an event of this type.
func (e *${name}) UnmarshalJSON(data []byte) error {
	return decodeEvent(data, e)
}

// MarshalJSON encodes the event with all its fields.
func (e ${name}) MarshalJSON() ([]byte, error) {
	return EncodeEvent(&e)
}`;
}

function formatMethods(name: string): string {
  return `// UnmarshalJSON decodes the object. It keeps unknown fields.
func (o *${name}) UnmarshalJSON(data []byte) error {
	return decodeObject(data, o)
}

// MarshalJSON encodes the object with all its fields.
func (o ${name}) MarshalJSON() ([]byte, error) {
	return encodeObject(o)
}`;
}

function addAlias(printer: Printer, { name, doc, value }: AliasPlan): void {
  const [list] = listEnums(value);
  if (list?.name === name) {
    addEnum(printer, name, list.listed, doc);
    return;
  }
  addEnums(printer, value);
  printer.parts.push(
    [...formatTypeDoc(name, doc), `type ${name} = ${formatType(printer, value)}`].join("\n"),
  );
}

function addEnums(printer: Printer, value: ValuePlan): void {
  for (const { name, listed } of listEnums(value)) addEnum(printer, name, listed, { text: "" });
}

/** Adds a string type with a constant for each text, unless it is there. A closed list refuses other texts. */
function addEnum(
  printer: Printer,
  name: string,
  { values, isOpen }: ListedValues,
  { text, deprecated }: DocText,
): void {
  if (printer.enums.has(name)) return;
  printer.enums.add(name);
  const texts = values.filter((each) => typeof each === "string").map((each) => each.toWellFormed());
  const rows = [...new Set(texts)].map(
    (each) => [printer.assignConstant(`${name}${formatGoWords(each)}`), each] as const,
  );
  const known = isOpen ? `The known values of ${name}. There may be others.` : `The values of ${name}.`;
  const doc = {
    text: text === "" ? `${name} is a text with ${isOpen ? "known" : "listed"} values.` : text,
    deprecated,
  };
  const lines = [...formatTypeDoc(name, doc), `type ${name} string`, "", `// ${known}`];
  printer.parts.push([...lines, ...formatGoConstants(name, rows)].join("\n"));
  if (isOpen) return;
  const constants = rows.map(([constant]) => constant).join(",\n\t\t");
  printer.parts.push(`func (v ${name}) isListed() bool {
	switch v {
	case ${constants}:
		return true
	}
	return false
}`);
}

/** Formats the comment of a type as a sentence that begins with its name, as Go expects it. */
function formatTypeDoc(name: string, { text, deprecated }: DocText): string[] {
  const sentence = text.replace(/^(An?|The) /, (article) => `${name} is ${article.toLowerCase()}`);
  const isSentence = sentence === "" || sentence.startsWith(`${name} `);
  return formatGoDoc(isSentence ? sentence : `${name}: ${text}`, "", deprecated);
}

function formatNewEvent({ discriminator }: ProtocolPlan, events: readonly NamedEvent[]): string {
  const cases = events.map(({ name, constant }) => `\tcase ${constant}:\n\t\treturn new(${name})\n`);
  const choice = cases.length === 0 ? "" : `\tswitch eventType {\n${cases.join("")}\t}\n`;
  return `func newEvent(eventType EventType) Event {
${choice}	return &UnknownEvent{${discriminator}: eventType}
}

func (e *UnknownEvent) setType(eventType EventType) {
	e.${discriminator} = eventType
}`;
}
