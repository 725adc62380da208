/**
 * The parts of declarations in `stream.rules` of protocol.json. Each part has its JSON Schema and finds the names in its
 * values, so that lint can check that they exist. A function that is named by a noun, such as `eventType`, creates a part
 * of this kind, so that a declaration reads like a schema.
 */
import { isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { formatReference } from "../schema/reference.js";

/** The kind of thing that a name in protocol.json must refer to. */
export type MentionTarget =
  | { readonly kind: "type" | "typeOrFamily" | "envelope" }
  /** A payload field of each of these event types and of a type of each family, or of at least one of all these types. */
  | { readonly kind: "field" | "fieldOfSome"; readonly types: readonly string[] }
  /** A value of such a field; those of other event types do not matter. */
  | {
      readonly kind: "value";
      readonly types: readonly string[];
      readonly field: string;
      readonly value: Json;
    }
  | { readonly kind: "state"; readonly states: readonly string[] }
  /** The name of a resource, or of transitions in `stream.rules`. */
  | { readonly kind: "resource" | "transitions" };

/** A name in protocol.json that refers to something that is declared elsewhere. */
export interface Mention {
  /** JSON pointer of the name. */
  readonly pointer: string;
  readonly name: string;
  readonly target: MentionTarget;
}

/** Returns the names in a value of a part. `owners` are the objects that contain the value, the innermost first. */
type FindMentions = (value: Json, pointer: string, owners: readonly JsonObject[]) => readonly Mention[];

/** One part of a declaration. */
export interface DeclarationPart {
  readonly schema: JsonObject;
  /** Finds the names in a value of the part. Absent if the values contain no names. */
  readonly findMentions?: FindMentions;
}

/** Returns the mention of a name at `pointer`, or the mentions of a list of names. */
export function collectMentions(value: Json | undefined, pointer: string, target: MentionTarget): Mention[] {
  if (Array.isArray(value))
    return value.flatMap((each, index) => collectMentions(each, joinPointer(pointer, index), target));
  return typeof value === "string" ? [{ pointer, name: value, target }] : [];
}

/** Returns the mentions of payload fields of event types, and of the values that they must have. */
export function collectValueMentions(
  values: object | undefined,
  pointer: string,
  types: readonly string[],
): Mention[] {
  return Object.entries(values ?? {}).flatMap(([field, value]: [string, Json]): Mention[] => {
    const at = joinPointer(pointer, field);
    return [
      { pointer: at, name: field, target: { kind: "field", types } },
      { pointer: at, name: String(value), target: { kind: "value", types, field, value } },
    ];
  });
}

/** Creates a part with a description; `members` are those of the declaration whose event types the part is about. */
type CreatePart = (description: string, ...members: readonly string[]) => DeclarationPart;

/** Returns what names refer to. `types` are the event types in some members of the owners. */
type CreateTarget = (types: readonly string[]) => MentionTarget;

/** Returns a function that creates parts for a name or a list of names; without a target, for names that are declared here. */
function createNamePart(definition: "name" | "names", createTarget?: CreateTarget): CreatePart {
  return (description, ...members) => ({
    schema: { $ref: formatReference(definition), description },
    ...(createTarget && { findMentions: createFinder(createTarget, members) }),
  });
}

function createFinder(createTarget: CreateTarget, members: readonly string[]): FindMentions {
  return (value, pointer, owners) =>
    collectMentions(value, pointer, createTarget(listOwnerTypes(owners, members)));
}

const targetType: CreateTarget = () => ({ kind: "type" });
const targetTypeOrFamily: CreateTarget = () => ({ kind: "typeOrFamily" });
const targetEnvelope: CreateTarget = () => ({ kind: "envelope" });
const targetField: CreateTarget = (types) => ({ kind: "field", types });
const targetFieldOfSome: CreateTarget = (types) => ({ kind: "fieldOfSome", types });

/** Creates a part for a name that is not declared anywhere else. */
export const label = createNamePart("name");
/** Creates a part for a list of such names. */
export const labels = createNamePart("names");
/** Creates a part for the name of an event type. */
export const eventType = createNamePart("name", targetType);
/** Creates a part for a list of event types. */
export const eventTypes = createNamePart("names", targetType);
/** Creates a part for a list of event types and families of event types, such as `tool.*`. */
export const eventTypesAndFamilies = createNamePart("names", targetTypeOrFamily);
/** Creates a part for a payload field that every event type in these members of the declaration has. */
export const payloadField = createNamePart("name", targetField);
/** Creates a part for a list of such payload fields. */
export const payloadFields = createNamePart("names", targetField);
/** Creates a part for a payload field that at least one of the event types and families in these members has. */
export const payloadFieldOfSome = createNamePart("name", targetFieldOfSome);
/** Creates a part for an envelope field. */
export const envelopeField = createNamePart("name", targetEnvelope);

/** Returns the event types that are the values of `members` in the innermost of the owners that has each. */
function listOwnerTypes(owners: readonly JsonObject[], members: readonly string[]): string[] {
  return members
    .flatMap((member) => owners.find((owner) => Object.hasOwn(owner, member))?.[member])
    .filter((type) => typeof type === "string");
}

/** Creates a part for an object whose values are such payload fields. */
export function payloadFieldByName(description: string, ...members: readonly string[]): DeclarationPart {
  const findFieldMentions = createFinder(targetField, members);
  return {
    schema: { type: "object", description, additionalProperties: { $ref: formatReference("name") } },
    findMentions: (value, pointer, owners) =>
      listEntries(value).flatMap(([name, field]) =>
        findFieldMentions(field, joinPointer(pointer, name), owners),
      ),
  };
}

/** Creates a part for lists of event types, in an order. */
export function eventTypeLists(description: string): DeclarationPart {
  return {
    schema: { type: "array", description, minItems: 2, items: { $ref: formatReference("names") } },
    findMentions: createFinder(targetType, []),
  };
}

/** Creates a part for a condition, which is false by default. */
export function flag(description: string): DeclarationPart {
  return { schema: { type: "boolean", description } };
}

/** Creates a part for a whole number. */
export function wholeNumber(description: string): DeclarationPart {
  return { schema: { type: "integer", description } };
}

/** Creates a part for a list of texts. */
export function textList(description: string): DeclarationPart {
  return { schema: { type: "array", items: { type: "string" }, description } };
}

/**
 * Creates a part for payload fields and the values that they must have. The fields belong to the event types in
 * `members`, which is `type` by default.
 */
export function payloadValues(description: string, ...members: readonly string[]): DeclarationPart {
  const typeMembers = members.length === 0 ? ["type"] : members;
  return {
    schema: { type: "object", description, additionalProperties: { type: ["string", "number", "boolean"] } },
    findMentions: (value, pointer, owners) =>
      collectValueMentions(isObject(value) ? value : {}, pointer, listOwnerTypes(owners, typeMembers)),
  };
}

/** Creates a part for the values of envelope fields. */
export function envelopeValues(description: string): DeclarationPart {
  return {
    schema: { type: "object", description, additionalProperties: { type: "string" } },
    findMentions: (value, pointer) =>
      listEntries(value).flatMap(([field]) =>
        collectMentions(field, joinPointer(pointer, field), { kind: "envelope" }),
      ),
  };
}

function listEntries(value: Json): [string, Json][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Creates a part for an object with these members and no others. `keywords` are added to its schema. */
export function objectPart(
  { description, required, properties }: ObjectParts,
  keywords: JsonObject = {},
): DeclarationPart {
  const parts = Object.entries(properties);
  return {
    schema: {
      type: "object",
      ...(description !== undefined && { description }),
      required,
      additionalProperties: false,
      properties: Object.fromEntries(parts.map(([name, part]) => [name, part.schema])),
      ...keywords,
    },
    findMentions: (value, pointer, owners) =>
      parts.flatMap(([name, part]) => {
        if (!isObject(value) || value[name] === undefined) return [];
        return part.findMentions?.(value[name], joinPointer(pointer, name), [value, ...owners]) ?? [];
      }),
  };
}

interface ObjectParts {
  readonly description?: string;
  readonly required: readonly string[];
  readonly properties: { readonly [name: string]: DeclarationPart };
}

/** Creates a part for a list of objects. */
export function objectList(description: string, item: DeclarationPart): DeclarationPart {
  return {
    schema: { type: "array", description, items: item.schema },
    findMentions: (value, pointer, owners) =>
      Array.isArray(value)
        ? value.flatMap((each, index) => item.findMentions?.(each, joinPointer(pointer, index), owners) ?? [])
        : [],
  };
}

/** The member `profile`, which limits a declaration to writers. */
const PROFILE: DeclarationPart = { schema: { $ref: formatReference("profile") } };

/** The keyword of schemas and of stream rules with the documents, or other sources, that they follow. */
export const SOURCE_KEYWORD = "x-source";

/** The member with the documents, or other sources, that a declaration follows. The catalogue shows them. */
const SOURCES = labels("Where the rule comes from: document and section, or repository and revision.");

/** Creates the part for a member of `stream.rules`: one declaration, or a list of declarations. */
export function createMemberPart({ declaration, single }: RuleMember): DeclarationPart {
  const { description, required, hasProfile = true } = declaration;
  const properties = {
    ...declaration.properties,
    ...(hasProfile && { profile: PROFILE }),
    [SOURCE_KEYWORD]: SOURCES,
  };
  return single
    ? objectPart({ description, required, properties })
    : objectList(description, objectPart({ required, properties }));
}

interface RuleMember {
  readonly declaration: ObjectParts & { readonly description: string; readonly hasProfile?: boolean };
  readonly single?: true;
}
