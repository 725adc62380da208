/** Plans the types of a protocol for typed languages: classes with fields, aliases, and the values that they hold. */
import { areEqual, formatCanonicalJson, getOwn, isObject, type Json } from "../../json.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import {
  deriveEventName,
  derivePayloadName,
  deriveResourceName,
  getEventName,
  toPascalCase,
} from "../../protocol/names.js";
import type { Envelope, EventType, Protocol } from "../../protocol/protocol.js";
import { splitAlternatives } from "../../schema/alternatives.js";
import { findFixedText } from "../../schema/merge.js";
import { createDoc, createEventDoc, type DocText } from "./doc.js";
import { createNameAssigner } from "./names.js";
import { type Bounds, describeShape, type ListedValues, type Shape, type ShapeField } from "./shape.js";

/** The rules of a language for the names of types and fields. */
export interface NamingRules {
  /** The name of the type with the fields that all events share. */
  readonly envelope: string;
  /** Returns the name of a type for a name in PascalCase. */
  readonly formatTypeName: (name: string) => string;
  readonly formatFieldName: (name: string) => string;
  readonly reservedTypes: readonly string[];
  /** True if a list of texts is a type of its own. */
  readonly namesEnums?: boolean;
  /** Names that no field has. */
  readonly reservedFields: readonly string[];
  /** Names that are also reserved in the classes of events. */
  readonly reservedEventFields?: readonly string[];
}

/** The type of values other than null. */
export type MemberPlan =
  | { readonly kind: "any" }
  | { readonly kind: "object"; readonly name: string }
  | { readonly kind: "reference"; readonly name: string }
  | { readonly kind: "map"; readonly values: ValuePlan }
  | { readonly kind: "list"; readonly items: ValuePlan; readonly bounds: Bounds }
  | {
      readonly kind: "string" | "integer" | "number" | "boolean";
      readonly listed: ListedValues | undefined;
      readonly bounds: Bounds;
      /** The name of a list of texts, in languages where it is a type of its own. */
      readonly name?: string;
    };

/** The type of a value: one of several members, or null. */
export interface ValuePlan {
  readonly isNullable: boolean;
  readonly members: readonly MemberPlan[];
}

/** A field of a class. */
export interface FieldPlan {
  /** Its name in JSON. */
  readonly name: string;
  /** Its name in the language. */
  readonly attribute: string;
  readonly value: ValuePlan;
  readonly isRequired: boolean;
  readonly doc: DocText;
}

/** A class: an object with named fields. */
export interface ClassPlan {
  readonly name: string;
  readonly doc: DocText;
  readonly fields: readonly FieldPlan[];
  /** The type of undeclared fields; undefined if any value is allowed. */
  readonly others: ValuePlan | undefined;
}

/** The type of an event: the fields that it has in addition to those that all events share. */
export interface EventPlan extends ClassPlan {
  readonly type: string;
  /** The name of the event type in generated code, from which `name` is formed. */
  readonly eventName: string;
}

/** A definition that is not a class. If its value is a list of texts of the same name, it declares that list. */
export interface AliasPlan {
  readonly name: string;
  readonly doc: DocText;
  readonly value: ValuePlan;
}

/** The types of a protocol. Names of types are unique, and names of fields within their class. */
export interface ProtocolPlan {
  /** The fields that all events share, apart from the one with the type. */
  readonly envelope: ClassPlan;
  /** The name of the field with the event's type, in the language. */
  readonly discriminator: string;
  /** The fields of the envelope that each event type declares itself. Events of unknown types have them as they are here. */
  readonly unknownEventFields: readonly FieldPlan[];
  readonly events: readonly EventPlan[];
  /** Payloads, resources, definitions and objects within them. */
  readonly classes: readonly ClassPlan[];
  readonly aliases: readonly AliasPlan[];
}

/** The state of planning. */
interface Planner {
  readonly protocol: Protocol;
  readonly naming: NamingRules;
  readonly assignTypeName: (name: string) => string;
  /** The type name of each definition. */
  readonly definitionNames: ReadonlyMap<string, string>;
  readonly classes: ClassPlan[];
  /** The schemas that are being planned, as texts. A schema within itself has no type of its own. */
  readonly activeSchemas: Set<string>;
}

const ANY: ValuePlan = { isNullable: true, members: [{ kind: "any" }] };

/** Plans the types of `protocol` with the names of a language. */
export function planProtocol(protocol: Protocol, naming: NamingRules): ProtocolPlan {
  const { events, definitions, resources } = protocol;
  const assign = createNameAssigner([naming.envelope, ...naming.reservedTypes]);
  const assignTypeName = (name: string): string => assign(naming.formatTypeName(name));
  const eventNames = events.map((event) => ({
    name: assignTypeName(deriveEventName(event)),
    payloadName: assignTypeName(derivePayloadName(event)),
  }));
  const definitionNames = new Map(
    Object.keys(definitions)
      .sort()
      .map((name) => [name, assignTypeName(toPascalCase(name))]),
  );
  const activeSchemas = new Set<string>();
  const planner = { protocol, naming, assignTypeName, definitionNames, classes: [], activeSchemas };
  const envelope = planEnvelope(planner);
  const plans = events.map((event, index) => planEvent(planner, envelope, event, eventNames[index]));
  for (const { name, schema } of resources) {
    const shape = describeShape(schema, definitions);
    planClass(planner, assignTypeName(deriveResourceName(name)), shape, createDoc(schema));
  }
  const aliases = [...definitionNames].flatMap(([name, type]) => planDefinition(planner, name, type));
  return { ...envelope, events: plans, classes: planner.classes, aliases };
}

