/**
 * Makes changes of contracts, each with functions that turn old events into the corresponding new ones. Nothing here knows
 * lenses or the edits of their experiments.
 */
import { createObject, isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { EventType, Protocol } from "../../generator/protocol/protocol.js";
import { findTarget } from "../../generator/schema/reference.js";

type Event = { readonly [field: string]: Json };

/** Turns an event of the old contract into one of the new contract; undefined if it is not sent any longer. */
export type Carry = (event: Event) => Event | undefined;

/** A change of a contract. */
export interface ContractChange {
  /** The kind of the change: "remove", "rename". */
  readonly kind: string;
  readonly name: string;
  readonly type: string;
  /** True if the events of each type have the changed field. */
  readonly isOfEnvelope: boolean;
  readonly after: Protocol;
  /** Several functions, if a writer may replace what is gone in several ways. */
  readonly carries: readonly Carry[];
  /** True if the change reaches a consumer only if each of these functions makes a difference. */
  readonly isChosen?: boolean;
}

/** A field at the top of the payload of an event type, or of the envelope. */
interface FieldPlace {
  readonly protocol: Protocol;
  readonly event: EventType;
  readonly holder: "payload" | "envelope";
  readonly name: string;
  /** The schema of the field with the target of its reference. */
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Returns the protocol with one event type only. */
function selectEvent(protocol: Protocol, event: EventType): Protocol {
  return { ...protocol, events: [event] };
}

/** Returns a protocol of one event type with other schemas. */
function replaceSchema(
  { protocol, event, holder }: FieldPlace,
  edit: (schema: JsonObject) => JsonObject,
): Protocol {
  if (holder === "payload") return selectEvent(protocol, { ...event, payload: edit(event.payload) });
  const { envelope } = protocol;
  return { ...selectEvent(protocol, event), envelope: { ...envelope, schema: edit(envelope.schema) } };
}

/** Applies `edit` to a schema and to the schemas of the same object that it combines. */
function editObjectSchemas(schema: JsonObject, edit: (schema: JsonObject) => JsonObject): JsonObject {
  const inner = (value: Json): Json => (isObject(value) ? editObjectSchemas(value, edit) : value);
  const members = Object.entries(edit(schema)).map(([keyword, value]): [string, Json] => {
    if (["allOf", "anyOf", "oneOf"].includes(keyword) && Array.isArray(value))
      return [keyword, value.map(inner)];
    return [keyword, ["if", "then", "else", "not"].includes(keyword) ? inner(value) : value];
  });
  return createObject(members);
}

/** Gives a declared field another name, or removes it if there is none. */
function renameField(schema: JsonObject, from: string, to: string | undefined): JsonObject {
  return editObjectSchemas(schema, (part) => {
    const { properties, required } = part;
    const fields = isObject(properties)
      ? Object.entries(properties).flatMap(([name, value]): [string, Json][] => {
          if (name !== from) return [[name, value]];
          return to === undefined ? [] : [[to, value]];
        })
      : [];
    const names = Array.isArray(required)
      ? (required as string[]).flatMap((name) => (name === from ? (to ?? []) : name))
      : [];
    return {
      ...part,
      ...(isObject(properties) && { properties: createObject(fields) }),
      ...(Array.isArray(required) && { required: names }),
    };
  });
}

function setFieldSchema(schema: JsonObject, name: string, field: JsonObject): JsonObject {
  return { ...schema, properties: { ...(schema.properties as JsonObject), [name]: field } };
}

function makeOptional(schema: JsonObject, name: string): JsonObject {
  return editObjectSchemas(schema, (part) =>
    Array.isArray(part.required)
      ? { ...part, required: part.required.filter((each) => each !== name) }
      : part,
  );
}

/** Returns the object of an event that has the field. */
function findHolder({ protocol, event, holder }: FieldPlace, value: Event): Event | undefined {
  const { placement, property = "" } = protocol.envelope;
  if (holder === "envelope" || placement === "inline") return value;
  const object = value[placement === "nested" ? property : (event.payloadProperty ?? "")];
  return isObject(object) ? object : undefined;
}

/** Returns a function that edits the object with the field in events of the type, or in all events. */
function carryHolder(place: FieldPlace, edit: (holder: Event) => Event): Carry {
  const { protocol, event, holder } = place;
  const { placement, property = "", discriminator } = protocol.envelope;
  return (value) => {
    if (holder === "payload" && value[discriminator] !== event.type) return value;
    const object = findHolder(place, value);
    if (object === undefined) return value;
    if (holder === "envelope" || placement === "inline") return edit(value);
    return { ...value, [placement === "nested" ? property : (event.payloadProperty ?? "")]: edit(object) };
  };
}

/** Replaces the value of the field where it is there. */
function carryValue(place: FieldPlace, replace: (value: Json) => Json): Carry {
  return carryHolder(place, (holder) => {
    const value = holder[place.name];
    return value === undefined ? holder : { ...holder, [place.name]: replace(value) };
  });
}

/** Applies a change to some events only, because a writer may do so. */
function carrySome(carry: Carry): Carry {
  return (event) => {
    const { length } = JSON.stringify(event);
    return length % 2 === 0 ? carry(event) : event;
  };
}

function without(holder: Event, name: string): Event {
  const { [name]: _removed, ...rest } = holder;
  return rest;
}

/** The types to which a field is changed, with values of each. */
const RETYPES: readonly { readonly schema: JsonObject; readonly values: readonly Json[] }[] = [
  { schema: { type: "integer" }, values: [5, 0, -90_000] },
  { schema: { type: "string" }, values: ["five", "", "A long text. ".repeat(90)] },
  { schema: { type: "array", items: { type: "string" } }, values: [["five"], [], Array(200).fill("five")] },
  { schema: { type: "object", properties: { text: { type: "string" } } }, values: [{ text: "five" }, {}] },
];

/** Returns the values that the schema of a field lists, and the keyword. */
function findList(schema: JsonObject): { keyword: string; values: readonly Json[] } | undefined {
  for (const keyword of ["x-extensible-enum", "enum"])
    if (Array.isArray(schema[keyword])) return { keyword, values: schema[keyword] };
  return undefined;
}

/** Returns the changes of one field. */
function listFieldChanges(place: FieldPlace): ContractChange[] {
  const { event, name, holder, schema, isRequired } = place;
  const at = `${holder === "envelope" ? "envelope" : event.type}.${name}`;
  const create = (
    verb: string,
    edit: (schema: JsonObject) => JsonObject,
    carries: readonly Carry[],
  ): ContractChange => ({
    kind: verb.replace(/".*"/, "a value"),
    name: `${verb} ${at}`,
    type: event.type,
    isOfEnvelope: holder === "envelope",
    after: replaceSchema(place, edit),
    carries,
  });
  const drop = carryHolder(place, (value) => without(value, name));
  const newName = `new_${name}`;
  const changes = [
    create("remove", (each) => renameField(each, name, undefined), [drop]),
    create("rename", (each) => renameField(each, name, newName), [
      carryHolder(place, (value) => {
        const { [name]: member, ...rest } = value;
        return member === undefined ? value : { ...rest, [newName]: member };
      }),
    ]),
  ];
  if (isRequired)
    changes.push(create("make optional", (each) => makeOptional(each, name), [drop, carrySome(drop)]));
  for (const { schema: newSchema, values } of RETYPES) {
    if (newSchema.type === schema.type || findList(schema) !== undefined || schema.type === undefined)
      continue;
    changes.push(
      create(
        `retype to ${String(newSchema.type)}`,
        (each) => setFieldSchema(each, name, newSchema),
        values.map((value) => carryValue(place, () => value)),
      ),
    );
  }
  const setNull = carryValue(place, () => null);
  if (typeof schema.type === "string")
    changes.push(
      create(
        "allow null in",
        (each) => setFieldSchema(each, name, { ...schema, type: [schema.type as string, "null"] }),
        [setNull, carrySome(setNull)],
      ),
    );
  const list = findList(schema);
  for (const value of list?.values ?? []) {
    if (list === undefined || typeof value !== "string") continue;
    const rest = list.values.filter((each) => each !== value);
    const setList = (values: readonly Json[]) => (each: JsonObject) =>
      setFieldSchema(each, name, { ...schema, [list.keyword]: values });
    const replaceBy = (other: Json) => carryValue(place, (old) => (old === value ? other : old));
    // A consumer that shows a value like one that it does not know, or like each other one, does not depend on it.
    const others = list.keyword === "enum" ? rest : [...rest, `unheard-of ${value}`];
    if (rest.length > 0)
      changes.push({
        ...create(`remove "${value}" from`, setList(rest), others.map(replaceBy)),
        isChosen: true,
      });
    changes.push(
      create(`rename "${value}" in`, setList([...rest, `new_${value}`]), [replaceBy(`new_${value}`)]),
    );
  }
  if (
    schema.type === "string" &&
    list === undefined &&
    schema.maxLength === undefined &&
    schema.pattern === undefined
  )
    changes.push(
      create("limit the length of", (each) => setFieldSchema(each, name, { ...schema, maxLength: 3 }), [
        carryValue(place, (old) => [...String(old)].slice(0, 3).join("")),
        carryValue(place, () => ""),
      ]),
    );
  if (schema.type === "integer" && typeof schema.minimum === "number")
    changes.push(
      create("lower the minimum of", (each) => setFieldSchema(each, name, { ...schema, minimum: -100 }), [
        carryValue(place, () => -7),
        carrySome(carryValue(place, () => -100)),
      ]),
    );
  return changes;
}

/** Returns the changes of an event type itself: no longer sent, or under another name. */
function listTypeChanges(protocol: Protocol, event: EventType): ContractChange[] {
  const { discriminator } = protocol.envelope;
  const [other] = protocol.events.filter(({ type }) => type !== event.type);
  const rest = other === undefined ? [] : [other];
  const type = `new.${event.type}`;
  const isType = (value: Event): boolean => value[discriminator] === event.type;
  return [
    {
      kind: "remove a type",
      name: `remove ${event.type}`,
      type: event.type,
      isOfEnvelope: false,
      after: { ...protocol, events: rest },
      carries: [(value) => (isType(value) ? undefined : value)],
    },
    {
      kind: "rename a type",
      name: `rename ${event.type}`,
      type: event.type,
      isOfEnvelope: false,
      after: { ...protocol, events: [{ ...event, type, renamedFrom: event.type }, ...rest] },
      carries: [(value) => (isType(value) ? { ...value, [discriminator]: type } : value)],
    },
  ];
}

/** Returns the protocol before the changes of an event type: it has this type, and another one if the change needs it. */
export function selectBefore(protocol: Protocol, { type, after }: ContractChange): Protocol {
  const kept = new Set([type, ...after.events.map((event) => event.type)]);
  return { ...protocol, events: protocol.events.filter((event) => kept.has(event.type)) };
}

/** Returns every change of a protocol, in the order of its event types. The envelope changes with the first of them. */
export function listChanges(protocol: Protocol): readonly ContractChange[] {
  const { definitions, envelope, stream } = protocol;
  const listFields = (event: EventType, holder: FieldPlace["holder"]): FieldPlace[] => {
    const object = holder === "payload" ? event.payload : envelope.schema;
    const required = Array.isArray(object.required) ? object.required : [];
    return Object.entries(isObject(object.properties) ? object.properties : {}).flatMap(([name, value]) => {
      // What places and orders events has rules of its own.
      const isFrame = [envelope.discriminator, envelope.property].includes(name);
      if (!isObject(value) || (holder === "envelope" && isFrame)) return [];
      if (holder === "payload" && envelope.payloadFields.includes(name)) return [];
      const target = findTarget(value, definitions)?.schema;
      const { $ref: _reference, ...own } = value;
      const schema: JsonObject = { ...(isObject(target) ? target : {}), ...own };
      if (schema.$ref !== undefined || schema.allOf !== undefined) return [];
      return [{ protocol, event, holder, name, schema, isRequired: required.includes(name) }];
    });
  };
  const [first] = protocol.events;
  const streamFields = [...(stream?.key ?? []), stream?.id, stream?.sequence];
  const envelopeFields = first === undefined ? [] : listFields(first, "envelope");
  return [
    ...envelopeFields.filter(({ name }) => !streamFields.includes(name)).flatMap(listFieldChanges),
    ...protocol.events.flatMap((event) => [
      ...listFields(event, "payload").flatMap(listFieldChanges),
      ...listTypeChanges(protocol, event),
    ]),
  ];
}
