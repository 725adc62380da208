/** If this fails, the scanner or a fast check accepts a value that the validators refuse. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../generator/json.js";
import type { Reading } from "../../generator/schema/readings.js";
import { matchesShape } from "../../generator/schema/shape/shape.js";
import { deriveShape } from "../../generator/schema/shape/shape-of.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { SCHEMA, VALUE } from "./arbitraries.js";

/** Schemas, values that their shapes admit, and values that they do not. */
const CASES: readonly (readonly [
  schema: Reading["schema"],
  admitted: readonly Json[],
  refused: readonly Json[],
])[] = [
  [true, [1, null, {}], []],
  [false, [], [1, null]],
  [{ type: "integer", minimum: 0, maximum: 9 }, [0, 9], [-1, 10, 0.5, "1"]],
  [{ minimum: 3 }, ["x", 3], [2.5]],
  [{ type: ["string", "null"], minLength: 2, maxLength: 3 }, [null, "ab", "a😀c"], ["a", "😀", "abcd", 1]],
  [{ type: "string", pattern: "^a+$" }, ["aa"], ["ab", ""]],
  [{ type: "string", format: "date-time" }, ["2026-05-03T10:00:00Z"], ["2026-02-30T10:00:00Z"]],
  [{ enum: ["a", null, true] }, ["a", null, true], ["b", false]],
  [{ const: "a", type: "string" }, ["a"], ["b"]],
  [
    { type: "array", items: { type: "boolean" }, minItems: 1, maxItems: 2 },
    [[true], [true, false]],
    [[], [1], [true, true, true]],
  ],
  [
    {
      type: "object",
      properties: { a: { type: "null" } },
      required: ["a", "b"],
      additionalProperties: { type: "number" },
    },
    [
      { a: null, b: 1 },
      { b: 2, a: null, c: 3 },
    ],
    [{ a: null }, { a: 1, b: 1 }, { a: null, b: "x" }],
  ],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }], type: "number" }, [1, 2], [0, 3]],
  [{ anyOf: [{ type: "string" }, { type: "number", minimum: 5 }] }, ["x", 5], [4, null]],
  [
    { oneOf: [{ required: ["a"] }, { required: ["b"] }], type: "object" },
    [{ a: 1 }, { b: 1 }],
    [{}, { a: 1, b: 1 }],
  ],
  [
    {
      if: { properties: { tool: { pattern: "^mcp__|b$" } }, required: ["tool"] },
      then: { required: ["server"] },
      type: "object",
    },
    [{}, { tool: "shell" }, { tool: "xmcp__a" }, { tool: "b\n" }, { tool: "mcp__a", server: 1 }],
    [{ tool: "mcp__a" }, { tool: "a\nb" }, { tool: "b" }],
  ],
  [{ not: { required: ["a"] } }, [{}, { b: 1 }], [{ a: 1 }, 1]],
  [
    {
      if: { properties: { kind: { const: "m" } }, required: ["kind"] },
      then: { required: ["server"] },
      type: "object",
    },
    [{}, { kind: "x" }, { kind: 1 }, { kind: "m", server: 1 }],
    [{ kind: "m" }],
  ],
  [{ if: { type: "string" }, then: { minLength: 2 } }, ["ab"], ["a"]],
];

/** Schemas with keywords that shapes do not support. Their shapes may admit nothing, because parsing decides then. */
const UNSUPPORTED: readonly Reading["schema"][] = [
  { uniqueItems: true },
  { multipleOf: 2 },
  { exclusiveMinimum: 0 },
  { patternProperties: { a: true } },
  { propertyNames: { maxLength: 3 } },
  { prefixItems: [{ type: "string" }] },
  { unevaluatedProperties: false },
  { dependentRequired: { a: ["b"] } },
  { minProperties: 1 },
  { contains: { type: "null" } },
  { const: 5 },
  { const: { a: 1 } },
];

const createShape = (schema: Reading["schema"], $defs: Reading["$defs"] = {}) =>
  deriveShape({ schema, $defs });

describe("a shape", () => {
  it.each(CASES)("of %j admits the listed values only", (schema, admitted, refused) => {
    const validate = makeAjv({ strict: false }).compile(schema);
    for (const value of admitted)
      expect([value, matchesShape(createShape(schema), value), validate(value)]).toEqual([value, true, true]);
    for (const value of refused)
      expect([value, matchesShape(createShape(schema), value)]).toEqual([value, false]);
  });

  it.each(UNSUPPORTED)("of %j admits nothing that the schema refuses", (schema) => {
    for (const value of [[], {}, 5, { a: 1 }, [1, 1], ["x", null]]) {
      const isCorrect =
        !matchesShape(createShape(schema), value) || makeAjv({ strict: false }).compile(schema)(value);
      expect(isCorrect).toBe(true);
    }
  });

  it("may refer to itself", () => {
    const $defs = { tree: { type: "object", properties: { left: { $ref: "#/$defs/tree" } } } };
    const tree = createShape({ $ref: "#/$defs/tree" }, $defs);
    expect(matchesShape(tree, { left: { left: {} } })).toBe(true);
    expect(matchesShape(tree, { left: { left: 1 } })).toBe(false);
    expect(matchesShape(createShape({ $ref: "#/$defs/a" }, { a: { $ref: "#/$defs/a" } }), 1)).toBe(false);
  });

  it("never admits what its schema refuses", () => {
    fc.assert(
      fc.property(SCHEMA, fc.array(VALUE, { minLength: 5, maxLength: 20 }), (schema, values) => {
        const validate = makeAjv({ strict: false }).compile(schema as Reading["schema"]);
        for (const value of values)
          if (matchesShape(createShape(schema as Reading["schema"]), value))
            expect(validate(value)).toBe(true);
      }),
      { numRuns: 400, seed: 11 },
    );
  });
});