/** Plans the fields of the envelope. Those that payloads declare as well belong to the event types. */
function planEnvelope(
  planner: Planner,
): Pick<ProtocolPlan, "envelope" | "discriminator" | "unknownEventFields"> {
  const { schema, discriminator } = planner.protocol.envelope;
  const name = planner.naming.envelope;
  const ownFields = collectOwnFields(planner.protocol);
  const reservedNames = planner.naming.reservedEventFields ?? [];
  const fields = planFields(
    planner,
    name,
    describeShape(schema, planner.protocol.definitions),
    reservedNames,
  );
  const otherFields = fields.filter((field) => field.name !== discriminator);
  return {
    envelope: {
      name,
      doc: createDoc(schema),
      fields: otherFields.filter((field) => !ownFields.has(field.name)),
      others: undefined,
    },
    discriminator: fields.find((field) => field.name === discriminator)?.attribute ?? discriminator,
    unknownEventFields: otherFields.filter((field) => ownFields.has(field.name)),
  };
}

/** Returns the names of the fields that events declare on the level of the envelope. */
function collectOwnFields({ envelope, events, definitions }: Protocol): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) => {
      if (envelope.placement === "inline")
        return describeShape(event.payload, definitions).fields.map(({ name }) => name);
      return findPayloadCarrier(envelope, event) ?? [];
    }),
  );
}

function planEvent(
  planner: Planner,
  { envelope, discriminator }: Pick<ProtocolPlan, "envelope" | "discriminator">,
  event: EventType,
  { name, payloadName } = { name: "", payloadName: "" },
): EventPlan {
  const reservedNames = planner.naming.reservedEventFields ?? [];
  const takenNames = [...reservedNames, discriminator, ...envelope.fields.map(({ attribute }) => attribute)];
  const plan = { name, type: event.type, eventName: getEventName(event), doc: createEventDoc(event) };
  if (planner.protocol.envelope.placement === "inline") {
    const shape = describeShape(event.payload, planner.protocol.definitions);
    const fields = shape.fields.filter((field) => field.name !== planner.protocol.envelope.discriminator);
    const others = planOthers(planner, name, shape);
    return { ...plan, fields: planFields(planner, name, { ...shape, fields }, takenNames), others };
  }
  const payload = planPayloadField(planner, event, payloadName, takenNames);
  return { ...plan, fields: payload === undefined ? [] : [payload], others: undefined };
}

function planPayloadField(
  planner: Planner,
  event: EventType,
  payloadName: string,
  taken: readonly string[],
): FieldPlan | undefined {
  const { envelope } = planner.protocol;
  const property = findPayloadCarrier(envelope, event);
  if (property === undefined) return undefined;
  const shape = describeShape(event.payload, planner.protocol.definitions);
  planClass(planner, payloadName, shape, { text: `The payload of ${JSON.stringify(event.type)}.` });
  const attribute = createFieldAssigner(planner, taken)(property);
  const value: ValuePlan = { isNullable: false, members: [{ kind: "object", name: payloadName }] };
  return {
    name: property,
    attribute,
    value,
    isRequired: true,
    doc: createDoc(findFieldSchema(envelope, property)),
  };
}

function findFieldSchema({ schema }: Envelope, field: string): Json {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return getOwn(properties, field) ?? true;
}

/** Plans a definition: as a class if it describes an object with fields, otherwise as an alias. */
function planDefinition(planner: Planner, name: string, type: string): AliasPlan[] {
  const { definitions } = planner.protocol;
  const { schema = true } = getOwn(definitions, name) ?? {};
  const doc = createDoc(schema);
  if (isClass(planner, schema)) {
    planClass(planner, type, describeShape(schema, definitions), doc);
    return [];
  }
  return [{ name: type, doc, value: nameDefinedEnum(planValue(planner, `${type}Value`, schema), type) }];
}

/** Gives a list of texts the name of its definition. */
function nameDefinedEnum(value: ValuePlan, name: string): ValuePlan {
  const [member, ...others] = value.members;
  const isEnum =
    member !== undefined && others.length === 0 && "listed" in member && member.name !== undefined;
  return isEnum && !value.isNullable ? { ...value, members: [{ ...member, name }] } : value;
}

function isClass({ protocol: { definitions } }: Planner, schema: Json): boolean {
  const { definition, types, isNullable, fields } = describeShape(schema, definitions);
  const isObjectWithFields = types.join() === "object" && !isNullable && fields.length > 0;
  return (
    definition === undefined && isObjectWithFields && splitAlternatives(schema, definitions) === undefined
  );
}

