/** The phrases for the values that a change refuses, one row for each kind of change. */
import { describe, expect, it } from "vitest";
import { checkContainment } from "../../generator/contain/contain.js";
import { describeCases } from "../../generator/contain/difference/describe-cases.js";
import { findDifference } from "../../generator/contain/difference/find-difference.js";
import type { Json, JsonObject } from "../../generator/json.js";

interface Row {
  readonly before: Json;
  readonly after: Json;
  /** Without "every event"; undefined if there is no phrase. */
  readonly phrase: string | undefined;
}

const object = (properties: JsonObject, ...required: string[]): JsonObject => ({
  type: "object",
  properties,
  required,
});
const text = { type: "string" };
const number = { type: "number" };
const list = (items: Json): JsonObject => ({ type: "array", items });
const union = (...anyOf: Json[]): JsonObject => ({ anyOf });
const image = object({ kind: { const: "image" }, url: text }, "kind");

const ROWS: { readonly [name: string]: Row } = {
  "a field is required": {
    before: object({ ms: number }),
    after: object({ ms: number }, "ms"),
    phrase: "without ms",
  },
  "a field is required below another": {
    before: object({ data: object({ "wall clock": number }) }, "data"),
    after: object({ data: object({ "wall clock": number }, "wall clock") }, "data"),
    phrase: 'without data."wall clock"',
  },
  "a field is required below one that may be absent": {
    before: object({ data: object({ ms: number }) }),
    after: object({ data: object({ ms: number }, "ms") }),
    phrase: "whose data is an object without ms",
  },
  "a field of an object beside other values is required": {
    before: object({ parts: list(union(text, object({ id: text }))) }),
    after: object({ parts: list(union(text, object({ id: text }, "id"))) }),
    phrase: "with an item of parts that is an object without id",
  },
  "a text beside other values has a pattern": {
    before: object({ a: union(text, { type: "integer" }) }),
    after: object({ a: union({ type: "string", pattern: "^a" }, { type: "integer" }) }),
    phrase: "whose a is a string that does not match ^a",
  },
  "a number beside other values has a step": {
    before: object({ a: { type: ["number", "null"] } }),
    after: object({ a: { type: ["number", "null"], multipleOf: 2 } }),
    phrase: "whose a is a number that is not a multiple of 2",
  },
  "a number is whole": {
    before: object({ ms: number }),
    after: object({ ms: { type: "integer" } }),
    phrase: "with a fraction in ms",
  },
  "two changes": {
    before: object({ ms: number }),
    after: object({ ms: { type: "integer" } }, "ms"),
    phrase: "without ms, or with a fraction in ms",
  },
  "a type is gone": {
    before: object({ a: { type: ["string", "null", "boolean"] } }),
    after: object({ a: text }),
    phrase: "whose a is a boolean or null",
  },
  "a value is gone": {
    before: object({ a: { enum: ["x", "y", "z", null] } }),
    after: object({ a: { enum: ["y"] } }),
    phrase: 'whose a is "x", "z" or null',
  },
  "values are listed": {
    before: object({ a: text }),
    after: object({ a: { enum: ["x", "y"] } }),
    phrase: 'whose a is none of "x", "y"',
  },
  "a value is fixed, and null is gone": {
    before: object({ a: { type: ["string", "null"] } }),
    after: object({ a: { const: "x" } }),
    phrase: 'whose a is null, or whose a is not "x"',
  },
  "a limit is tighter": {
    before: object({ a: { type: "number", minimum: 0 } }),
    after: object({ a: { type: "number", minimum: 5 } }),
    phrase: "whose a is less than 5",
  },
  "a text has a pattern": {
    before: object({ a: text }),
    after: object({ a: { type: "string", pattern: "^[a-z]+$" } }),
    phrase: "whose a does not match ^[a-z]+$",
  },
  "a list is not empty": {
    before: list(text),
    after: { ...list(text), minItems: 1 },
    phrase: "that has fewer than 1 item",
  },
  "a field of items is required": {
    before: object({ calls: list(object({ id: text })) }),
    after: object({ calls: list(object({ id: text }, "id")) }),
    phrase: "with an item of calls without id",
  },
  "items of items are limited": {
    before: object({ rows: list(list(number)) }),
    after: object({ rows: list(list({ type: "number", maximum: 9 })) }),
    phrase: "with an item of rows with an item that is more than 9",
  },
  "a tuple is limited": {
    before: object({ at: { type: "array", prefixItems: [number, number] } }),
    after: object({ at: { type: "array", prefixItems: [number, { type: "integer" }] } }),
    phrase: "with item 2 of at with a fraction",
  },
  "an object is closed": {
    before: object({ a: text }),
    after: { ...object({ a: text }), additionalProperties: false },
    phrase: "with an undeclared field",
  },
  "a field of a closed object is gone": {
    before: object({ data: { ...object({ a: text, b: text }), additionalProperties: false } }),
    after: object({ data: { ...object({ a: text }), additionalProperties: false } }),
    phrase: "with data.b",
  },
  "undeclared fields are limited": {
    before: object({ data: { ...object({ a: text }), additionalProperties: { type: ["string", "null"] } } }),
    after: object({ data: { ...object({ a: text }), additionalProperties: text } }),
    phrase: "with an undeclared field of data that is null",
  },
  "an alternative is gone": {
    before: object({ part: union(image, object({ kind: { const: "text" } }, "kind")) }),
    after: object({ part: union(image, object({ kind: { const: "audio" } }, "kind")) }),
    phrase: 'whose part.kind is "text"',
  },
  "one alternative of an item requires more": {
    before: object({ parts: list(union(image, object({ kind: { const: "text" }, text }, "kind"))) }),
    after: object({ parts: list(union(image, object({ kind: { const: "text" }, text }, "kind", "text"))) }),
    phrase: 'with an item of parts whose kind is "text" and without text',
  },
  "null is no alternative any more": {
    before: object({ a: union(text, { type: "null" }) }),
    after: object({ a: text }),
    phrase: "whose a is null",
  },
  "values beside null are listed": {
    before: object({ a: union(text, { type: "null" }) }),
    after: object({ a: union({ enum: ["x"] }, { type: "null" }) }),
    phrase: 'whose a is not "x"',
  },
  "nothing is left": {
    before: object({ a: text }, "a"),
    after: object({ a: number }, "a"),
    phrase: "",
  },
  "definitions change below a reference": {
    before: { ...object({ a: { $ref: "#/$defs/Id" } }), $defs: { Id: text } },
    after: { ...object({ a: { $ref: "#/$defs/Id" } }), $defs: { Id: { type: "string", minLength: 3 } } },
    phrase: "whose a is shorter than 3 characters",
  },
  "a name with markup": {
    before: object({ "\u001b[31m": text }),
    after: object({ "\u001b[31m": text }, "\u001b[31m"),
    phrase: 'without "\\u001b[31m"',
  },
  "a condition has no words": {
    before: object({ a: text }),
    after: { ...object({ a: text }), if: { required: ["b"] }, then: { required: ["a"] } },
    phrase: undefined,
  },
  "too many words": {
    before: object({ a: { enum: Array.from({ length: 40 }, (_, index) => `value ${index}`) } }),
    after: object({ a: { enum: ["value 1"] } }),
    phrase: undefined,
  },
};

