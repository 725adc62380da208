/**
 * The keyword table: one row for every keyword of the five dialects of JSON Schema and of accrete. All code that walks,
 * lints, describes or compiles schemas takes the keywords and what they hold from this table.
 */
import { DIALECTS, type Dialect } from "./dialects.js";

/** The aspect of a value that a keyword is about; see `describeSchema`. */
export type Facet =
  | "types"
  | "values"
  | "bounds"
  | "texts"
  | "properties"
  | "otherProperties"
  | "items"
  | "contains"
  | "references"
  | "composition"
  | "alternatives"
  | "conditions"
  | "writer"
  | "annotations";

/** The form in which a keyword holds subschemas. */
type SubschemaLayout = "schema" | "list" | "map" | "schema or list" | "map of schema or list";

/** The value that the subschemas of a keyword apply to, relative to the value that the schema applies to. */
type Subject = "same value" | "property" | "item" | "property name" | "definition" | "content";

/**
 * The kind of value that a keyword has. `text` is a string in an annotation of accrete, which lint checks; `limit` is a
 * number, or a boolean in draft-04; `positive` and `count` are numbers above 0 and whole numbers from 0; `names` is a list
 * of different strings; `values` is a list of JSON values. malformation.ts has the test for each kind.
 */
export type ValueKind =
  | "boolean"
  | "string"
  | "text"
  | "text or null"
  | "number"
  | "limit"
  | "positive"
  | "count"
  | "names"
  | "name map"
  | "flag map"
  | "type"
  | "values"
  | "regex"
  | "format"
  | "dialect"
  | "identifier"
  | "anchor"
  | "array"
  | "stability"
  | "any"
  | SubschemaLayout;

/** A dialect of JSON Schema, or `protocol`: JSON Schema 2020-12 with the keywords of accrete. */
export type Vocabulary = Dialect | "protocol";

/** One row of the table. */
interface Keyword {
  readonly facet: Facet;
  readonly value: ValueKind;
  /** The same as `value` if the keyword has subschemas; otherwise absent. */
  readonly holds?: SubschemaLayout;
  readonly subject?: Subject;
  /**
   * True if the two readings may differ below the keyword. Such a keyword accepts more values if its subschema accepts more.
   * `oneOf` is monotone, because readers read it as `anyOf`. `propertyNames` is not, because names are the same in both
   * readings.
   */
  readonly monotone?: boolean;
  /** True if its meaning depends on the keywords beside it. */
  readonly readsSiblings?: boolean;
  /** The first and the last vocabulary that define the keyword. */
  readonly dialects: readonly [first: Vocabulary, last: Vocabulary];
  /** The reason why protocol schemas may not use the keyword. */
  readonly unsupported?: string;
}

const ALWAYS = ["draft4", "protocol"] as const;
const SINCE_6 = ["draft6", "protocol"] as const;
const SINCE_7 = ["draft7", "protocol"] as const;
const SINCE_2019 = ["2019-09", "protocol"] as const;
const SINCE_2020 = ["2020-12", "protocol"] as const;
const PROTOCOL = ["protocol", "protocol"] as const;

const annotation = { facet: "annotations" } as const;
const oneSchema = { value: "schema", holds: "schema" } as const;
const schemaList = { value: "list", holds: "list" } as const;
const schemaMap = { value: "map", holds: "map" } as const;
const sameValue = { subject: "same value", monotone: true } as const;
const sameValueExact = { subject: "same value", monotone: false } as const;
const definition = { subject: "definition", monotone: true } as const;
const property = { subject: "property", monotone: true } as const;
const item = { subject: "item", monotone: true } as const;
const readsSiblings = { readsSiblings: true } as const;

