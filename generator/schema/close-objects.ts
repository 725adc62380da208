/** Closes objects for writers: each object once, around all schemas that apply to it, and never inside a branch. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { filterKeywords } from "./keywords.js";
import type { FindSchema } from "./reference.js";
import { listSubschemas } from "./walk.js";

/** Keywords whose schemas apply to the same value for readers and writers. */
const SAME_VALUE_KEYWORDS = filterKeywords(
  ({ subject }, name) => subject === "same value" && name !== "x-writer",
);
/** Keywords that declare fields, and `dependentSchemas`, whose schemas may declare fields. */
const DECLARING_KEYWORDS = filterKeywords(
  ({ subject }, name) => subject === "property" || name === "dependentSchemas",
);
const OBJECT_KEYWORDS = [...DECLARING_KEYWORDS, ...SAME_VALUE_KEYWORDS, "required"];

/** Returns whether `schema` has a keyword about objects, without following references. */
export function describesObjects(schema: JsonObject): boolean {
  return OBJECT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
}

/** Returns whether `schema` describes objects and does not state which undeclared fields it allows. */
export function canBeClosed(schema: JsonObject, find: FindSchema): boolean {
  if (schema.$ref !== undefined && !describesObjects(schema)) return false;
  if (Object.hasOwn(schema, "additionalProperties") || Object.hasOwn(schema, "unevaluatedProperties"))
    return false;
  if (Object.hasOwn(schema, "const") || Object.hasOwn(schema, "enum")) return false;
  if (schema.type !== undefined) return [schema.type].flat().includes("object" as never);
  for (const member of listFamily(schema, find))
    if (Object.hasOwn(member, "properties") || Object.hasOwn(member, "required")) return true;
  return false;
}

/** Closes `schema`. Uses `additionalProperties` if one schema declares all its fields, otherwise `unevaluatedProperties`. */
export function closeObject(schema: JsonObject, find: FindSchema): JsonObject {
  const keyword = declaresAllFields(schema, find) ? "additionalProperties" : "unevaluatedProperties";
  return { ...schema, [keyword]: false };
}

/** Returns whether `schema` itself declares all fields that the schemas of its family declare. */
function declaresAllFields(schema: JsonObject, find: FindSchema): boolean {
  if (schema.$ref !== undefined || schema.dependentSchemas !== undefined) return false;
  const ownProperties = isObject(schema.properties) ? schema.properties : {};
  for (const member of listFamily(schema, find))
    if (member !== schema && !declaresNoOtherFields(member, ownProperties)) return false;
  return true;
}

/** Returns whether `properties` has all fields that `schema` declares. */
function declaresNoOtherFields(schema: JsonObject, properties: JsonObject): boolean {
  const { properties: ownProperties, ...rest } = schema;
  if (schema.$ref !== undefined || Object.keys(rest).some((keyword) => DECLARING_KEYWORDS.has(keyword)))
    return false;
  return (
    !isObject(ownProperties) || Object.keys(ownProperties).every((name) => Object.hasOwn(properties, name))
  );
}

/** Yields `schema` and every schema that applies to the same value through it. Each reference is followed once. */
function* listFamily(schema: JsonObject, find: FindSchema): Generator<JsonObject> {
  const seen = new Set<Json>();
  const waiting: Json[] = [schema];
  for (let member = waiting.pop(); member !== undefined; member = waiting.pop()) {
    if (!isObject(member) || seen.has(member)) continue;
    seen.add(member);
    yield member;
    if (typeof member.$ref === "string") waiting.push(find(member.$ref));
    for (const sub of listSubschemas(member).reverse())
      if (SAME_VALUE_KEYWORDS.has(sub.keyword)) waiting.push(sub.schema);
  }
}
