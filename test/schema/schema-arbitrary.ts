/** Creates random schemas and values for property tests. */
import fc, { type Arbitrary } from "fast-check";
import { createObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Definition, Schema } from "../../generator/schema/json-schema.js";

/** A random schema of the protocol vocabulary, the definitions that it may refer to, and values that may fit. */
export interface Sample {
  readonly schema: Schema;
  readonly definitions: { readonly [name: string]: Definition };
  readonly values: readonly Json[];
}

const NAMES = ["a", "b", "c"];
const SCALARS: readonly Json[] = [null, true, 0, 1, 2, "a", "b", "xa"];
const DEFINITIONS = ["D0", "D1", "D2"];

const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom(...SCALARS);
const count = fc.nat({ max: 2 });
const type = fc.constantFrom<Json>(
  "object",
  "object",
  "array",
  "string",
  "integer",
  ["object", "null"],
  ["string", "null"],
);

/** Values that consist of the names and scalars that the schemas use. */
export const value: Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 2, arbitrary: scalar },
    {
      weight: 3,
      arbitrary: fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }) as Arbitrary<Json>,
    },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }) as Arbitrary<Json> },
  ),
})).value;

/**
 * Returns an arbitrary for schemas. In-place references lead only to definitions from number `from` on, so that no schema
 * refers to itself for the same value.
 */
function createSchemaArbitrary(depth: number, from: number): Arbitrary<Schema> {
  if (depth === 0)
    return fc.oneof(
      fc.boolean(),
      fc.record({ type }),
      fc.record({ enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }) }),
    ) as Arbitrary<Schema>;
  const part = createSchemaArbitrary(depth - 1, 0);
  const inPlace = createSchemaArbitrary(depth - 1, from);
  const parts = fc.array(part, { minLength: 1, maxLength: 2 });
  const branches = fc.array(inPlace, { minLength: 1, maxLength: 3 });
  const targets = DEFINITIONS.slice(from).map((definition) => `#/$defs/${definition}`);
  const keywords: { readonly [keyword: string]: readonly [weight: number, Arbitrary<unknown>] } = {
    type: [4, type],
    properties: [6, fc.dictionary(name, part, { maxKeys: 3, noNullPrototype: true })],
    required: [2, fc.uniqueArray(name, { minLength: 1, maxLength: 2 })],
    additionalProperties: [2, part],
    unevaluatedProperties: [2, part],
    patternProperties: [
      1,
      fc.dictionary(fc.constantFrom("^a", "b|c"), part, { maxKeys: 1, noNullPrototype: true }),
    ],
    propertyNames: [1, fc.record({ enum: fc.uniqueArray(name, { minLength: 1 }) })],
    dependentSchemas: [1, fc.dictionary(name, inPlace, { minKeys: 1, maxKeys: 1, noNullPrototype: true })],
    dependentRequired: [
      1,
      fc.dictionary(name, fc.uniqueArray(name, { maxLength: 1 }), { maxKeys: 1, noNullPrototype: true }),
    ],
    maxProperties: [1, count],
    allOf: [3, branches],
    anyOf: [3, branches],
    oneOf: [3, branches],
    not: [1, inPlace],
    if: [2, inPlace],
    then: [2, inPlace],
    else: [1, inPlace],
    ...(targets.length > 0 && { $ref: [3, fc.constantFrom(...targets)] }),
    items: [2, part],
    prefixItems: [1, parts],
    unevaluatedItems: [1, part],
    contains: [1, part],
    minContains: [1, count],
    maxItems: [1, count],
    uniqueItems: [1, fc.boolean()],
    minLength: [1, count],
    pattern: [1, fc.constantFrom("a", "^x")],
    minimum: [1, count],
    enum: [1, fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 })],
    const: [1, scalar],
    "x-extensible-enum": [2, fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 })],
    "x-writer": [2, inPlace],
    deprecated: [1, fc.boolean()],
  };
  const member = fc.oneof(
    ...Object.entries(keywords).map(([keyword, [weight, arbitrary]]) => ({
      weight,
      arbitrary: fc.tuple(fc.constant(keyword), arbitrary),
    })),
  );
  const object = fc.uniqueArray(member, { selector: ([keyword]) => keyword, minLength: 1, maxLength: 5 });
  return fc.oneof(
    { weight: 1, arbitrary: fc.boolean() as Arbitrary<Schema> },
    { weight: 12, arbitrary: object.map((members) => createObject(members) as JsonObject) },
  );
}

/** Random schemas with values. */
export const sample: Arbitrary<Sample> = fc.record({
  schema: createSchemaArbitrary(3, 0),
  definitions: fc
    .tuple(...DEFINITIONS.map((_, i) => createSchemaArbitrary(2, i + 1)))
    .map((schemas) =>
      createObject(DEFINITIONS.map((d, i) => [d, createDefinition(schemas[i] ?? true)] as const)),
    ),
  values: fc.array(value, { minLength: 12, maxLength: 12 }),
});

/** Returns a definition without a real location. */
export function createDefinition(schema: Schema): Definition {
  return { schema, at: { file: "test", pointer: "" } };
}
