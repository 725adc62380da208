/**
 * Schemas in the dialect of json-schema-to-typescript, built anew from the keywords that shape a type. What that
 * library gets wrong or does not know (open enums, tuples, `any`, names) is said through its `tsType` and its own forms.
 */
import type { JSONSchema } from "json-schema-to-typescript";
import { isObject, type Json, type JsonObject } from "../json.js";
import { targetName } from "../model/reference.js";
import { literal } from "../text.js";
import { schemaDoc } from "./doc.js";

/** `schema` as a type; references become the names of `#/$defs/<name>`, descriptions doc texts. */
export function typeSchema(schema: Json): JSONSchema {
  if (!isObject(schema)) return { tsType: schema === false ? "never" : "unknown" };
  const doc = schemaDoc(schema);
  return { ...shape(schema), ...(doc !== "" && { description: doc }) };
}

function shape(schema: JsonObject): JSONSchema {
  const parts = [reference(schema), values(schema) ?? structure(schema), ...compositions(schema)].filter(
    (part) => part !== undefined,
  );
  if (parts.length === 0) return { tsType: "unknown" };
  const [only] = parts;
  return parts.length === 1 && only ? only : { allOf: parts };
}

function reference(schema: JsonObject): JSONSchema | undefined {
  const tsType = targetName(schema);
  return tsType === undefined ? undefined : { tsType };
}

/** The type of a listed value; an open enum keeps its known values for completion and takes any other of its type. */
function values(schema: JsonObject): JSONSchema | undefined {
  if (Object.hasOwn(schema, "const")) return { tsType: literalType(schema.const as Json) };
  if (Array.isArray(schema.enum)) return { tsType: union(schema.enum.map(literalType)) };
  const known = schema["x-extensible-enum"];
  if (!Array.isArray(known)) return undefined;
  const types = [schema.type ?? [...new Set(known.map(typeOf))]]
    .flat()
    .map((type) => (type === "null" ? "null" : `(${TYPES[String(type)] ?? "unknown"} & {})`));
  return { tsType: union([...known.filter((value) => value !== null).map(literalType), ...types]) };
}

const TYPES: { readonly [type: string]: string } = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

function typeOf(value: Json): string {
  if (typeof value !== "object") return typeof value;
  return value === null ? "null" : "unknown";
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
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

function structure(schema: JsonObject): JSONSchema | undefined {
  const implied = OBJECT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword))
    ? ["object"]
    : ARRAY_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword))
      ? ["array"]
      : [];
  const types = (schema.type === undefined ? implied : [schema.type].flat()) as readonly string[];
  const alternatives = types.map((type): JSONSchema => {
    if (type === "object") return objectShape(schema);
    return type === "array" ? arrayShape(schema) : { tsType: TYPES[type] ?? "unknown" };
  });
  return alternatives.length < 2 ? alternatives[0] : { anyOf: alternatives };
}

function objectShape(schema: JsonObject): JSONSchema {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const patterns = isObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  const rest = schema.additionalProperties;
  const open = rest === true || isObject(rest) || patterns.length > 0;
  // An index signature must cover every property, so beside properties it can only say that there may be more.
  const values = [...patterns, ...(isObject(rest) ? [rest] : [])];
  const index =
    properties.length > 0 || rest === true || values.length !== 1 ? true : typeSchema(values[0] ?? true);
  return {
    type: "object",
    properties: Object.fromEntries(properties.map(([name, field]) => [fieldKey(name), typeSchema(field)])),
    required: Array.isArray(schema.required) ? schema.required.map((name) => fieldKey(String(name))) : [],
    additionalProperties: open ? index : false,
  };
}

/**
 * A field's name on its way through json-schema-to-typescript, which fails on names such as `hasOwnProperty` or
 * `[k: string]`: its code units in hexadecimal. `withFieldNames` undoes it.
 */
export function fieldKey(name: string): string {
  const units = Array.from({ length: name.length }, (_, i) =>
    name.charCodeAt(i).toString(16).padStart(4, "0"),
  );
  return `F${units.join("")}_`;
}

/** TypeScript from json-schema-to-typescript with the names of the fields; it begins a line with each. */
export function withFieldNames(text: string): string {
  return text.replace(/^([ \t]*)F((?:[0-9a-f]{4})*)_(?=\??:)/gm, (_all, indent, units: string) => {
    const codes = units.match(/.{4}/g) ?? [];
    return indent + typeKey(String.fromCharCode(...codes.map((unit) => Number.parseInt(unit, 16))));
  });
}

/** A key in a TypeScript type: quoted unless it is a plain identifier. */
export function typeKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function arrayShape(schema: JsonObject): JSONSchema {
  const items = schema.items === undefined ? { tsType: "unknown" } : typeSchema(schema.items);
  const prefix = schema.prefixItems;
  if (!Array.isArray(prefix)) return { type: "array", items };
  const least = typeof schema.minItems === "number" ? Math.min(schema.minItems, prefix.length) : 0;
  return {
    type: "array",
    items: prefix.map(typeSchema),
    additionalItems: schema.items === false ? false : items,
    ...(least > 0 && { minItems: least }),
  };
}

/** Compositions whose branches say something about the type; sets of required fields are no types of their own. */
function compositions(schema: JsonObject): JSONSchema[] {
  const found: JSONSchema[] = [];
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branches = schema[keyword];
    if (Array.isArray(branches) && branches.every(shapes)) found.push({ anyOf: branches.map(typeSchema) });
  }
  if (Array.isArray(schema.allOf)) found.push(...schema.allOf.filter(shapes).map(typeSchema));
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
