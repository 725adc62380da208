/** What the schema of an object says about fields that it does not list. */
import { isObject, type Json } from "../json.js";
import {
  BRANCHES,
  CONJUNCTION,
  type Describes,
  describeSchema,
  EVERYTHING,
  type SchemaNode,
  statements,
} from "../schema/describe.js";
import { fieldsOf, requiredOf, typesOf } from "../schema/merge.js";
import { declaredFields, declaredPatterns } from "../schema/object-family.js";
import type { Definitions } from "../schema/reference.js";

/** Returns a schema that an import describes. It has no place in a file that anybody would look for. */
export function nodeOf(schema: Json): SchemaNode {
  return { schema, file: "", pointer: "" };
}

/** Describes everything that certainly applies to a value of all these schemas. */
export function describeConjunction(schemas: readonly Json[], definitions: Definitions) {
  return describeSchema(schemas.map(nodeOf), definitions, EVERYTHING, CONJUNCTION);
}

/** Returns the alternatives of each `anyOf` and `oneOf`. */
export function unionsOf(description: Describes<"alternatives">): (readonly Json[])[] {
  return [...statements(description, "anyOf"), ...statements(description, "oneOf")].flatMap(({ value }) =>
    Array.isArray(value) ? [value] : [],
  );
}

/** Whether every object that the schema accepts has declared fields only, because the schema refuses other ones. */
export function isSealed(schema: Json, definitions: Definitions, open: readonly Json[] = []): boolean {
  if (open.includes(schema)) return false;
  const whole = describeConjunction([schema], definitions);
  if (whole.isNever || !typesOf(whole).set.has("object")) return true;
  const closing = [
    ...statements(whole, "additionalProperties"),
    ...statements(whole, "unevaluatedProperties"),
  ];
  if (closing.some(({ value }) => value === false)) return true;
  return unionsOf(whole).some((union) =>
    union.every((branch) => isSealed(branch, definitions, [...open, schema])),
  );
}

/**
 * Whether these schemas of one value list the fields of its objects: each alternative declares some, and every required
 * field is declared. An object without declared fields is a map or holds any content, so closing it would leave nothing
 * to send.
 */
export function listsItsFields(schemas: readonly Json[], definitions: Definitions): boolean {
  return hasFields(schemas, definitions) && declaresRequired(schemas, definitions);
}

/** Whether every object has declared fields, those of all alternatives included. */
function hasFields(schemas: readonly Json[], definitions: Definitions, open: readonly Json[] = []): boolean {
  if (schemas.some((schema) => open.includes(schema))) return false;
  const whole = describeConjunction(schemas, definitions);
  if (fieldsOf(whole).size > 0 || declaredPatterns(whole).length > 0) return true;
  return unionsOf(whole).some((union) => {
    const objects = union.filter((branch) =>
      typesOf(describeConjunction([branch], definitions)).set.has("object"),
    );
    return (
      objects.length > 0 && objects.every((branch) => hasFields([branch], definitions, [...open, ...schemas]))
    );
  });
}

/** Whether the schemas and their alternatives declare all required fields, and as many as there must be. */
function declaresRequired(schemas: readonly Json[], definitions: Definitions): boolean {
  const family = describeSchema(schemas.map(nodeOf), definitions, EVERYTHING, BRANCHES);
  if (declaredPatterns(family).length > 0) return true;
  const declared = declaredFields(family);
  const dependent = statements(family, "dependentRequired").flatMap(({ value }) =>
    isObject(value) ? Object.values(value).flat().map(String) : [],
  );
  const least = Math.max(0, ...statements(family, "minProperties").map(({ value }) => Number(value)));
  return (
    least <= declared.size && [...requiredOf(family).keys(), ...dependent].every((name) => declared.has(name))
  );
}
