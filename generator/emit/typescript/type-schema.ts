/**
 * Creates schemas in the dialect of json-schema-to-typescript from the keywords that shape a type. Types that the library does
 * not know or gets wrong (open enums, tuples, `any`, names) are written as code in its keyword `tsType`.
 *
 * Every value that the reader reading accepts belongs to the type. A keyword that limits objects or arrays alone, such
 * as `properties` without `type`, therefore leaves the other JSON types that the rest of the schema allows.
 */
import type { JSONSchema } from "json-schema-to-typescript";
import { isObject, type Json, type JsonObject } from "../../json.js";
import { memoizeByObject } from "../../sample/memoize.js";
import {
  createSpotWithoutPlace,
  type Description,
  describeSchema,
  EVERYTHING,
  listHeldSchemas,
  omitKeywords,
  readFirstValue,
  SELF,
} from "../../schema/describe.js";
import { EVERY_TYPE } from "../../schema/json-schema.js";
import { type Facet, filterKeywords } from "../../schema/keywords.js";
import { readKnownValues, readListedValues } from "../../schema/listed-values.js";
import { mergeFields } from "../../schema/merge.js";
import { derivePossibleTypes, intersectTypes } from "../../schema/possible-types.js";
import { type Definitions, getDefinitionName } from "../../schema/reference.js";
import { formatLiteral } from "../../text.js";
import { CATALOG_KEYWORDS, WRITER_ONLY } from "../plan/constraints.js";
import { formatSchemaDoc } from "./doc.js";
import { encodeFieldName } from "./field-names.js";

const NOT_TYPED = { reason: "a TypeScript type cannot express it", result: "wider" } as const;

/** The facets of schemas that types.ts expresses, in types or in their comments. */
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

type TypedDescription = Description<typeof TYPED>;

/** Returns the keywords of some facets that shape a type. */
function filterShapingKeywords(...facets: readonly Facet[]): ReadonlySet<string> {
  return filterKeywords(({ facet }, name) => facets.includes(facet) && !Object.hasOwn(TYPED.except, name));
}

const OBJECT_KEYWORDS = filterShapingKeywords("properties", "otherProperties");
const ARRAY_KEYWORDS = filterShapingKeywords("items");
/** The keywords that determine a type. A list of required fields alone does not. */
const SHAPING_KEYWORDS = new Set(
  [
    ...OBJECT_KEYWORDS,
    ...ARRAY_KEYWORDS,
    ...filterShapingKeywords("references", "types", "values", "composition", "alternatives"),
  ].filter((keyword) => keyword !== "required"),
);

/**
 * Creates the type of `schema`. References become the names of definitions, and descriptions become doc texts. `allowed` holds
 * the JSON types that are allowed where the schema stands.
 */
export function createTypeSchema(schema: Json, definitions: Definitions, allowed = EVERY_TYPE): JSONSchema {
  if (!isObject(schema)) return { tsType: schema === false ? "never" : "unknown" };
  const doc = formatSchemaDoc(schema);
  const { description: _, ...undescribed } = schema;
  const key = `${[...allowed]} ${JSON.stringify(undescribed)}`;
  const shapes = getShapes(definitions);
  const shape = shapes.get(key) ?? createShape(schema, definitions, allowed);
  shapes.set(key, shape);
  return { ...shape, ...(doc !== "" && { description: doc }) };
}

/** The types of schemas without their own doc texts, because many fields have the same. */
const getShapes = memoizeByObject((_: Definitions) => new Map<string, JSONSchema>());

