/**
 * Schemas in the dialect of json-schema-to-typescript, made of the keywords that shape a type. What that library gets
 * wrong or does not know (open enums, tuples, `any`, names) is written through its `tsType` and its own forms.
 *
 * Every value that the reader reading accepts belongs to the type. A keyword that limits objects or arrays alone, such
 * as `properties` without `type`, therefore leaves the other JSON types that the rest of the schema allows.
 */
import type { JSONSchema } from "json-schema-to-typescript";
import { isObject, type Json, type JsonObject } from "../../json.js";
import {
  type Description,
  describeSchema,
  EVERYTHING,
  listHeldSchemas,
  nodeWithoutPlace,
  omitKeywords,
  readFirstValue,
  SELF,
} from "../../schema/describe.js";
import { type Facet, filterKeywords } from "../../schema/keywords.js";
import { readListedValues } from "../../schema/listed-values.js";
import { mergeFields } from "../../schema/merge.js";
import { derivePossibleTypes, EVERY_TYPE, intersect } from "../../schema/possible-types.js";
import { type Definitions, definitionNameOf } from "../../schema/reference.js";
import { literal } from "../../text.js";
import { CATALOG_KEYWORDS, formatSchemaDoc, WRITER_ONLY } from "./doc.js";

const NOT_TYPED = { omitted: "a TypeScript type cannot express it", result: "wider" } as const;

/** types.ts expresses these facets, in types or in their comments. */
export const TYPED = {
  ...EVERYTHING,
  contains: NOT_TYPED,
  conditions: NOT_TYPED,
  writer: WRITER_ONLY,
  except: {
    ...CATALOG_KEYWORDS,
    ...omitKeywords(NOT_TYPED, "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties"),
  },
} as const;

type Described = Description<typeof TYPED>;

/** The keywords of some facets that shape a type. */
function shapingKeywords(...facets: readonly Facet[]): ReadonlySet<string> {
  return filterKeywords(({ facet }, name) => facets.includes(facet) && !Object.hasOwn(TYPED.except, name));
}

const OBJECT_KEYWORDS = shapingKeywords("properties", "otherProperties");
const ARRAY_KEYWORDS = shapingKeywords("items");
/** A set of required fields alone is not a type. */
const SHAPING = new Set(
  [
    ...[...OBJECT_KEYWORDS, ...ARRAY_KEYWORDS],
    ...shapingKeywords("references", "types", "values", "composition", "alternatives"),
  ].filter((keyword) => keyword !== "required"),
);

/**
 * `schema` as a type; references become the names of definitions, descriptions doc texts. `within` holds the JSON
 * types that the place of the schema allows.
 */
export function typeSchema(schema: Json, definitions: Definitions, within = EVERY_TYPE): JSONSchema {
  if (!isObject(schema)) return { tsType: schema === false ? "never" : "unknown" };
  const doc = formatSchemaDoc(schema);
  return { ...shapeOf(schema, definitions, within), ...(doc !== "" && { description: doc }) };
}

