/**
 * Recognises external tagging: a message has one field, named after its event type, that holds the payload, as serde's enums,
 * the messages of Cucumber and a `oneof` of protobuf have. An envelope needs a field with the event type, so each message gets one.
 */
import {
  createObject,
  getMembers,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
  listItems,
} from "../json.js";
import { derivePossibleTypes } from "../schema/possible-types.js";
import { type Definitions, getTargetName } from "../schema/reference.js";
import type { Bundle } from "./bundle.js";
import { TYPE_FIELDS } from "./name-events.js";
import { formatLoss } from "./notes.js";
import { describeAddedTag } from "./tag-samples.js";
import { acceptsAnything, findListedScalars, isAnnotation, listAlternatives } from "./union.js";

/** A union whose messages have a field with the event type. */
interface TaggedUnion {
  readonly bundle: Bundle;
  readonly notes: readonly string[];
}

/** The message of one event type, before it has a field with the type. */
interface Variant {
  readonly tag: string;
  /** The message; undefined if it is only the tag, as a text. */
  readonly schema: JsonObject | undefined;
}

/** Variants, with what the original accepts beyond messages of one of them. */
interface Variants {
  readonly variants: readonly Variant[];
  readonly loss?: string;
}

/** Adds a field with the event type to the messages of an externally tagged union. Returns undefined for anything else. */
export function tagMessages(bundle: Bundle, isCompared: boolean): TaggedUnion | undefined {
  const found = listUnionVariants(bundle) ?? listFieldVariants(bundle, isCompared);
  const tags = found?.variants.map(({ tag }) => tag) ?? [];
  if (found === undefined || tags.length < 2 || new Set(tags).size < tags.length) return undefined;
  const fields = new Set(found.variants.flatMap(({ schema }) => Object.keys(getMembers(schema?.properties))));
  const field = TYPE_FIELDS.find((name) => !fields.has(name));
  if (field === undefined) return undefined;
  const alternatives = found.variants.map(({ tag, schema }) => ({
    ...(schema ?? { additionalProperties: false }),
    type: "object",
    properties: { [field]: { enum: [tag] }, ...getMembers(schema?.properties) },
    required: [field, ...listItems(schema?.required)],
  }));
  return {
    bundle: { ...bundle, schema: { oneOf: alternatives } },
    notes: [
      ...describeAddedTag(field, tags[0] ?? ""),
      ...(found.loss === undefined ? [] : [formatLoss(found.loss)]),
    ],
  };
}

/** Lists the variants of a union of objects with one field of their own, and of texts. */
function listUnionVariants({ schema, definitions }: Bundle): Variants | undefined {
  const alternatives = listAlternatives(schema, definitions);
  const schemas = alternatives.map((alternative) => resolve(alternative.schema, definitions));
  if (schemas.length < 2) return undefined;
  const units = schemas.flatMap(listUnits);
  const objects = schemas.filter((each) => listUnits(each).length === 0);
  if (!objects.every(isPlainObject)) return undefined;
  const fieldNames = objects.map(listPossibleFields);
  const [first, ...others] = fieldNames;
  const common = new Set(
    others.length === 0 ? [] : first?.filter((name) => others.every((names) => names.includes(name))),
  );
  // Names of definitions say more about messages than their fields, unless each message can have one field only, an object.
  const isNamed = alternatives.some(({ names }) => names.length > 0);
  if (isNamed && !objects.every((each) => holdsOneObject(each, definitions))) return undefined;
  // A field with other values in other messages is a discriminator.
  const listed = objects.map((each) => findListedScalars(each, definitions));
  const isDiscriminator = (name: string): boolean =>
    listed.every((values) => values.has(name)) &&
    new Set(listed.map((values) => values.get(name)?.join())).size > 1;
  if ([...common].some(isDiscriminator)) return undefined;
  const variants = objects.map((each, i): Variant | undefined => {
    const [tag, ...rest] = fieldNames[i]?.filter((name) => !common.has(name)) ?? [];
    const isTag = tag !== undefined && rest.length === 0 && listItems(each.required).includes(tag);
    return isTag ? { tag, schema: each } : undefined;
  });
  if (variants.includes(undefined)) return undefined;
  return {
    variants: [
      ...variants.flatMap((variant) => variant ?? []),
      ...units.map((tag) => ({ tag, schema: undefined })),
    ],
    ...(units.length > 0 && {
      loss: `these messages are only a text, which no event can be; they became objects without a payload: ${units.join(", ")}`,
    }),
  };
}

