/** Closing an object for writers: once, around its whole family of in-place subschemas, never inside a branch. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { keywordsWhere } from "./keywords.js";
import type { FindSchema } from "./reference.js";
import { subschemas } from "./walk.js";

/** Keywords whose schemas apply to the same value for readers and writers. */
const SAME_VALUE = keywordsWhere(({ subject }, name) => subject === "same value" && name !== "x-writer");
/** Keywords that declare fields, or hold schemas that do by the name of another field. */
const DECLARING = keywordsWhere(({ subject }, name) => subject === "property" || name === "dependentSchemas");
const ABOUT_OBJECTS = [...DECLARING, ...SAME_VALUE, "required"];

/** Returns whether `schema` itself, references aside, says something about objects. */
export function describesObjects(schema: JsonObject): boolean {
  return ABOUT_OBJECTS.some((keyword) => Object.hasOwn(schema, keyword));
}

/** Returns whether `schema` describes objects in a way that leaves undeclared fields to be refused. */
export function closes(schema: JsonObject, find: FindSchema): boolean {
  if (schema.$ref !== undefined && !describesObjects(schema)) return false;
  if (Object.hasOwn(schema, "additionalProperties") || Object.hasOwn(schema, "unevaluatedProperties"))
    return false;
  if (Object.hasOwn(schema, "const") || Object.hasOwn(schema, "enum")) return false;
  if (schema.type !== undefined) return [schema.type].flat().includes("object" as never);
  return family(schema, find).some(
    (member) => Object.hasOwn(member, "properties") || Object.hasOwn(member, "required"),
  );
}

/** Closes `schema`: by `additionalProperties` if all its fields stand in one place, otherwise by `unevaluatedProperties`. */
export function closeWith(schema: JsonObject, find: FindSchema): JsonObject {
  const own = isObject(schema.properties) ? schema.properties : {};
  const others = family(schema, find).slice(1);
  const plain = others.every(
    (member) =>
      member.$ref === undefined &&
      [...DECLARING].every((keyword) => keyword === "properties" || !Object.hasOwn(member, keyword)) &&
      (!isObject(member.properties) ||
        Object.keys(member.properties).every((name) => Object.hasOwn(own, name))),
  );
  const simple = plain && schema.$ref === undefined && schema.dependentSchemas === undefined;
  return { ...schema, [simple ? "additionalProperties" : "unevaluatedProperties"]: false };
}

/** Returns `schema` and every schema that applies to the same value through it. Each reference is followed once. */
function family(schema: JsonObject, find: FindSchema, seen: Set<Json> = new Set()): JsonObject[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const next = subschemas(schema).flatMap((sub) => (SAME_VALUE.has(sub.keyword) ? [sub.schema] : []));
  if (typeof schema.$ref === "string") next.push(find(schema.$ref));
  return [schema, ...next.filter(isObject).flatMap((member) => family(member, find, seen))];
}
