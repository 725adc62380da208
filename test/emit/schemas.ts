/** fast-check arbitraries: readings with every keyword that a validator supports, and values for them. */
import fc from "fast-check";
import type { Json, JsonObject } from "../../generator/json.js";
import { FORMATS } from "../../generator/schema/formats.js";
import type { Schema } from "../../generator/schema/json-schema.js";
import type { Reading } from "../../generator/schema/readings.js";
import { NASTY_PATTERNS, NASTY_STRINGS } from "./nasty.js";

const DEFS = ["N", "M"];
// Ajv supports only well-formed names. The loader refuses others.
const name = fc.constantFrom(...NASTY_STRINGS.filter((text) => text.isWellFormed()));
const text = fc.constantFrom(...NASTY_STRINGS);
const dictionary = <T>(keys: fc.Arbitrary<string>, values: fc.Arbitrary<T>, maxKeys: number) =>
  fc.dictionary(keys, values, { maxKeys, noNullPrototype: true });
const number = fc.constantFrom(0, 1, -1, 2, 3, 0.5, -0.5, 1e21, -1e21, 1e-7, 2 ** 53, 4294967296);
const count = fc.constantFrom(0, 1, 2, 3);
const scalar: fc.Arbitrary<Json> = fc.oneof(text, number, fc.boolean(), fc.constant(null));

/** Values with the same names and numbers as the schemas, so that many of them are accepted or nearly accepted. */
export const anyValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    dictionary(text, tie("value"), 4),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
})).value;

const many = Array.from({ length: 210 }, (_, i) => `f${i}`);
const nine = Object.fromEntries(NASTY_STRINGS.slice(0, 12).map((key) => [key, true]));

const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => {
  const schema = tie("schema");
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const map = dictionary(name, schema, 3);
  const names = fc.uniqueArray(name, { maxLength: 3 });
  const pattern = fc.constantFrom(...NASTY_PATTERNS);
  const type = fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null");
  const keywords: { readonly [keyword: string]: fc.Arbitrary<unknown> } = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    const: anyValue,
    enum: fc.uniqueArray(anyValue, {
      minLength: 1,
      maxLength: 3,
      selector: (value) => JSON.stringify(value),
    }),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(0.1, 1, 2, 0.5),
    minLength: count,
    maxLength: count,
    pattern,
    format: fc.constantFrom(...FORMATS.keys()),
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    prefixItems: list,
    items: schema,
    contains: schema,
    minContains: count,
    maxContains: count,
    unevaluatedItems: schema,
    minProperties: count,
    maxProperties: count,
    required: fc.oneof({ weight: 9, arbitrary: names }, { weight: 1, arbitrary: fc.constant(many) }),
    properties: fc.oneof({ weight: 9, arbitrary: map }, { weight: 1, arbitrary: fc.constant(nine) }),
    patternProperties: dictionary(pattern, schema, 2),
    additionalProperties: schema,
    unevaluatedProperties: schema,
    propertyNames: schema,
    dependentRequired: dictionary(name, names, 2),
    dependentSchemas: dictionary(name, schema, 2),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: schema,
    if: schema,
    then: schema,
    else: schema,
    $ref: fc.constantFrom(...DEFS).map((def) => `#/$defs/${def}`),
  };
  const some = fc
    .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 4 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword] as never]))),
    );
  return {
    schema: fc.oneof(
      { depthSize: "small", maxDepth: 4, withCrossShrink: true },
      fc.boolean(),
      some as fc.Arbitrary<JsonObject>,
    ),
  };
});

/** Definitions that refer to others only in fields and items, so that every validation ends. */
const anyDefinition: fc.Arbitrary<Schema> = fc.oneof(
  dictionary(name, anySchema, 3).map((properties) => ({ properties })),
  anySchema.map((items) => ({ type: "array", items })),
  fc.tuple(anySchema, fc.boolean()).map(([sub, unevaluatedProperties]) => ({
    properties: { a: sub },
    patternProperties: { b: { $ref: "#/$defs/N" } },
    unevaluatedProperties,
  })),
);

/** Readings of random schemas. */
export const anyReading: fc.Arbitrary<Reading> = fc.record({
  schema: anySchema,
  $defs: fc.record(Object.fromEntries(DEFS.map((def) => [def, anyDefinition]))),
}) as fc.Arbitrary<Reading>;