function createShape(schema: JsonObject, definitions: Definitions, allowed: ReadonlySet<string>): JSONSchema {
  const description = describeSchema(createSpotWithoutPlace(schema), definitions, TYPED, SELF);
  const types = intersectTypes(allowed, derivePossibleTypes(schema, definitions));
  const reference = readFirstValue(description, "$ref");
  const parts = [
    reference === undefined ? undefined : { tsType: getDefinitionName(String(reference)) },
    createValuesType(schema, types) ?? createStructure(description, types, definitions),
    ...createCompositions(description, types, definitions),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return { tsType: "unknown" };
  const [first, ...others] = parts;
  return first && others.length === 0 ? first : joinSchemas("allOf", parts);
}

/**
 * Creates the type of listed values. The type of an open enum, or of a field with `x-known-values`, names the known values
 * and accepts all others of their JSON type. The intersection with `{}` keeps TypeScript from merging `"a" | string` into
 * `string`, so that editors can complete the known values.
 */
function createValuesType(schema: JsonObject, possible: ReadonlySet<string>): JSONSchema | undefined {
  const knownValues = readKnownValues(schema);
  const listedValues = readListedValues(schema)[0] ?? (knownValues && { values: knownValues, isOpen: true });
  if (!listedValues) return undefined;
  if (!listedValues.isOpen) return { tsType: joinTypes(listedValues.values.map(formatLiteralType)) };
  const types = [schema.type ?? [...possible]]
    .flat()
    .map((type) => (type === "null" ? "null" : `(${SCALARS[String(type)] ?? "object"} & {})`));
  return {
    tsType: joinTypes([
      ...listedValues.values.filter((value) => value !== null).map(formatLiteralType),
      ...types,
    ]),
  };
}

const SCALARS: { readonly [type: string]: string } = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

function joinTypes(types: readonly string[]): string {
  return types.length === 0 ? "never" : [...new Set(types)].join(" | ");
}

/** Formats a JSON value as a TypeScript type. */
function formatLiteralType(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(formatLiteralType).join(", ")}]`;
  if (!isObject(value))
    return typeof value === "number" && value < 0 ? `-${formatLiteral(-value)}` : formatLiteral(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${formatLiteral(key)}: ${formatLiteralType(item)}`)
    .join("; ")} }`;
}

function hasAnyKeyword(described: TypedDescription, keywords: ReadonlySet<string>): boolean {
  return described.parts.some(({ schema }) => Object.keys(schema).some((keyword) => keywords.has(keyword)));
}

function createStructure(
  described: TypedDescription,
  possible: ReadonlySet<string>,
  definitions: Definitions,
): JSONSchema | undefined {
  const limitedTypes = [
    ...(hasAnyKeyword(described, OBJECT_KEYWORDS) ? ["object"] : []),
    ...(hasAnyKeyword(described, ARRAY_KEYWORDS) ? ["array"] : []),
  ].filter((type) => possible.has(type));
  const statedTypes = readFirstValue(described, "type");
  if (statedTypes === undefined && limitedTypes.length === 0) return undefined;
  const others = [...possible].filter((type) => type !== "integer" || !possible.has("number"));
  const types = statedTypes === undefined ? [...new Set([...limitedTypes, ...others])] : [statedTypes].flat();
  const alternatives = types.map((type): JSONSchema => {
    if (type === "object" && statedTypes === undefined && !limitedTypes.includes("object"))
      return { tsType: "{ [k: string]: unknown }" };
    if (type === "object") return createObjectShape(described, definitions);
    if (type === "array") return createArrayShape(described, definitions);
    return { tsType: SCALARS[String(type)] ?? "unknown" };
  });
  return joinSchemas("anyOf", alternatives);
}

/** Creates the union or the intersection of types. Equal ones stay one type, so that an object type stays an interface. */
function joinSchemas(keyword: "allOf" | "anyOf", schemas: readonly JSONSchema[]): JSONSchema {
  const distinct = new Map(schemas.map(({ description: _, ...schema }) => [JSON.stringify(schema), schema]));
  const [first = {}, ...others] = distinct.values();
  return others.length === 0 ? first : { [keyword]: [first, ...others] };
}

function createObjectShape(described: TypedDescription, definitions: Definitions): JSONSchema {
  const fields = [...mergeFields(described).values()];
  const hasPatterns = listHeldSchemas(described, "patternProperties").length > 0;
  const rest = readFirstValue(described, "additionalProperties");
  const isOpen = rest === true || isObject(rest) || hasPatterns;
  // An index signature must cover every property. Beside other properties it can only say that there may be more.
  const index =
    isObject(rest) && fields.length === 0 && !hasPatterns ? createTypeSchema(rest, definitions) : true;
  const shapes = fields.map(({ name, spots: [spot] }): [string, JSONSchema] => [
    encodeFieldName(name),
    createTypeSchema(spot?.schema ?? true, definitions),
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(shapes),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => encodeFieldName(name)),
    additionalProperties: isOpen ? index : false,
  };
}

/** Formats a key in a TypeScript type: quoted unless it is a plain identifier. */
export function formatTypeKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : formatLiteral(name);
}

function createArrayShape(described: TypedDescription, definitions: Definitions): JSONSchema {
  const rest = readFirstValue(described, "items");
  const items = rest === undefined ? { tsType: "unknown" } : createTypeSchema(rest, definitions);
  const prefix = listHeldSchemas(described, "prefixItems");
  if (readFirstValue(described, "prefixItems") === undefined) return { type: "array", items };
  const least = Math.min(Number(readFirstValue(described, "minItems") ?? 0), prefix.length);
  return {
    type: "array",
    items: prefix.map(({ schema }) => createTypeSchema(schema, definitions)),
    additionalItems: rest === false ? false : items,
    ...(least > 0 && { minItems: least }),
  };
}

/** Creates types of the compositions whose branches shape the type. */
function createCompositions(
  described: TypedDescription,
  allowed: ReadonlySet<string>,
  definitions: Definitions,
): JSONSchema[] {
  const listBranches = (keyword: "anyOf" | "oneOf" | "allOf"): Json[] =>
    listHeldSchemas(described, keyword).map(({ schema }) => schema);
  const createBranchType = (branch: Json): JSONSchema => createTypeSchema(branch, definitions, allowed);
  const unions = [listBranches("anyOf"), listBranches("oneOf")].filter(
    (list) => list.length > 0 && list.every(hasShapingKeyword),
  );
  return [
    ...unions.map((list) => joinSchemas("anyOf", list.map(createBranchType))),
    ...listBranches("allOf").filter(hasShapingKeyword).map(createBranchType),
  ];
}

function hasShapingKeyword(schema: Json): boolean {
  return isObject(schema) && Object.keys(schema).some((keyword) => SHAPING_KEYWORDS.has(keyword));
}

/** Returns the sets of fields of which at least one is required as a whole, if `anyOf` or `oneOf` states only that. */
export function listRequiredSets(schema: JsonObject): readonly (readonly string[])[] | undefined {
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return undefined;
  const sets = branches.map((branch) =>
    isObject(branch) && Object.keys(branch).join() === "required" ? branch.required : undefined,
  );
  return sets.every(Array.isArray) ? sets : undefined;
}
