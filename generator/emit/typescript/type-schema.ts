/**
 * Schemas in the dialect of json-schema-to-typescript, built anew from the keywords that shape a type. What that
 * library gets wrong or does not know (open enums, tuples, `any`, names) is said through its `tsType` and its own forms.
 *
 * Every value that the reader reading accepts belongs to the type. A keyword that limits objects or arrays alone, such
 * as `properties` without `type`, therefore leaves the other JSON types that the rest of the schema allows.
 */
import type { JSONSchema } from "json-schema-to-typescript";
import { isObject, type Json, type JsonObject } from "../../json.js";
import { listedValues } from "../../schema/listed-values.js";
import { type Definitions, targetName } from "../../schema/reference.js";
import { literal } from "../../text.js";
import { schemaDoc } from "./doc.js";
import { EVERY_TYPE, intersect, possibleTypes } from "./possible-types.js";

/**
 * `schema` as a type; references become the names of definitions, descriptions doc texts. `within` holds the JSON
 * types that the place of the schema allows.
 */
export function typeSchema(schema: Json, definitions: Definitions, within = EVERY_TYPE): JSONSchema {
  if (!isObject(schema)) return { tsType: schema === false ? "never" : "unknown" };
  const doc = schemaDoc(schema);
  return { ...shape(schema, definitions, within), ...(doc !== "" && { description: doc }) };
}

function shape(schema: JsonObject, definitions: Definitions, within: ReadonlySet<string>): JSONSchema {
  const types = intersect(within, possibleTypes(schema, definitions));
  const parts = [
    reference(schema),
    values(schema, types) ?? structure(schema, types, definitions),
    ...compositions(schema, types, definitions),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return { tsType: "unknown" };
  const [only] = parts;
  return parts.length === 1 && only ? only : { allOf: parts };
}

function reference(schema: JsonObject): JSONSchema | undefined {
  const tsType = targetName(schema);
  return tsType === undefined ? undefined : { tsType };
}

/** The type of a listed value; an open enum keeps its known values for completion and takes any other of its type. */
function values(schema: JsonObject, possible: ReadonlySet<string>): JSONSchema | undefined {
  const [listed] = listedValues(schema);
  if (!listed) return undefined;
  if (!listed.isOpen) return { tsType: union(listed.values.map(literalType)) };
  const types = [schema.type ?? [...possible]]
    .flat()
    .map((type) => (type === "null" ? "null" : `(${TYPES[String(type)] ?? "object"} & {})`));
  return { tsType: union([...listed.values.filter((value) => value !== null).map(literalType), ...types]) };
}

const TYPES: { readonly [type: string]: string } = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

function union(types: readonly string[]): string {
  return types.length === 0 ? "never" : [...new Set(types)].join(" | ");
}

/** A JSON value as a TypeScript type. */
function literalType(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literalType).join(", ")}]`;
  if (!isObject(value))
    return typeof value === "number" && value < 0 ? `-${literal(-value)}` : literal(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${literal(key)}: ${literalType(item)}`)
    .join("; ")} }`;
}

const OBJECT_KEYWORDS = ["properties", "required", "additionalProperties", "patternProperties"];
const ARRAY_KEYWORDS = ["items", "prefixItems"];

function structure(
  schema: JsonObject,
  possible: ReadonlySet<string>,
  definitions: Definitions,
): JSONSchema | undefined {
  const limited = [
    ...(OBJECT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword)) ? ["object"] : []),
    ...(ARRAY_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword)) ? ["array"] : []),
  ].filter((type) => possible.has(type));
  if (schema.type === undefined && limited.length === 0) return undefined;
  const types = schema.type === undefined ? [...new Set([...limited, ...possible])] : [schema.type].flat();
  const alternatives = types.map((type): JSONSchema => {
    if (type === "object" && schema.type === undefined && !limited.includes("object"))
      return { tsType: "{ [k: string]: unknown }" };
    if (type === "object") return objectShape(schema, definitions);
    return type === "array" ? arrayShape(schema, definitions) : { tsType: TYPES[String(type)] ?? "unknown" };
  });
  return alternatives.length < 2 ? alternatives[0] : { anyOf: alternatives };
}

function objectShape(schema: JsonObject, definitions: Definitions): JSONSchema {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const hasPatterns = isObject(schema.patternProperties) && Object.keys(schema.patternProperties).length > 0;
  const rest = schema.additionalProperties;
  const open = rest === true || isObject(rest) || hasPatterns;
  // An index signature must cover every property: beside other properties it can only say that there may be more.
  const index =
    isObject(rest) && properties.length === 0 && !hasPatterns ? typeSchema(rest, definitions) : true;
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.map(([name, field]) => [fieldKey(name), typeSchema(field, definitions)]),
    ),
    required: Array.isArray(schema.required) ? schema.required.map((name) => fieldKey(String(name))) : [],
    additionalProperties: open ? index : false,
  };
}

/**
 * A field's name on its way through json-schema-to-typescript, which fails on names such as `hasOwnProperty` or
 * `[k: string]`: its code units in hexadecimal. `fieldName` undoes it.
 */
export function fieldKey(name: string): string {
  const units = Array.from({ length: name.length }, (_, i) =>
    name.charCodeAt(i).toString(16).padStart(4, "0"),
  );
  return `F${units.join("")}_`;
}

/** Returns the name of which `fieldKey` made `key`. */
export function fieldName(key: string): string {
  const units = Array.from({ length: (key.length - 2) / 4 }, (_, i) => key.slice(4 * i + 1, 4 * i + 5));
  return String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
}

/** A key in a TypeScript type: quoted unless it is a plain identifier. */
export function typeKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function arrayShape(schema: JsonObject, definitions: Definitions): JSONSchema {
  const items = schema.items === undefined ? { tsType: "unknown" } : typeSchema(schema.items, definitions);
  const prefix = schema.prefixItems;
  if (!Array.isArray(prefix)) return { type: "array", items };
  const least = typeof schema.minItems === "number" ? Math.min(schema.minItems, prefix.length) : 0;
  return {
    type: "array",
    items: prefix.map((item) => typeSchema(item, definitions)),
    additionalItems: schema.items === false ? false : items,
    ...(least > 0 && { minItems: least }),
  };
}

/** Compositions whose branches say something about the type; sets of required fields are no types of their own. */
function compositions(
  schema: JsonObject,
  within: ReadonlySet<string>,
  definitions: Definitions,
): JSONSchema[] {
  const typed = (branch: Json): JSONSchema => typeSchema(branch, definitions, within);
  const found: JSONSchema[] = [];
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branches = schema[keyword];
    if (Array.isArray(branches) && branches.every(shapes)) found.push({ anyOf: branches.map(typed) });
  }
  if (Array.isArray(schema.allOf)) found.push(...schema.allOf.filter(shapes).map(typed));
  return found;
}

const SHAPING = [
  "$ref",
  "type",
  "properties",
  "const",
  "enum",
  "x-extensible-enum",
  "items",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
  "additionalProperties",
  "patternProperties",
];

function shapes(schema: Json): boolean {
  return isObject(schema) && SHAPING.some((keyword) => Object.hasOwn(schema, keyword));
}

/** The sets of fields of which at least one must be there as a whole, if that is what `schema` says with `anyOf`. */
export function requiredSets(schema: JsonObject): readonly (readonly string[])[] | undefined {
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return undefined;
  const sets = branches.map((branch) =>
    isObject(branch) && Object.keys(branch).join() === "required" ? branch.required : undefined,
  );
  return sets.every(Array.isArray) ? (sets as string[][]) : undefined;
}
