/**
 * The parts of declarations in `stream.rules` of protocol.json. Each part has its JSON Schema and finds the names in its
 * values, so that lint can check that they exist.
 */
import { isObject, type Json, type JsonObject, join } from "../json.js";
import { referenceTo } from "../schema/reference.js";

/** A name in protocol.json, and what it must be the name of. */
export interface Mention {
  /** JSON pointer of the name. */
  readonly pointer: string;
  readonly name: string;
  readonly is:
    | { readonly kind: "type" | "envelope" }
    /** A payload field of each of these event types. */
    | { readonly kind: "field"; readonly types: readonly string[] }
    | { readonly kind: "state"; readonly states: readonly string[] };
}

/** Returns the names in a value of a part. `owners` are the objects that hold the value, the innermost first. */
type FindMentions = (value: Json, pointer: string, owners: readonly JsonObject[]) => readonly Mention[];

/** One part of a declaration. */
export interface DeclarationPart {
  readonly schema: JsonObject;
  /** Absent where the values hold no names. */
  readonly mentions?: FindMentions;
}

/** Returns the mention of a name, or those of a list of names, at `pointer`. */
export function mention(value: Json | undefined, pointer: string, is: Mention["is"]): Mention[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => mention(each, join(pointer, index), is));
  return typeof value === "string" ? [{ pointer, name: value, is }] : [];
}

/** A name that no other part of protocol.json declares. */
export function label(description: string): DeclarationPart {
  return { schema: { $ref: referenceTo("name"), description } };
}

/** A list of names that no other part of protocol.json declares. */
function labels(description: string): DeclarationPart {
  return { schema: { $ref: referenceTo("names"), description } };
}

const mentionTypes: FindMentions = (value, pointer) => mention(value, pointer, { kind: "type" });

/** The name of an event type. */
export function eventType(description: string): DeclarationPart {
  return { ...label(description), mentions: mentionTypes };
}

/** A list of event types. */
export function eventTypes(description: string): DeclarationPart {
  return { ...labels(description), mentions: mentionTypes };
}

/** Mentions payload fields of the event types that `members` of the owners name. */
function mentionFieldsOf(members: readonly string[]): FindMentions {
  return (value, pointer, owners) => {
    const named = members.map((member) => owners.find((owner) => Object.hasOwn(owner, member))?.[member]);
    const types = named.flat().filter((type) => typeof type === "string");
    return mention(value, pointer, { kind: "field", types });
  };
}

/** A payload field that every event type in these members of the declaration has. */
export function payloadField(description: string, ...members: readonly string[]): DeclarationPart {
  return { ...label(description), mentions: mentionFieldsOf(members) };
}

/** A list of such payload fields. */
export function payloadFields(description: string, ...members: readonly string[]): DeclarationPart {
  return { ...labels(description), mentions: mentionFieldsOf(members) };
}

/** For some names, a payload field that every event type in these members of the declaration has. */
export function payloadFieldByName(description: string, ...members: readonly string[]): DeclarationPart {
  const mentionField = mentionFieldsOf(members);
  return {
    schema: { type: "object", description, additionalProperties: { $ref: referenceTo("name") } },
    mentions: (value, pointer, owners) =>
      entriesOf(value).flatMap(([name, field]) => mentionField(field, join(pointer, name), owners)),
  };
}

const mentionEnvelope: FindMentions = (value, pointer) => mention(value, pointer, { kind: "envelope" });

/** An envelope field. */
export function envelopeField(description: string): DeclarationPart {
  return { ...label(description), mentions: mentionEnvelope };
}

/** Lists of event types, in an order. */
export function eventTypeLists(description: string): DeclarationPart {
  return {
    schema: { type: "array", description, minItems: 2, items: { $ref: referenceTo("names") } },
    mentions: (value, pointer) => mention(value, pointer, { kind: "type" }),
  };
}

/** A condition that is off unless it is `true`. */
export function flag(description: string): DeclarationPart {
  return { schema: { type: "boolean", description } };
}

/** A list of texts. */
export function textList(description: string): DeclarationPart {
  return { schema: { type: "array", items: { type: "string" }, description } };
}

/** Payload fields of the event types in these members (`type` by default), and the values that they must have. */
export function payloadValues(description: string, ...members: readonly string[]): DeclarationPart {
  const mentionFields = mentionFieldsOf(members.length === 0 ? ["type"] : members);
  return {
    schema: { type: "object", description, additionalProperties: { type: ["string", "number", "boolean"] } },
    mentions: (value, pointer, owners) =>
      entriesOf(value).flatMap(([field]) => mentionFields(field, join(pointer, field), owners)),
  };
}

/** Envelope fields, and the values that they must have. */
export function envelopeValues(description: string): DeclarationPart {
  return {
    schema: { type: "object", description, additionalProperties: { type: "string" } },
    mentions: (value, pointer) =>
      entriesOf(value).flatMap(([field]) => mention(field, join(pointer, field), { kind: "envelope" })),
  };
}

function entriesOf(value: Json): [string, Json][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** An object with these parts and no others; `keywords` are added to its schema. */
export function objectPart(
  { description, required, properties }: ObjectParts,
  keywords: JsonObject = {},
): DeclarationPart {
  const parts = Object.entries(properties);
  return {
    schema: {
      type: "object",
      ...(description !== undefined && { description }),
      ...{ required, additionalProperties: false },
      properties: Object.fromEntries(parts.map(([name, part]) => [name, part.schema])),
      ...keywords,
    },
    mentions: (value, pointer, owners) =>
      parts.flatMap(([name, part]) => {
        const each = isObject(value) ? value[name] : undefined;
        if (each === undefined) return [];
        return part.mentions?.(each, join(pointer, name), [value as JsonObject, ...owners]) ?? [];
      }),
  };
}

interface ObjectParts {
  readonly description?: string;
  readonly required: readonly string[];
  readonly properties: { readonly [name: string]: DeclarationPart };
}

/** A list of objects. */
export function objectList(description: string, item: DeclarationPart): DeclarationPart {
  return {
    schema: { type: "array", description, items: item.schema },
    mentions: (value, pointer, owners) =>
      Array.isArray(value)
        ? value.flatMap((each, index) => item.mentions?.(each, join(pointer, index), owners) ?? [])
        : [],
  };
}

/** Limits a declaration to writers. */
const PROFILE: DeclarationPart = { schema: { $ref: referenceTo("profile") } };

/** Returns the value of a member of `stream.rules` as a part. */
export function memberPart({ declaration, single }: RuleMember): DeclarationPart {
  const { description, required, hasProfile = true } = declaration;
  const properties = { ...declaration.properties, ...(hasProfile && { profile: PROFILE }) };
  return single
    ? objectPart({ description, required, properties })
    : objectList(description, objectPart({ required, properties }));
}

interface RuleMember {
  readonly declaration: ObjectParts & { readonly description: string; readonly hasProfile?: boolean };
  readonly single?: true;
}
