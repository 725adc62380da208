/**
 * The parts of declarations in `stream.rules` of protocol.json. Each part has its JSON Schema and finds the names in its
 * values, so that lint can check that they exist.
 */
import { isObject, type Json, type JsonObject, join } from "../json.js";
import { referenceTo } from "../schema/reference.js";

/** What a name in protocol.json must refer to. */
export type MentionTarget =
  | { readonly kind: "type" | "envelope" }
  /** A payload field of each of these event types. */
  | { readonly kind: "field"; readonly types: readonly string[] }
  | { readonly kind: "state"; readonly states: readonly string[] };

/** A name in protocol.json that refers to something that is declared elsewhere. */
export interface Mention {
  /** JSON pointer of the name. */
  readonly pointer: string;
  readonly name: string;
  readonly target: MentionTarget;
}

/** Returns the names in a value of a part. `owners` are the objects that hold the value, the innermost first. */
type FindMentions = (value: Json, pointer: string, owners: readonly JsonObject[]) => readonly Mention[];

/** One part of a declaration. */
export interface DeclarationPart {
  readonly schema: JsonObject;
  /** Absent where the values hold no names. */
  readonly findMentions?: FindMentions;
}

/** Returns the mention of a name, or those of a list of names, at `pointer`. */
export function collectMentions(value: Json | undefined, pointer: string, target: MentionTarget): Mention[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => collectMentions(each, join(pointer, index), target));
  return typeof value === "string" ? [{ pointer, name: value, target }] : [];
}

/** A name that no other part of protocol.json declares. */
export function label(description: string): DeclarationPart {
  return { schema: { $ref: referenceTo("name"), description } };
}

/** A list of names that no other part of protocol.json declares. */
function labels(description: string): DeclarationPart {
  return { schema: { $ref: referenceTo("names"), description } };
}

const findTypeMentions: FindMentions = (value, pointer) => collectMentions(value, pointer, { kind: "type" });

/** The name of an event type. */
export function eventType(description: string): DeclarationPart {
  return { ...label(description), findMentions: findTypeMentions };
}

/** A list of event types. */
export function eventTypes(description: string): DeclarationPart {
  return { ...labels(description), findMentions: findTypeMentions };
}

/** Mentions payload fields of the event types that `members` of the owners name. */
function createFieldMentionFinder(members: readonly string[]): FindMentions {
  return (value, pointer, owners) => {
    const named = members.map((member) => owners.find((owner) => Object.hasOwn(owner, member))?.[member]);
    const types = named.flat().filter((type) => typeof type === "string");
    return collectMentions(value, pointer, { kind: "field", types });
  };
}

/** A payload field that every event type in these members of the declaration has. */
export function payloadField(description: string, ...members: readonly string[]): DeclarationPart {
  return { ...label(description), findMentions: createFieldMentionFinder(members) };
}

/** A list of such payload fields. */
export function payloadFields(description: string, ...members: readonly string[]): DeclarationPart {
  return { ...labels(description), findMentions: createFieldMentionFinder(members) };
}

/** For some names, a payload field that every event type in these members of the declaration has. */
export function payloadFieldByName(description: string, ...members: readonly string[]): DeclarationPart {
  const findFieldMentions = createFieldMentionFinder(members);
  return {
    schema: { type: "object", description, additionalProperties: { $ref: referenceTo("name") } },
    findMentions: (value, pointer, owners) =>
      listEntries(value).flatMap(([name, field]) => findFieldMentions(field, join(pointer, name), owners)),
  };
}

const findEnvelopeMentions: FindMentions = (value, pointer) => collectMentions(value, pointer, { kind: "envelope" });

/** An envelope field. */
export function envelopeField(description: string): DeclarationPart {
  return { ...label(description), findMentions: findEnvelopeMentions };
}

/** A condition that is off unless it is `true`. */
export function flag(description: string): DeclarationPart {
  return { schema: { type: "boolean", description } };
}

/** A list of texts. */
export function textList(description: string): DeclarationPart {
  return { schema: { type: "array", items: { type: "string" }, description } };
}

/** Payload fields of the event type `type`, and the values that they must have. */
export function payloadValues(description: string): DeclarationPart {
  const findFieldMentions = createFieldMentionFinder(["type"]);
  return {
    schema: { type: "object", description, additionalProperties: { type: ["string", "number", "boolean"] } },
    findMentions: (value, pointer, owners) =>
      listEntries(value).flatMap(([field]) => findFieldMentions(field, join(pointer, field), owners)),
  };
}

/** Envelope fields, and the values that they must have. */
export function envelopeValues(description: string): DeclarationPart {
  return {
    schema: { type: "object", description, additionalProperties: { type: "string" } },
    findMentions: (value, pointer) =>
      listEntries(value).flatMap(([field]) => collectMentions(field, join(pointer, field), { kind: "envelope" })),
  };
}

function listEntries(value: Json): [string, Json][] {
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
    findMentions: (value, pointer, owners) =>
      parts.flatMap(([name, part]) => {
        const each = isObject(value) ? value[name] : undefined;
        if (each === undefined) return [];
        return part.findMentions?.(each, join(pointer, name), [value as JsonObject, ...owners]) ?? [];
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
    findMentions: (value, pointer, owners) =>
      Array.isArray(value)
        ? value.flatMap((each, index) => item.findMentions?.(each, join(pointer, index), owners) ?? [])
        : [],
  };
}

/** Limits a declaration to writers. */
const PROFILE: DeclarationPart = { schema: { $ref: referenceTo("profile") } };

/** Returns the value of a member of `stream.rules` as a part. */
export function createMemberPart({ declaration, single }: RuleMember): DeclarationPart {
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