function shapeOf(schema: JsonObject, definitions: Definitions, within: ReadonlySet<string>): JSONSchema {
  const described = describeSchema(nodeWithoutPlace(schema), definitions, TYPED, SELF);
  const types = intersect(within, derivePossibleTypes(schema, definitions));
  const reference = readFirstValue(described, "$ref");
  const parts = [
    reference === undefined ? undefined : { tsType: definitionNameOf(String(reference)) },
    valuesType(schema, types) ?? structure(described, types, definitions),
    ...compositions(described, types, definitions),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return { tsType: "unknown" };
  const [only] = parts;
  return parts.length === 1 && only ? only : { allOf: parts };
}

/**
 * The type of a listed value; an open enum, and a field with `x-known-values`, keep their known values for completion
 * and take any other of their type.
 */
function valuesType(schema: JsonObject, possible: ReadonlySet<string>): JSONSchema | undefined {
  const known = schema["x-known-values"];
  const listed =
    readListedValues(schema)[0] ?? (Array.isArray(known) ? { values: known, isOpen: true } : undefined);
  if (!listed) return undefined;
  if (!listed.isOpen) return { tsType: union(listed.values.map(literalType)) };
  const types = [schema.type ?? [...possible]]
    .flat()
    .map((type) => (type === "null" ? "null" : `(${SCALARS[String(type)] ?? "object"} & {})`));
  return { tsType: union([...listed.values.filter((value) => value !== null).map(literalType), ...types]) };
}

const SCALARS: { readonly [type: string]: string } = {
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

function hasAny(described: Described, keywords: ReadonlySet<string>): boolean {
  return described.parts.some(({ schema }) => Object.keys(schema).some((keyword) => keywords.has(keyword)));
}

function structure(
  described: Described,
  possible: ReadonlySet<string>,
  definitions: Definitions,
): JSONSchema | undefined {
  const limited = [
    ...(hasAny(described, OBJECT_KEYWORDS) ? ["object"] : []),
    ...(hasAny(described, ARRAY_KEYWORDS) ? ["array"] : []),
  ].filter((type) => possible.has(type));
  const stated = readFirstValue(described, "type");
  if (stated === undefined && limited.length === 0) return undefined;
  const others = [...possible].filter((type) => type !== "integer" || !possible.has("number"));
  const types = stated === undefined ? [...new Set([...limited, ...others])] : [stated].flat();
  const alternatives = types.map((type): JSONSchema => {
    if (type === "object" && stated === undefined && !limited.includes("object"))
      return { tsType: "{ [k: string]: unknown }" };
    if (type === "object") return objectShape(described, definitions);
    if (type === "array") return arrayShape(described, definitions);
    return { tsType: SCALARS[String(type)] ?? "unknown" };
  });
  return alternatives.length < 2 ? alternatives[0] : { anyOf: alternatives };
}

function objectShape(described: Described, definitions: Definitions): JSONSchema {
  const fields = [...mergeFields(described).values()];
  const hasPatterns = listHeldSchemas(described, "patternProperties").length > 0;
  const rest = readFirstValue(described, "additionalProperties");
  const isOpen = rest === true || isObject(rest) || hasPatterns;
  // An index signature must cover every property: beside other properties it can only say that there may be more.
  const index = isObject(rest) && fields.length === 0 && !hasPatterns ? typeSchema(rest, definitions) : true;
  const shapes = fields.map(({ name, spots: [spot] }): [string, JSONSchema] => [
    fieldKey(name),
    typeSchema(spot?.schema ?? true, definitions),
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(shapes),
    required: fields.filter(({ required }) => required).map(({ name }) => fieldKey(name)),
    additionalProperties: isOpen ? index : false,
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

function arrayShape(described: Described, definitions: Definitions): JSONSchema {
  const rest = readFirstValue(described, "items");
  const items = rest === undefined ? { tsType: "unknown" } : typeSchema(rest, definitions);
  const prefix = listHeldSchemas(described, "prefixItems");
  if (readFirstValue(described, "prefixItems") === undefined) return { type: "array", items };
  const least = Math.min(Number(readFirstValue(described, "minItems") ?? 0), prefix.length);
  return {
    type: "array",
    items: prefix.map(({ schema }) => typeSchema(schema, definitions)),
    additionalItems: rest === false ? false : items,
    ...(least > 0 && { minItems: least }),
  };
}

/** Compositions whose branches shape the type. */
function compositions(
  described: Described,
  within: ReadonlySet<string>,
  definitions: Definitions,
): JSONSchema[] {
  const branches = (keyword: "anyOf" | "oneOf" | "allOf"): Json[] =>
    listHeldSchemas(described, keyword).map(({ schema }) => schema);
  const typed = (branch: Json): JSONSchema => typeSchema(branch, definitions, within);
  const unions = [branches("anyOf"), branches("oneOf")].filter(
    (list) => list.length > 0 && list.every(isShaping),
  );
  return [
    ...unions.map((list) => ({ anyOf: list.map(typed) })),
    ...branches("allOf").filter(isShaping).map(typed),
  ];
}

function isShaping(schema: Json): boolean {
  return isObject(schema) && Object.keys(schema).some((keyword) => SHAPING.has(keyword));
}

/** Returns the sets of fields of which at least one is required as a whole, if `anyOf` or `oneOf` states only that. */
export function requiredSets(schema: JsonObject): readonly (readonly string[])[] | undefined {
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return undefined;
  const sets = branches.map((branch) =>
    isObject(branch) && Object.keys(branch).join() === "required" ? branch.required : undefined,
  );
  return sets.every(Array.isArray) ? (sets as string[][]) : undefined;
}
