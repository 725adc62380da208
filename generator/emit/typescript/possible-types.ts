/** The JSON types that values of a schema can have. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { type Definitions, targetOf } from "../../schema/reference.js";

/** Every JSON type; `number` includes integers. */
export const EVERY_TYPE: ReadonlySet<string> = new Set([
  "object",
  "array",
  "string",
  "number",
  "boolean",
  "null",
]);

/**
 * Returns the JSON types that `schema` allows under the reader reading, references followed. It may return more types
 * than values exist for, never fewer.
 */
export function possibleTypes(
  schema: Json,
  definitions: Definitions,
  seen: ReadonlySet<Json> = new Set(),
): ReadonlySet<string> {
  if (schema === false) return new Set();
  if (!isObject(schema) || seen.has(schema)) return EVERY_TYPE;
  const inside = new Set([...seen, schema]);
  const typesOf = (part: Json): ReadonlySet<string> => possibleTypes(part, definitions, inside);
  const limits = [typesSaid(schema), ...referencesOf(schema, definitions).map(typesOf)];
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) limits.push(new Set(branches.flatMap((branch) => [...typesOf(branch)])));
  }
  return limits.reduce(intersect);
}

/** Returns the types that both sets hold. */
export function intersect(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((type) => b.has(type)));
}

/** The types that the schema itself lists, or those of the values that it lists. */
function typesSaid(schema: JsonObject): ReadonlySet<string> {
  const types = schema.type === undefined ? EVERY_TYPE : new Set([schema.type].flat().map(typeName));
  if (Object.hasOwn(schema, "const")) return intersect(types, new Set([typeOfValue(schema.const ?? null)]));
  return Array.isArray(schema.enum) ? intersect(types, new Set(schema.enum.map(typeOfValue))) : types;
}

/** The schemas that apply to the same value whatever it is. */
function referencesOf(schema: JsonObject, definitions: Definitions): readonly Json[] {
  const target = targetOf(schema, definitions)?.schema;
  return [...(target === undefined ? [] : [target]), ...(Array.isArray(schema.allOf) ? schema.allOf : [])];
}

function typeName(type: Json): string {
  return type === "integer" ? "number" : String(type);
}

function typeOfValue(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
