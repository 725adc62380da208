/** Arbitraries of schemas and values that consist of few names and texts, so that a value often satisfies a schema. */
import fc from "fast-check";
import type { Json } from "../../generator/json.js";

const NAME = fc.constantFrom("a", "b", "c", "__proto__", "é");
const TEXT = fc.constantFrom("", "a", "b", "ab", "é", "😀😀", "2026-05-03T10:00:00Z");
/** Random values. */
export const VALUE = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    TEXT,
    fc.constantFrom<Json>(null, true, false, 0, 1, -1, 2.5, 9007199254740991, -0.5),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(NAME, tie("value")), { maxLength: 3 }).map((all) => Object.fromEntries(all)),
  ),
})).value;

/** Random schemas, with keywords that shapes support and some that they do not. */
export const SCHEMA = fc.letrec<{ schema: Json }>((tie) => {
  const names = fc.uniqueArray(NAME, { maxLength: 2 });
  const schemas = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const keywords = {
    type: fc.uniqueArray(
      fc.constantFrom("null", "boolean", "number", "integer", "string", "array", "object"),
      { minLength: 1, maxLength: 4 },
    ),
    minimum: fc.constantFrom(-1, 0, 1),
    maximum: fc.constantFrom(0, 1, 2.5),
    exclusiveMinimum: fc.constantFrom(0, 1),
    minLength: fc.constantFrom(0, 1, 2),
    maxLength: fc.constantFrom(0, 1, 2),
    pattern: fc.constantFrom("^a", "b$", "^.$", "é"),
    format: fc.constantFrom("date-time", "uri"),
    enum: fc.uniqueArray(fc.oneof(TEXT, fc.constantFrom<Json>(null, true, 1)), {
      minLength: 1,
      maxLength: 3,
      selector: JSON.stringify,
    }),
    const: fc.oneof(TEXT, fc.constantFrom<Json>(null, false)),
    items: tie("schema"),
    minItems: fc.constantFrom(0, 1),
    maxItems: fc.constantFrom(0, 2),
    uniqueItems: fc.boolean(),
    properties: fc
      .array(fc.tuple(NAME, tie("schema")), { maxLength: 3 })
      .map((all) => Object.fromEntries(all)),
    required: names,
    additionalProperties: tie("schema"),
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: tie("schema"),
    if: tie("schema"),
    then: tie("schema"),
    else: tie("schema"),
  };
  const object = fc
    .array(fc.constantFrom(...(Object.keys(keywords) as (keyof typeof keywords)[])), { maxLength: 3 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((name) => [name, keywords[name] as fc.Arbitrary<Json>]))),
    );
  return { schema: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.boolean(), object) };
}).schema;
