/**
 * The vocabulary of protocol schemas: JSON Schema 2020-12 and the annotations of accrete, one table for
 * everyone who walks a schema. `holds` says where subschemas are, `value` what the keyword's value must be.
 */
export type Holds = "schema" | "schemas" | "map";

/** What a keyword's value must be; checked on load. */
export type ValueKind =
  | "boolean"
  | "string"
  | "text"
  | "text-or-null"
  | "texts"
  | "number"
  | "positive"
  | "count"
  | "names"
  | "name-map"
  | "type"
  | "regex"
  | "format"
  | "dialect"
  | "array"
  | "any"
  | "schema"
  | "schemas"
  | "map"
  | "stability";

export interface Keyword {
  readonly value: ValueKind;
  readonly holds?: Holds;
  /** Applies its subschemas to the same value rather than to a part of it. */
  readonly inPlace?: true;
  /** Says something to people and tools; no value is refused because of it. */
  readonly annotation?: true;
  /** Part of JSON Schema, refused in protocol schemas, and why. */
  readonly unsupported?: string;
}

const inPlace = { inPlace: true } as const;
const annotation = { annotation: true } as const;

/** Every keyword by name. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>(
  Object.entries({
    $schema: { value: "dialect", ...annotation },
    $comment: { value: "string", ...annotation },
    $ref: { value: "string" },
    $defs: { value: "map", holds: "map" },
    $anchor: { value: "string", ...annotation },
    $id: { value: "string", unsupported: "a schema is known by its file; refer to it by a relative path" },
    $dynamicRef: { value: "string", unsupported: "its target is not known before validation; use $ref" },
    $dynamicAnchor: { value: "string", unsupported: "use $anchor" },
    $vocabulary: { value: "any", unsupported: "it belongs into meta-schemas" },
    title: { value: "string", ...annotation },
    description: { value: "string", ...annotation },
    default: { value: "any", ...annotation },
    examples: { value: "array", ...annotation },
    deprecated: { value: "boolean", ...annotation },
    readOnly: { value: "boolean", ...annotation },
    writeOnly: { value: "boolean", ...annotation },
    contentEncoding: { value: "string", ...annotation },
    contentMediaType: { value: "string", ...annotation },
    contentSchema: { value: "schema", holds: "schema", ...annotation },
    type: { value: "type" },
    const: { value: "any" },
    enum: { value: "array" },
    multipleOf: { value: "positive" },
    minimum: { value: "number" },
    maximum: { value: "number" },
    exclusiveMinimum: { value: "number" },
    exclusiveMaximum: { value: "number" },
    minLength: { value: "count" },
    maxLength: { value: "count" },
    pattern: { value: "regex" },
    format: { value: "format" },
    minItems: { value: "count" },
    maxItems: { value: "count" },
    uniqueItems: { value: "boolean" },
    minContains: { value: "count" },
    maxContains: { value: "count" },
    contains: { value: "schema", holds: "schema" },
    prefixItems: { value: "schemas", holds: "schemas" },
    items: { value: "schema", holds: "schema" },
    unevaluatedItems: { value: "schema", holds: "schema" },
    minProperties: { value: "count" },
    maxProperties: { value: "count" },
    required: { value: "names" },
    properties: { value: "map", holds: "map" },
    patternProperties: { value: "map", holds: "map" },
    additionalProperties: { value: "schema", holds: "schema" },
    unevaluatedProperties: { value: "schema", holds: "schema" },
    propertyNames: { value: "schema", holds: "schema" },
    dependentRequired: { value: "name-map" },
    dependentSchemas: { value: "map", holds: "map", ...inPlace },
    allOf: { value: "schemas", holds: "schemas", ...inPlace },
    anyOf: { value: "schemas", holds: "schemas", ...inPlace },
    oneOf: { value: "schemas", holds: "schemas", ...inPlace },
    not: { value: "schema", holds: "schema", ...inPlace },
    if: { value: "schema", holds: "schema", ...inPlace },
    then: { value: "schema", holds: "schema", ...inPlace },
    else: { value: "schema", holds: "schema", ...inPlace },
    "x-stability": { value: "stability", ...annotation },
    "x-since": { value: "text", ...annotation },
    "x-deprecated-since": { value: "text", ...annotation },
    "x-replaced-by": { value: "text-or-null", ...annotation },
    "x-renamed-from": { value: "text", ...annotation },
    "x-requires": { value: "text", ...annotation },
    "x-emitted-by": { value: "names", ...annotation },
    "x-group": { value: "text", ...annotation },
    "x-payload-property": { value: "text", ...annotation },
    "x-extensible-enum": { value: "array" },
    "x-writer": { value: "schema", holds: "schema", ...inPlace },
  } satisfies Record<string, Keyword>),
);
