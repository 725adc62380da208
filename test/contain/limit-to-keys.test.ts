/** If this fails, a witness of a large schema is judged by schemas that mean something else. */
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../generator/contain/budget.js";
import { compileWithAjv } from "../../generator/contain/confirm/ajv-validator.js";
import { checkContainment } from "../../generator/contain/contain.js";
import { Formulas } from "../../generator/contain/formula.js";
import { type ReadSchema, readSchema } from "../../generator/contain/schema/read-schema.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { createRandom } from "../../generator/random.js";
import { DIALECTS, type Dialect } from "../../generator/schema/dialects.js";
import { createInstances } from "./guided.js";
import { createRandomDocument, createRandomValue } from "./random.js";

function read(schema: Json, dialect: Dialect = "2020-12"): Promise<ReadSchema> {
  const options = { ...DEFAULT_LIMITS, dialect, assertFormats: false };
  return readSchema(schema, new Formulas(), { ...options, name: "a", uri: "https://limit.invalid/a" });
}

function listKeys(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(listKeys);
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => [key, ...listKeys(each)]) : [];
}

/** Returns whether the limited document says the same about a value as the whole one; undefined if there is none. */
function agreesOn(value: Json, schema: ReadSchema, dialect: Dialect): boolean | undefined {
  const limited = schema.limitToKeys(new Set(listKeys(value)));
  if (limited === undefined) return undefined;
  const whole = compileWithAjv(schema.prepareForValidators(), dialect);
  return compileWithAjv(limited.schema, dialect)(value) === whole(value);
}

/** Schemas whose unused parts something else leads to, and values that are judged by these parts. */
const CASES: { readonly [name: string]: { readonly schema: JsonObject; readonly values: readonly Json[] } } =
  {
    "a reference into a property that the value lacks": {
      schema: { properties: { a: { $ref: "#/properties/b/items" }, b: { items: { type: "string" } } } },
      values: [{ a: 1 }, { a: "x" }],
    },
    "an anchor in a property that the value lacks": {
      schema: { properties: { a: { $ref: "#here" }, b: { not: { $anchor: "here", type: "null" } } } },
      values: [{ a: null }, { a: 1 }],
    },
    "a property that the value lacks is declared": {
      schema: {
        properties: { a: true, b: { type: "string" } },
        required: ["b"],
        additionalProperties: false,
      },
      values: [{ a: 1 }, { a: 1, b: "x" }, { a: 1, b: 2 }, { c: 1 }],
    },
    "a definition in a definition": {
      schema: {
        properties: { a: { $ref: "#/$defs/outer/$defs/inner" }, b: { $ref: "#/$defs/outer" } },
        $defs: { outer: { type: "object", $defs: { inner: { type: "integer" } } } },
      },
      values: [{ a: 1 }, { a: "x" }, { b: {} }, { b: 1 }],
    },
    "the same key at another depth": {
      schema: { properties: { a: { properties: { b: { type: "string" } } }, b: { type: "integer" } } },
      values: [{ a: { b: "x" } }, { a: { b: 1 } }, { b: 1, a: {} }, { b: "x" }],
    },
    "unevaluated properties": {
      schema: {
        anyOf: [{ properties: { a: true, b: { type: "null" } } }, { properties: { c: true } }],
        unevaluatedProperties: false,
      },
      values: [{ a: 1 }, { c: 1 }, { d: 1 }, { a: 1, c: 1 }],
    },
  };

describe("a document that is limited to keys", () => {
  for (const [name, { schema, values }] of Object.entries(CASES))
    it(`judges values as the whole one: ${name}`, async () => {
      const whole = await read(schema);
      for (const value of values) expect(agreesOn(value, whole, "2020-12"), JSON.stringify(value)).toBe(true);
    });

  it("judges random values as the whole one, in all dialects", async () => {
    const random = createRandom(11);
    let judged = 0;
    let smaller = 0;
    for (let round = 0; round < 250; round++) {
      const dialect = random.pick(DIALECTS);
      const document = createRandomDocument(random, 3, dialect);
      const whole = await read(document, dialect).catch(() => undefined);
      if (whole === undefined) continue;
      const count = whole.limitToKeys(new Set())?.schemaCount ?? whole.schemaCount;
      if (count < whole.schemaCount) smaller++;
      for (const value of [...createInstances(random, document, 3), createRandomValue(random)]) {
        const agrees = agreesOn(value, whole, dialect);
        if (agrees === undefined) continue;
        judged++;
        expect(agrees, JSON.stringify([dialect, document, value])).toBe(true);
      }
    }
    expect(judged).toBeGreaterThan(500);
    expect(smaller).toBeGreaterThan(30);
  });

  it("is missing if references are dynamic", async () => {
    const schema = await read({ $dynamicAnchor: "node", properties: { a: { $dynamicRef: "#node" } } });
    expect(schema.limitToKeys(new Set(["a"]))).toBeUndefined();
  });

  it("confirms a witness of a schema that is too large to be compiled", async () => {
    const createSchema = (type: string): Json => ({
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 6_000 }, (_, index) => [
          `f${index}`,
          { type: index === 4_321 ? type : "string" },
        ]),
      ),
    });
    const answer = await checkContainment(createSchema("string"), createSchema("integer"));
    expect(answer).toEqual({ verdict: "not-contained", witness: { f4321: "" } });
  });
});