const ROWS = {
  $schema: { ...annotation, value: "dialect", dialects: ALWAYS },
  $comment: { ...annotation, value: "string", dialects: SINCE_7 },
  $ref: { facet: "references", value: "string", dialects: ALWAYS },
  $defs: { facet: "references", ...schemaMap, ...definition, dialects: SINCE_2019 },
  definitions: { facet: "references", ...schemaMap, ...definition, dialects: ["draft4", "2020-12"] },
  $anchor: { ...annotation, value: "anchor", dialects: SINCE_2019 },
  id: { facet: "references", value: "identifier", dialects: ["draft4", "draft4"] },
  $id: {
    facet: "references",
    value: "identifier",
    dialects: SINCE_6,
    unsupported: "a schema is known by its file; refer to it by a relative path",
  },
  $recursiveRef: { facet: "references", value: "string", dialects: ["2019-09", "2019-09"] },
  $recursiveAnchor: { facet: "references", value: "boolean", dialects: ["2019-09", "2019-09"] },
  $dynamicRef: {
    facet: "references",
    value: "string",
    dialects: SINCE_2020,
    unsupported: "its target is not known before validation; use $ref",
  },
  $dynamicAnchor: { facet: "references", value: "anchor", dialects: SINCE_2020, unsupported: "use $anchor" },
  $vocabulary: {
    facet: "references",
    value: "flag map",
    dialects: SINCE_2019,
    unsupported: "it belongs in metaschemas",
  },
  title: { ...annotation, value: "string", dialects: ALWAYS },
  description: { ...annotation, value: "string", dialects: ALWAYS },
  default: { ...annotation, value: "any", dialects: ALWAYS },
  examples: { ...annotation, value: "array", dialects: SINCE_6 },
  deprecated: { ...annotation, value: "boolean", dialects: SINCE_2019 },
  readOnly: { ...annotation, value: "boolean", dialects: SINCE_7 },
  writeOnly: { ...annotation, value: "boolean", dialects: SINCE_7 },
  contentEncoding: { ...annotation, value: "string", dialects: SINCE_7 },
  contentMediaType: { ...annotation, value: "string", dialects: SINCE_7 },
  contentSchema: { ...annotation, ...oneSchema, subject: "content", monotone: true, dialects: SINCE_2019 },
  type: { facet: "types", value: "type", dialects: ALWAYS },
  const: { facet: "values", value: "any", dialects: SINCE_6 },
  enum: { facet: "values", value: "values", dialects: ALWAYS },
  multipleOf: { facet: "bounds", value: "positive", dialects: ALWAYS },
  minimum: { facet: "bounds", value: "number", dialects: ALWAYS },
  maximum: { facet: "bounds", value: "number", dialects: ALWAYS },
  exclusiveMinimum: { facet: "bounds", value: "limit", dialects: ALWAYS },
  exclusiveMaximum: { facet: "bounds", value: "limit", dialects: ALWAYS },
  minLength: { facet: "bounds", value: "count", dialects: ALWAYS },
  maxLength: { facet: "bounds", value: "count", dialects: ALWAYS },
  pattern: { facet: "texts", value: "regex", dialects: ALWAYS },
  format: { facet: "texts", value: "format", dialects: ALWAYS },
  minItems: { facet: "bounds", value: "count", dialects: ALWAYS },
  maxItems: { facet: "bounds", value: "count", dialects: ALWAYS },
  uniqueItems: { facet: "bounds", value: "boolean", dialects: ALWAYS },
  minContains: { facet: "bounds", value: "count", ...readsSiblings, dialects: SINCE_2019 },
  maxContains: { facet: "bounds", value: "count", ...readsSiblings, dialects: SINCE_2019 },
  contains: {
    facet: "contains",
    ...oneSchema,
    subject: "item",
    monotone: false,
    ...readsSiblings,
    dialects: SINCE_6,
  },
  prefixItems: { facet: "items", ...schemaList, ...item, dialects: SINCE_2020 },
  items: {
    facet: "items",
    value: "schema or list",
    holds: "schema or list",
    ...item,
    ...readsSiblings,
    dialects: ALWAYS,
  },
  additionalItems: {
    facet: "items",
    ...oneSchema,
    ...item,
    ...readsSiblings,
    dialects: ["draft4", "2019-09"],
  },
  unevaluatedItems: { facet: "items", ...oneSchema, ...item, ...readsSiblings, dialects: SINCE_2019 },
  minProperties: { facet: "bounds", value: "count", dialects: ALWAYS },
  maxProperties: { facet: "bounds", value: "count", dialects: ALWAYS },
  required: { facet: "properties", value: "names", dialects: ALWAYS },
  properties: { facet: "properties", ...schemaMap, ...property, dialects: ALWAYS },
  patternProperties: { facet: "otherProperties", ...schemaMap, ...property, dialects: ALWAYS },
  additionalProperties: {
    facet: "otherProperties",
    ...oneSchema,
    ...property,
    ...readsSiblings,
    dialects: ALWAYS,
  },
  unevaluatedProperties: {
    facet: "otherProperties",
    ...oneSchema,
    ...property,
    ...readsSiblings,
    dialects: SINCE_2019,
  },
  propertyNames: {
    facet: "conditions",
    ...oneSchema,
    subject: "property name",
    monotone: false,
    dialects: SINCE_6,
  },
  allOf: { facet: "composition", ...schemaList, ...sameValue, dialects: ALWAYS },
  anyOf: { facet: "alternatives", ...schemaList, ...sameValue, dialects: ALWAYS },
  oneOf: { facet: "alternatives", ...schemaList, ...sameValue, dialects: ALWAYS },
  then: { facet: "conditions", ...oneSchema, ...sameValue, ...readsSiblings, dialects: SINCE_7 },
  else: { facet: "conditions", ...oneSchema, ...sameValue, ...readsSiblings, dialects: SINCE_7 },
  if: { facet: "conditions", ...oneSchema, ...sameValueExact, ...readsSiblings, dialects: SINCE_7 },
  not: { facet: "conditions", ...oneSchema, ...sameValueExact, dialects: ALWAYS },
  dependentRequired: { facet: "conditions", value: "name map", dialects: SINCE_2019 },
  dependentSchemas: { facet: "conditions", ...schemaMap, ...sameValue, dialects: SINCE_2019 },
  dependencies: {
    facet: "conditions",
    value: "map of schema or list",
    holds: "map of schema or list",
    ...sameValue,
    dialects: ["draft4", "draft7"],
  },
  "x-stability": { ...annotation, value: "stability", dialects: PROTOCOL },
  "x-since": { ...annotation, value: "text", dialects: PROTOCOL },
  "x-deprecated-since": { ...annotation, value: "text", dialects: PROTOCOL },
  "x-replaced-by": { ...annotation, value: "text or null", dialects: PROTOCOL },
  "x-renamed-from": { ...annotation, value: "text", dialects: PROTOCOL },
  "x-requires": { ...annotation, value: "text", dialects: PROTOCOL },
  "x-emitted-by": { ...annotation, value: "names", dialects: PROTOCOL },
  "x-source": { ...annotation, value: "names", dialects: PROTOCOL },
  "x-group": { ...annotation, value: "text", dialects: PROTOCOL },
  "x-type": { ...annotation, value: "text", dialects: PROTOCOL },
  "x-payload-property": { ...annotation, value: "text", dialects: PROTOCOL },
  "x-sensitive": { ...annotation, value: "boolean", dialects: PROTOCOL },
  "x-replaces": { ...annotation, value: "boolean", dialects: PROTOCOL },
  "x-known-values": { ...annotation, value: "values", dialects: PROTOCOL },
  "x-extensible-enum": { facet: "values", value: "values", dialects: PROTOCOL },
  "x-writer": { facet: "writer", ...oneSchema, ...sameValueExact, dialects: PROTOCOL },
} as const satisfies { readonly [keyword: string]: Keyword };