describe("the values that a change refuses", () => {
  it.each(Object.entries(ROWS))("%s", async (_name, { before, after, phrase }) => {
    const difference = await findDifference(before, after, checkContainment);
    const expected = phrase === undefined ? undefined : `every event ${phrase}`.trim();
    expect(difference && describeCases(difference.cases, "event")).toBe(expected);
    expect(difference).toBeDefined();
  });

  it("has no description if nothing is refused", async () => {
    expect(await findDifference(object({}), true, checkContainment)).toBeUndefined();
    expect(await findDifference(false, object({ a: text }), checkContainment)).toBeUndefined();
  });

  it("ends if a pattern of field names backtracks", async () => {
    const slow = (min: number): Json => ({
      ...object({ [`${"a".repeat(40)}!`]: text }),
      patternProperties: { "^(\\w+\\s?)+$": { type: "string", minLength: min } },
    });
    await findDifference(slow(0), slow(1), checkContainment);
  });

  it("has no description of what breaks at any depth", async () => {
    const tree = (name: Json): Json => ({
      $ref: "#/$defs/Tree",
      $defs: { Tree: object({ name, parts: list({ $ref: "#/$defs/Tree" }) }) },
    });
    expect(await findDifference(tree(text), tree({ enum: ["x"] }), checkContainment)).toBeUndefined();
  });
});
