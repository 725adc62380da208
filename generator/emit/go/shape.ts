/** What a schema says about the shape of a value, as far as a Go type can say it: its JSON types and its fields. */
import { isObject, type Json, type JsonObject, jsonType, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { targetName, targetOf } from "../../schema/reference.js";

type Definitions = Protocol["definitions"];

/** A field of an object and what its declarations say; several branches may declare it. */
export interface ShapeField {
  readonly name: string;
  readonly schemas: readonly Json[];
  readonly required: boolean;
}

const ALTERNATIVES = ["anyOf", "oneOf"] as const;

/** The name of the definition that `schema` is, if it says nothing else about the shape. */
export function definitionName(schema: Json): string | undefined {
  if (!isObject(schema)) return undefined;
  const shaping = [
    "type",
    "properties",
    "items",
    "enum",
    "const",
    "x-extensible-enum",
    "allOf",
    ...ALTERNATIVES,
  ];
  return shaping.some((keyword) => Object.hasOwn(schema, keyword)) ? undefined : targetName(schema);
}

/** A branch that stands alone, `null` aside, in its place: `anyOf: [X, {type: "null"}]` is X where null is told apart. */
export function unwrapped(schema: JsonObject): JsonObject {
  for (const keyword of [...ALTERNATIVES, "allOf"]) {
    const branches = own(schema, keyword);
    if (!Array.isArray(branches) || schema.type !== undefined || schema.properties !== undefined) continue;
    const others = branches.filter((branch) => !isObject(branch) || branch.type !== "null");
    const [only] = others;
    if (others.length === 1 && isObject(only)) return unwrapped(only);
  }
  return schema;
}

/** The JSON types that values of `schema` have; undefined if it does not say so. */
export function jsonTypes(
  schema: Json | undefined,
  definitions: Definitions,
  seen: ReadonlySet<Json> = new Set(),
): ReadonlySet<string> | undefined {
  if (!isObject(schema) || seen.has(schema)) return undefined;
  const types = (one: Json | undefined) => jsonTypes(one, definitions, new Set([...seen, schema]));
  if (schema.type !== undefined) return new Set([schema.type].flat().map(String));
  const listed = schema.const !== undefined ? [schema.const] : (schema.enum ?? schema["x-extensible-enum"]);
  if (Array.isArray(listed)) return new Set(listed.map(jsonType));
  if (isObject(schema.properties) || isObject(schema.additionalProperties)) return new Set(["object"]);
  if (schema.items !== undefined || schema.prefixItems !== undefined) return new Set(["array"]);
  for (const part of [
    targetOf(schema, definitions)?.schema,
    ...(Array.isArray(schema.allOf) ? schema.allOf : []),
  ]) {
    const found = types(part);
    if (found) return found;
  }
  return alternativeTypes(schema, types);
}

function alternativeTypes(
  schema: JsonObject,
  types: (schema: Json) => ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  for (const keyword of ALTERNATIVES) {
    const branches = own(schema, keyword);
    const found = Array.isArray(branches) ? branches.map(types) : [];
    if (found.length > 0 && !found.includes(undefined))
      return new Set(found.flatMap((one) => [...(one ?? [])]));
  }
  return undefined;
}

/** Every field that an object of `schema` may have by name, in whatever branch; required where each object has it. */
export function shapeFields(schema: JsonObject, definitions: Definitions): ShapeField[] {
  const found = new Map<string, Json[]>();
  const required = new Set<string>();
  const seen = new Set<Json>();
  const visit = (one: Json | undefined, certain: boolean): void => {
    if (!isObject(one) || seen.has(one)) return;
    seen.add(one);
    for (const [name, field] of Object.entries(isObject(one.properties) ? one.properties : {}))
      found.set(name, [...(found.get(name) ?? []), field]);
    if (certain && Array.isArray(one.required)) for (const name of one.required) required.add(String(name));
    for (const part of [targetOf(one, definitions)?.schema, ...(Array.isArray(one.allOf) ? one.allOf : [])])
      visit(part, certain);
    for (const keyword of [...ALTERNATIVES, "then", "else"])
      for (const branch of [own(one, keyword) ?? []].flat()) visit(branch, false);
    if (isObject(one.dependentSchemas))
      for (const branch of Object.values(one.dependentSchemas)) visit(branch, false);
  };
  visit(schema, true);
  return [...found].map(([name, schemas]) => ({ name, schemas, required: required.has(name) }));
}