/** The names of the keywords in the table. */
export type KeywordName = keyof typeof ROWS;

/** The row of a keyword, as a type. */
export type RowOf<K extends KeywordName> = (typeof ROWS)[K];

const VOCABULARIES: readonly Vocabulary[] = [...DIALECTS, "protocol"];

function isDefinedIn(vocabulary: Vocabulary, { dialects: [first, last] }: Keyword): boolean {
  const index = VOCABULARIES.indexOf(vocabulary);
  return VOCABULARIES.indexOf(first) <= index && index <= VOCABULARIES.indexOf(last);
}

/** The results of `getKeywords`. */
const TABLES = new Map<Vocabulary, ReadonlyMap<string, Keyword>>();

/** Returns the keywords of a vocabulary with their rows, in the order of the table. */
export function getKeywords(vocabulary: Vocabulary = "protocol"): ReadonlyMap<string, Keyword> {
  const known = TABLES.get(vocabulary);
  if (known) return known;
  const table = new Map(Object.entries<Keyword>(ROWS).filter(([, row]) => isDefinedIn(vocabulary, row)));
  TABLES.set(vocabulary, table);
  return table;
}

/** Returns the keywords of protocol schemas whose rows satisfy `test`, in the order of the table. */
export function filterKeywords(test: (row: Keyword, name: string) => boolean): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [name, row] of getKeywords()) if (test(row, name)) names.add(name);
  return names;
}

/** Returns whether the vocabulary defines the keyword. A keyword that it does not define has no effect on validity. */
export function isKeywordOf(vocabulary: Vocabulary, keyword: string): boolean {
  return getKeywords(vocabulary).has(keyword);
}

/** Returns how the keyword holds subschemas in the vocabulary, or undefined if it holds none there. */
export function getSubschemaLayout(vocabulary: Vocabulary, keyword: string): SubschemaLayout | undefined {
  const holds = getKeywords(vocabulary).get(keyword)?.holds;
  // In a protocol schema, `items` holds one schema. A list is malformed, and its schemas are not read.
  return holds === "schema or list" && vocabulary === "protocol" ? "schema" : holds;
}

/** Monotone keywords whose schemas apply to the same value. */
export const IN_PLACE_KEYWORDS: ReadonlySet<string> = filterKeywords(
  ({ subject, monotone }) => subject === "same value" && monotone === true,
);

/** Keywords whose schemas both readings leave unchanged. */
export const EXACT_KEYWORDS: ReadonlySet<string> = filterKeywords(({ monotone }) => monotone === false);
