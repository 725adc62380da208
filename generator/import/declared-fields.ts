/** Whether the declared fields of an object describe it, so that writers can do without undeclared ones. */
import { isObject, type Json, type JsonObject } from "../json.js";
import type { Schema } from "../schema/json-schema.js";

/** The schema that a `$ref` names. */
type Find = (reference: string) => Schema;

/**
 * Whether `schema` lists the fields of its objects: each alternative declares some, and every field that one requires is
 * declared. One that declares none is a map or holds any content, so to close it would leave nothing to send.
 */
export function listsItsFields(schema: JsonObject, find: Find): boolean {
  return declares(schema, find, []) && requiresDeclared(schema, find);
}

/** Whether every object of the schema has declared fields, those of all alternatives included. */
function declares(schema: JsonObject, find: Find, seen: readonly Json[]): boolean {
  if (seen.includes(schema)) return false;
  const members = inAllOf(schema, find, new Set(seen));
  if (members.some((member) => fieldNames(member).length > 0 || hasPatterns(member))) return true;
  const unions = members.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(Array.isArray));
  return unions.some((branches) => {
    const objects = branches.filter(mayBeObject);
    return (
      objects.length > 0 &&
      objects.every((branch) => isObject(branch) && declares(branch, find, [...seen, ...members]))
    );
  });
}

/** Whether no field is required, and not more fields are, than the schema and its alternatives declare. */
function requiresDeclared(schema: JsonObject, find: Find): boolean {
  const members = inFamily(schema, find);
  if (members.some(hasPatterns)) return true;
  const declared = new Set(members.flatMap(fieldNames));
  const required = members.flatMap(({ required, dependentRequired }) => [
    ...(Array.isArray(required) ? required : []),
    ...(isObject(dependentRequired) ? Object.values(dependentRequired).flat() : []),
  ]);
  const least = Math.max(0, ...members.map(({ minProperties }) => Number(minProperties ?? 0)));
  return least <= declared.size && required.every((name) => declared.has(String(name)));
}

function fieldNames({ properties }: JsonObject): string[] {
  return isObject(properties) ? Object.keys(properties) : [];
}

function hasPatterns({ patternProperties }: JsonObject): boolean {
  return isObject(patternProperties) && Object.keys(patternProperties).length > 0;
}

function mayBeObject(schema: Json): boolean {
  if (!isObject(schema)) return schema === true;
  if (schema.type !== undefined && ![schema.type].flat().includes("object")) return false;
  const values = schema.const !== undefined ? [schema.const] : schema.enum;
  return !Array.isArray(values) || values.some(isObject);
}

/** The schema and what every value of it follows as well, by `$ref` and `allOf`. */
function inAllOf(schema: JsonObject, find: Find, seen: Set<Json>): JsonObject[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const target = typeof schema.$ref === "string" ? [find(schema.$ref)] : [];
  const parts: readonly Json[] = [...target, ...(Array.isArray(schema.allOf) ? schema.allOf : [])];
  return [schema, ...parts.filter(isObject).flatMap((part) => inAllOf(part, find, seen))];
}

/** The schema and all that values of it may follow as well: also alternatives and conditions that hold. */
function inFamily(schema: JsonObject, find: Find, seen: Set<Json> = new Set()): JsonObject[] {
  const own = inAllOf(schema, find, seen);
  const below = own.flatMap(({ anyOf, oneOf, then, else: otherwise, dependentSchemas }): readonly Json[] => [
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(Array.isArray(oneOf) ? oneOf : []),
    ...[then, otherwise].filter((each) => each !== undefined),
    ...(isObject(dependentSchemas) ? Object.values(dependentSchemas) : []),
  ]);
  return [...own, ...below.filter(isObject).flatMap((part) => inFamily(part, find, seen))];
}
