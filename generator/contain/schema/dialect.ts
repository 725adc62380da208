/** The dialects of JSON Schema, and which keywords each defines. What a dialect does not define is an annotation. */
import { Unsupported } from "../budget.js";

/** The dialects that are read, oldest first. */
export const DIALECTS = ["draft4", "draft6", "draft7", "2019-09", "2020-12"] as const;
/** A dialect by its short name. */
export type Dialect = (typeof DIALECTS)[number];

/** How a keyword holds subschemas. */
export type Holds = "schema" | "list" | "map" | "schema or list" | "map of schema or list";

/** The `$schema` of each dialect, without the empty fragment. */
export const SCHEMA_URI: { readonly [D in Dialect]: string } = {
  draft4: "http://json-schema.org/draft-04/schema",
  draft6: "http://json-schema.org/draft-06/schema",
  draft7: "http://json-schema.org/draft-07/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

/** The parts that the metaschemas of the newer dialects are put together from. */
const METASCHEMA_PARTS: { readonly [dialect: string]: readonly string[] } = {
  "2019-09": ["core", "applicator", "validation", "meta-data", "format", "content"],
  "2020-12": ["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"],
};

/** The dialect whose metaschema, or a part of it, has this URI; these documents can be had offline. */
export function dialectOfMetaschema(uri: string): Dialect | undefined {
  return DIALECTS.find((dialect) => {
    const parts = (METASCHEMA_PARTS[dialect] ?? []).map((part) => `meta/${part}`);
    return ["schema", ...parts].some((name) => uri === SCHEMA_URI[dialect].replace(/schema$/, name));
  });
}

/** First and last dialect that define each keyword, as far as it has an effect on validity or may be malformed. */
const KEYWORDS: { readonly [keyword: string]: readonly [first: Dialect, last: Dialect, holds?: Holds] } = {
  type: ["draft4", "2020-12"],
  enum: ["draft4", "2020-12"],
  const: ["draft6", "2020-12"],
  minimum: ["draft4", "2020-12"],
  maximum: ["draft4", "2020-12"],
  exclusiveMinimum: ["draft4", "2020-12"],
  exclusiveMaximum: ["draft4", "2020-12"],
  multipleOf: ["draft4", "2020-12"],
  minLength: ["draft4", "2020-12"],
  maxLength: ["draft4", "2020-12"],
  pattern: ["draft4", "2020-12"],
  format: ["draft4", "2020-12"],
  minItems: ["draft4", "2020-12"],
  maxItems: ["draft4", "2020-12"],
  uniqueItems: ["draft4", "2020-12"],
  minContains: ["2019-09", "2020-12"],
  maxContains: ["2019-09", "2020-12"],
  minProperties: ["draft4", "2020-12"],
  maxProperties: ["draft4", "2020-12"],
  required: ["draft4", "2020-12"],
  dependentRequired: ["2019-09", "2020-12"],
  id: ["draft4", "draft4"],
  $id: ["draft6", "2020-12"],
  $schema: ["draft4", "2020-12"],
  $anchor: ["2019-09", "2020-12"],
  $recursiveAnchor: ["2019-09", "2019-09"],
  $dynamicAnchor: ["2020-12", "2020-12"],
  $vocabulary: ["2019-09", "2020-12"],
  $comment: ["draft7", "2020-12"],
  title: ["draft4", "2020-12"],
  description: ["draft4", "2020-12"],
  examples: ["draft6", "2020-12"],
  readOnly: ["draft7", "2020-12"],
  writeOnly: ["draft7", "2020-12"],
  deprecated: ["2019-09", "2020-12"],
  contentEncoding: ["draft7", "2020-12"],
  contentMediaType: ["draft7", "2020-12"],
  $ref: ["draft4", "2020-12"],
  $recursiveRef: ["2019-09", "2019-09"],
  $dynamicRef: ["2020-12", "2020-12"],
  allOf: ["draft4", "2020-12", "list"],
  anyOf: ["draft4", "2020-12", "list"],
  oneOf: ["draft4", "2020-12", "list"],
  not: ["draft4", "2020-12", "schema"],
  if: ["draft7", "2020-12", "schema"],
  then: ["draft7", "2020-12", "schema"],
  else: ["draft7", "2020-12", "schema"],
  dependentSchemas: ["2019-09", "2020-12", "map"],
  dependencies: ["draft4", "draft7", "map of schema or list"],
  properties: ["draft4", "2020-12", "map"],
  patternProperties: ["draft4", "2020-12", "map"],
  additionalProperties: ["draft4", "2020-12", "schema"],
  propertyNames: ["draft6", "2020-12", "schema"],
  unevaluatedProperties: ["2019-09", "2020-12", "schema"],
  prefixItems: ["2020-12", "2020-12", "list"],
  items: ["draft4", "2020-12", "schema or list"],
  additionalItems: ["draft4", "2019-09", "schema"],
  contains: ["draft6", "2020-12", "schema"],
  unevaluatedItems: ["2019-09", "2020-12", "schema"],
  contentSchema: ["2019-09", "2020-12", "schema"],
  $defs: ["2019-09", "2020-12", "map"],
  definitions: ["draft4", "2020-12", "map"],
};

/** Whether `dialect` is as new as `first` or newer. */
export function since(dialect: Dialect, first: Dialect): boolean {
  return DIALECTS.indexOf(dialect) >= DIALECTS.indexOf(first);
}

/** Whether the dialect defines the keyword. */
export function defines(dialect: Dialect, keyword: string): boolean {
  const entry = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
  return entry !== undefined && since(dialect, entry[0]) && since(entry[1], dialect);
}

/** How the keyword holds subschemas in the dialect, or undefined when it holds none there. */
export function holdsSubschemas(dialect: Dialect, keyword: string): Holds | undefined {
  return defines(dialect, keyword) ? KEYWORDS[keyword]?.[2] : undefined;
}

/** The name of the keyword that identifies a schema resource. */
export function idKeyword(dialect: Dialect): "id" | "$id" {
  return dialect === "draft4" ? "id" : "$id";
}

/** The dialect that a `$schema` or an option names, `https` or not, with `#` or not; throws `Unsupported` for any other. */
export function dialectNamed(name: string): Dialect {
  const bare = (uri: string) => uri.replace(/^https?:/, "").replace(/#$/, "");
  const short = name.replace(/^draft-?0?(?=\d$)/, "draft").replace(/^draft-?(?=20)/, "");
  const dialect = DIALECTS.find((each) => each === short || bare(SCHEMA_URI[each]) === bare(name));
  if (!dialect) throw new Unsupported(`the dialect ${JSON.stringify(name)} is not known`);
  return dialect;
}
