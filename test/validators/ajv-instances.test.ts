/** If this fails, the corrections of Ajv's keywords change other instances of Ajv, or depend on the order of instances. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { printStatements } from "../../generator/validators/code-tree.js";
import { compileFunctions, makeCodeAjv } from "../../generator/validators/compile-functions.js";

const CLOSED = { unevaluatedProperties: false };

const text = { type: "string", maxLength: 3 };

/** A schema for each corrected keyword, and schemas with equal parts, whose code is shared. */
const SCHEMAS: readonly JsonObject[] = [
  { if: { required: ["z"], properties: { a: true } }, then: { required: ["z"] }, ...CLOSED },
  { anyOf: [{}, { patternProperties: { "^a": { type: "string" } } }], ...CLOSED },
  { oneOf: [{ properties: { a: { const: 1 } } }, { required: ["b"] }], ...CLOSED },
  { properties: { c: true }, dependentSchemas: { a: CLOSED }, ...CLOSED },
  {
    $ref: "#/$defs/N",
    properties: { x: true },
    ...CLOSED,
    $defs: { N: { properties: { n: { $ref: "#/$defs/N" } } } },
  },
  { anyOf: [{}, { prefixItems: [{ type: "string" }, { const: 1 }] }], unevaluatedItems: false },
  { properties: { a: text, b: { items: text } } },
  {
    properties: {
      c: { properties: { a: text } },
      a: { anyOf: [text, { properties: { b: text } }] },
      b: text,
    },
  },
  { not: { prefixItems: [{ type: "string" }], contains: {} } },
];

const options = { ownProperties: true, unicode: true, unevaluated: true };
const createCode = (ajv: Ajv2020, schema: JsonObject): string[] =>
  compileFunctions(schema, ajv, {
    ...options,
    unevaluated: JSON.stringify(schema).includes("unevaluated"),
  }).functions.map(({ statements }) =>
    printStatements(statements, { standsAlone: false, hasPropertyNames: true }),
  );

describe("an instance of Ajv", () => {
  it("writes the same code in any order of instances and schemas", () => {
    const first = makeCodeAjv();
    const expected = SCHEMAS.map((schema) => createCode(first, schema));
    const [second, third] = [makeCodeAjv(), makeCodeAjv()];
    for (const i of [...SCHEMAS.keys()].reverse())
      for (const ajv of [third, first, second])
        expect(createCode(ajv, SCHEMAS[i] as JsonObject)).toEqual(expected[i]);
  });

  it("is corrected, while plain instances that are created before and after it keep their bugs", () => {
    const [schema] = SCHEMAS as [JsonObject];
    const accepts = (ajv: Ajv2020): boolean => ajv.compile(schema)({ a: 1 }) as boolean;
    const createPlain = (): Ajv2020 => new Ajv2020({ strict: false });
    const [plain, corrected] = [createPlain(), makeAjv()];
    const [plainAfter, correctedAfter] = [createPlain(), makeAjv()];
    expect([correctedAfter, plain, corrected, plainAfter].map(accepts)).toEqual([false, true, false, true]);
  });
});
