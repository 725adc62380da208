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
  return collectFamily(schema, find).some(
    (member) => Object.hasOwn(member, "properties") || Object.hasOwn(member, "required"),
  );
}

/** Closes `schema`. Uses `additionalProperties` if one schema declares all its fields, otherwise `unevaluatedProperties`. */
export function closeObject(schema: JsonObject, find: FindSchema): JsonObject {
  const ownProperties = isObject(schema.properties) ? schema.properties : {};
  const declaresAllFields =
    schema.$ref === undefined &&
    schema.dependentSchemas === undefined &&
    collectFamily(schema, find)
      .slice(1)
      .every((member) => declaresNoOtherFields(member, ownProperties));
  return { ...schema, [declaresAllFields ? "additionalProperties" : "unevaluatedProperties"]: false };
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

/** Returns `schema` and every schema that applies to the same value through it. Each reference is followed once. */
function collectFamily(schema: JsonObject, find: FindSchema, seen: Set<Json> = new Set()): JsonObject[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const next = listSubschemas(schema).flatMap((sub) =>
    SAME_VALUE_KEYWORDS.has(sub.keyword) ? [sub.schema] : [],
  );
  if (typeof schema.$ref === "string") next.push(find(schema.$ref));
  return [schema, ...next.filter(isObject).flatMap((member) => collectFamily(member, find, seen))];
}