/** Lists the variants of one object, each field of which is a variant, or each field that an alternative of it requires. */
function listFieldVariants({ schema, definitions }: Bundle, isCompared: boolean): Variants | undefined {
  const { oneOf, minProperties, maxProperties, ...object } = resolve(schema, definitions);
  if (!isPlainObject(object)) return undefined;
  const properties = getMembers(object.properties);
  const names = Object.keys(properties);
  const required = listItems(object.required);
  const choices = listItems(oneOf).map((branch) => {
    const [name, ...others] = isObject(branch) ? listItems(branch.required) : [];
    const isChoice = isObject(branch) && acceptsAnything(branch, ["required"]) && others.length === 0;
    return isChoice && typeof name === "string" && names.includes(name) ? name : undefined;
  });
  if (choices.includes(undefined) || choices.some((name) => required.includes(name ?? null)))
    return undefined;
  const isExplicit = choices.length > 0 || (minProperties === 1 && maxProperties === 1);
  const isObjectOnly = (name: string): boolean =>
    [...derivePossibleTypes(properties[name] ?? true, definitions)].every((type) => type === "object");
  const isImplicit = !isCompared && required.length === 0 && names.every(isObjectOnly);
  if (!isExplicit && !isImplicit) return undefined;
  const tags = choices.length > 0 ? choices.flatMap((name) => name ?? []) : names;
  const shared = Object.entries(properties).filter(([name]) => !tags.includes(name));
  return {
    variants: tags.map((tag) => ({
      tag,
      schema: {
        type: "object",
        ...(object.additionalProperties !== undefined && {
          additionalProperties: object.additionalProperties,
        }),
        properties: createObject([...shared, [tag, properties[tag] ?? true]]),
        required: [...required, tag],
      },
    })),
    ...(!isExplicit && {
      loss: "the original also accepts messages with none or several of these fields, which are no events",
    }),
  };
}

/** Follows references without other keywords. */
function resolve(schema: Json, definitions: Definitions, visited: readonly Json[] = []): JsonObject {
  if (!isObject(schema)) return {};
  const target = getOwn(definitions, getTargetName(schema) ?? "")?.schema;
  if (target === undefined || visited.includes(target) || !acceptsAnything(schema, ["$ref"])) return schema;
  return resolve(target, definitions, [...visited, target]);
}

/** Returns the texts that a schema lists if it accepts nothing else. */
function listUnits(schema: JsonObject): string[] {
  const values = schema.const === undefined ? listItems(schema.enum) : [schema.const];
  const isList = acceptsAnything(schema, ["type", "enum", "const"]);
  return isList && values.every((value) => typeof value === "string") ? values.map(String) : [];
}

/** Returns whether an object has exactly one field, which is an object. */
function holdsOneObject(schema: JsonObject, definitions: Definitions): boolean {
  const [name, ...others] = listPossibleFields(schema);
  const field = getMembers(schema.properties)[name ?? ""];
  if (field === undefined || others.length > 0 || schema.additionalProperties !== false) return false;
  return [...derivePossibleTypes(field, definitions)].every((type) => type === "object");
}

/** Lists the fields of an object, except optional ones that no value satisfies: types of TypeScript exclude other fields by them. */
function listPossibleFields({ properties, required }: JsonObject): string[] {
  return Object.entries(getMembers(properties)).flatMap(([name, field]) =>
    !isImpossible(field) || listItems(required).includes(name) ? [name] : [],
  );
}

/** Returns whether a schema says explicitly that no value satisfies it. */
function isImpossible(schema: Json): boolean {
  return schema === false || (isObject(schema) && isObject(schema.not) && acceptsAnything(schema.not));
}

/** Returns whether only the keywords of an object with listed fields restrict values. */
function isPlainObject(schema: JsonObject): boolean {
  return (
    schema.type === "object" &&
    isObject(schema.properties) &&
    Object.keys(schema).every((each) => isAnnotation(each) || OBJECT_KEYWORDS.has(each))
  );
}

const OBJECT_KEYWORDS = new Set(["type", "properties", "required", "additionalProperties"]);

/**
 * Returns the payloads of an externally tagged union as those of a keyed protocol: each is the object in the field that is
 * named after the event. Returns undefined if a message has other fields, or if a payload may be no object.
 */
export function keyPayloads<E extends KeyedEvent>(
  events: readonly E[],
  definitions: Definitions,
): E[] | undefined {
  const keyed = events.map((event): E | undefined => {
    const { properties, required, additionalProperties, type: _type, ...rest } = event.payload;
    const fields = Object.entries(getMembers(properties)).filter(([, field]) => !isImpossible(field));
    const isOpen = additionalProperties !== undefined && additionalProperties !== false;
    const [[name, field] = ["", true], ...others] = fields;
    if (isOpen || others.length > 0 || !acceptsAnything(rest)) return undefined;
    if (fields.length === 0) return { ...event, payload: rest };
    const types = [...derivePossibleTypes(field, definitions)];
    const isPayload = name === event.type && listItems(required).includes(name) && isObject(field);
    if (!isPayload || types.some((type) => type !== "object")) return undefined;
    return { ...event, payload: { ...rest, ...field }, payloadProperty: name };
  });
  return keyed.includes(undefined) ? undefined : keyed.flatMap((event) => event ?? []);
}

/** The parts of an event that decide where its payload is. */
interface KeyedEvent {
  readonly type: string;
  readonly payload: JsonObject;
  readonly payloadProperty?: string;
}
