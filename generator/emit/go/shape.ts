/** What a schema says about the shape of a value, as far as a Go type can say it: its JSON types and its fields. */
import { isObject, type Json, type JsonObject, jsonType, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { BRANCHES, describeSchema } from "../../schema/describe.js";
import { listedValues } from "../../schema/listed-values.js";
import { fieldsOf } from "../../schema/merge.js";
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
  const shaping = ["type", "properties", "items", "allOf", ...ALTERNATIVES];
  const isShaped = listedValues(schema).length > 0 || shaping.some((each) => Object.hasOwn(schema, each));
  return isShaped ? undefined : targetName(schema);
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
  const [listed] = listedValues(schema);
  if (listed) return new Set(listed.values.map(jsonType));
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

/** What Go types are made of. Validation is not theirs: they hold everything that a schema accepts, and more. */
const GO = {
  types: "used",
  values: "used",
  properties: "used",
  otherProperties: "used",
  items: "used",
  references: "used",
  composition: "used",
  alternatives: "used",
  annotations: "used",
  bounds: { omitted: "the doc comment says it", result: "wider" },
  texts: { omitted: "the doc comment says it", result: "wider" },
  contains: { omitted: "a Go slice cannot say it", result: "wider" },
  conditions: { omitted: "a Go struct cannot say it; the fields of branches are optional", result: "wider" },
  writer: { omitted: "readers do not rely on it", result: "unchanged" },
} as const;

/** Every field that an object of `schema` may have by name, in whatever branch; required where each object has it. */
export function shapeFields(schema: JsonObject, definitions: Definitions): ShapeField[] {
  const described = describeSchema({ schema, file: "", pointer: "" }, definitions, GO, BRANCHES);
  return [...fieldsOf(described).values()].map(({ name, spots, required }) => ({
    name,
    schemas: spots.map((spot) => spot.schema),
    required,
  }));
}