function planClass(planner: Planner, name: string, shape: Shape, doc: DocText): void {
  // An empty class keeps the index, so that the class comes before the classes of its fields.
  const index = planner.classes.push({ name, doc, fields: [], others: undefined }) - 1;
  planner.classes[index] = {
    name,
    doc,
    fields: planFields(planner, name, shape, []),
    others: planOthers(planner, name, shape),
  };
}

function planOthers(planner: Planner, owner: string, { values }: Shape): ValuePlan | undefined {
  return isObject(values) ? planValue(planner, `${owner}Value`, values) : undefined;
}

function createFieldAssigner({ naming }: Planner, taken: readonly string[]): (name: string) => string {
  const assign = createNameAssigner([...naming.reservedFields, ...taken]);
  return (name) => assign(naming.formatFieldName(name));
}

function planFields(
  planner: Planner,
  owner: string,
  { fields }: Pick<Shape, "fields">,
  taken: readonly string[],
): FieldPlan[] {
  const assign = createFieldAssigner(planner, taken);
  return fields.map((field) => {
    const [schema = true] = field.schemas;
    return {
      name: field.name,
      attribute: assign(field.name),
      value: planValue(planner, `${owner}${toPascalCase(field.name)}`, mergeSchemas(field)),
      isRequired: field.required,
      doc: createDoc(schema),
    };
  });
}

/** Returns one schema for all that declare a field. */
function mergeSchemas({ schemas, isCertain }: ShapeField): Json {
  const [schema = true, ...others] = schemas;
  if (others.every((other) => areEqual(other, schema))) return schema;
  return isCertain ? { allOf: schemas } : { anyOf: schemas };
}

/** Plans the type of a value. Classes within it get names that begin with `hint`. */
function planValue(planner: Planner, hint: string, schema: Json): ValuePlan {
  const key = formatCanonicalJson(schema);
  if (planner.activeSchemas.has(key)) return ANY;
  planner.activeSchemas.add(key);
  const value = planSchema(planner, hint, schema);
  planner.activeSchemas.delete(key);
  return value;
}

function planSchema(planner: Planner, hint: string, schema: Json): ValuePlan {
  const { definitions } = planner.protocol;
  const alternatives = splitAlternatives(schema, definitions);
  if (alternatives !== undefined)
    return joinValues(
      alternatives.map((each) => planValue(planner, nameAlternative(planner, hint, each), each)),
    );
  const shape = describeShape(schema, definitions);
  const { isNullable } = shape;
  if (shape.definition !== undefined) {
    const name = planner.definitionNames.get(shape.definition);
    return { isNullable, members: [name === undefined ? { kind: "any" } : { kind: "reference", name }] };
  }
  // All types beside null are boolean, number (which includes integer), string, array and object.
  if (shape.types.length === 5) return { isNullable, members: [{ kind: "any" }] };
  return { isNullable, members: shape.types.map((type) => planMember(planner, hint, type, shape)) };
}

function planMember(planner: Planner, hint: string, type: string, shape: Shape): MemberPlan {
  const { bounds, listed } = shape;
  switch (type) {
    case "object":
      return planObject(planner, hint, shape);
    case "array":
      return { kind: "list", items: planValue(planner, `${hint}Item`, shape.items ?? true), bounds };
    case "string":
      return { kind: type, listed, bounds, ...nameEnum(planner, hint, listed) };
    case "integer":
    case "number":
    case "boolean":
      return { kind: type, listed, bounds };
    default:
      return { kind: "any" };
  }
}

function nameEnum(
  planner: Planner,
  hint: string,
  listed: ListedValues | undefined,
): { readonly name?: string } {
  const isNamed = planner.naming.namesEnums && listed !== undefined;
  return isNamed ? { name: planner.assignTypeName(hint) } : {};
}

function planObject(planner: Planner, hint: string, shape: Shape): MemberPlan {
  if (shape.fields.length === 0)
    return { kind: "map", values: planValue(planner, `${hint}Value`, shape.values ?? true) };
  const name = planner.assignTypeName(hint);
  planClass(planner, name, shape, { text: "An object within another type." });
  return { kind: "object", name };
}

/** Returns a name for an alternative: with the text that one of its fields must have, if there is one. */
function nameAlternative({ protocol: { definitions } }: Planner, hint: string, schema: Json): string {
  for (const { schemas } of describeShape(schema, definitions).fields)
    for (const field of schemas) {
      const text = findFixedText(field);
      if (text !== undefined) return `${hint}${toPascalCase(text)}`;
    }
  return hint;
}

function joinValues(values: readonly ValuePlan[]): ValuePlan {
  const members = values.flatMap((value) => value.members);
  const isNullable = values.some((value) => value.isNullable);
  if (members.some(({ kind }) => kind === "any")) return { isNullable, members: [{ kind: "any" }] };
  return { isNullable, members: [...new Map(members.map((each) => [JSON.stringify(each), each])).values()] };
}
