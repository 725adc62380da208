/** If this fails, a validator that remembers its results differs from Ajv, or checks a value again for each alternative. */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getItem } from "../../generator/get-item.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { buildDocument, PROFILES, readAs } from "../../generator/schema/readings.js";
import { createDefinitions } from "../../generator/schema/reference.js";
import { createLazyCheck } from "../../generator/validators/check.js";
import { markUnions, ONCE } from "../../generator/validators/repeated-definitions.js";

const TEXT = { type: "string" };
const refer = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const wrap = (name: string, schema: Json): JsonObject => ({
  type: "object",
  properties: { [name]: schema },
  required: [name],
});

/** Definitions of a value `a`, and those that a validator would check again and again. */
const GRAPHS: { readonly [name: string]: readonly [$defs: JsonObject, repeated: readonly string[]] } = {
  "a recursive union without a tag": [
    { a: { anyOf: [TEXT, wrap("k", refer("a")), { ...wrap("k", refer("a")), maxProperties: 2 }] } },
    ["a"],
  ],
  "one alternative for each field": [
    { a: { anyOf: [TEXT, wrap("k", refer("a")), wrap("l", refer("a"))] } },
    [],
  ],
  "a field with a name and the others": [
    {
      a: {
        anyOf: [TEXT, wrap("k", refer("a")), { type: "object", additionalProperties: refer("a") }],
      },
    },
    ["a"],
  ],
  "items of two alternatives": [
    { a: { oneOf: [TEXT, { type: "array", items: refer("a") }, { items: refer("a"), minItems: 1 }] } },
    ["a"],
  ],
  "two alternatives that lead to one definition without a union": [
    { a: { anyOf: [wrap("k", refer("b")), wrap("k", refer("b"))] }, b: wrap("c", refer("c")), c: TEXT },
    [],
  ],
  "a chain of four": [
    {
      a: { oneOf: [refer("b"), wrap("k", refer("b"))] },
      b: { oneOf: [refer("c"), wrap("k", refer("c"))] },
      c: { oneOf: [refer("d"), wrap("k", refer("d"))] },
      d: { oneOf: [TEXT, wrap("k", refer("e")), refer("e")] },
      e: TEXT,
    },
    ["c"],
  ],
  "keywords beside a union": [
    {
      a: { ...wrap("k", refer("b")), anyOf: [wrap("k", refer("b")), TEXT] },
      b: { anyOf: [refer("a"), TEXT] },
    },
    ["a", "b"],
  ],
};

describe.each(Object.entries(GRAPHS))("%s", (_name, [$defs, repeated]) => {
  it("marks what is repeated", () => {
    const reading = markUnions(readAs("reader", refer("a"), createDefinitions($defs)));
    const marked = Object.entries(reading.$defs).flatMap(([name, schema]) =>
      JSON.stringify(schema).includes(ONCE) ? [name] : [],
    );
    expect(marked.sort()).toEqual(repeated);
  });
});

const NAMES = ["a", "b", "c", "d"];
const references = fc.constantFrom(...NAMES).map(refer);
const alternatives: fc.Arbitrary<Json> = fc.oneof(
  references,
  fc.constantFrom(TEXT, { type: "integer" }),
  fc.tuple(fc.constantFrom("k", "l"), references).map(([name, schema]) => wrap(name, schema)),
  references.map((items) => ({ type: "array", items })),
  references.map((additionalProperties) => ({ type: "object", additionalProperties })),
);
/** Definitions whose unions lead in the same place only to later ones, because Ajv would not end otherwise. */
const graphs = fc
  .tuple(
    ...NAMES.map((_, index) =>
      fc.record({
        keyword: fc.constantFrom("anyOf", "oneOf", "allOf"),
        parts: fc
          .array(alternatives, { minLength: 2, maxLength: 3 })
          .map((parts) =>
            parts.filter((part) => !NAMES.slice(0, index + 1).some((name) => isReference(part, name))),
          ),
      }),
    ),
  )
  .map(
    (definitions): JsonObject =>
      Object.fromEntries(
        definitions.map(({ keyword, parts }, index) => [
          getItem(NAMES, index),
          parts.length === 0 ? TEXT : { [keyword]: parts },
        ]),
      ),
  );

function isReference(schema: Json, name: string): boolean {
  return JSON.stringify(schema) === JSON.stringify(refer(name));
}

const { value: values } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("x", 1, null),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.record({ k: tie("value"), l: tie("value") }, { requiredKeys: [] }).map((each) => each as JsonObject),
  ),
}));

it.each(PROFILES)("has the verdicts of Ajv for random definitions as %s", (profile) => {
  fc.assert(
    fc.property(graphs, fc.array(values, { minLength: 8, maxLength: 8 }), ($defs, list) => {
      const reading = readAs(profile, refer("a"), createDefinitions($defs));
      const accepts = createLazyCheck(() => reading);
      const ajv = new Ajv2020({ strict: false, ownProperties: true }).compile(buildDocument(reading));
      for (const value of list) {
        expect(accepts(value)).toBe(ajv(value));
        expect((accepts.errors ?? []).length > 0).toBe(!ajv(value));
      }
    }),
    { numRuns: 80, seed: 11 },
  );
});

it.each(PROFILES)("a value of 60 levels is checked at once by the %s", (profile) => {
  const chain = Object.fromEntries(
    Array.from({ length: 60 }, (_, index): [string, Json] => [
      `d${index}`,
      { oneOf: [refer(`d${index + 1}`), wrap("k", refer(`d${index + 1}`))] },
    ]),
  );
  const definitions = createDefinitions({ ...chain, d60: TEXT });
  const accepts = createLazyCheck(() => readAs(profile, refer("d0"), definitions));
  const nest = (depth: number): Json => (depth === 0 ? "x" : { k: nest(depth - 1) });
  expect(accepts(nest(60))).toBe(true);
  expect(accepts(nest(61))).toBe(false);
});

it("remembers which fields a definition evaluates", () => {
  const n: JsonObject = {
    anyOf: [
      wrap("x", TEXT),
      wrap("k", refer("n")),
      { ...wrap("k", refer("n")), properties: { k: refer("n"), w: true } },
    ],
  };
  // The first two alternatives fail after they have checked the value and its field `m`.
  const r: JsonObject = {
    anyOf: [
      { allOf: [refer("n")], required: ["absent"] },
      { properties: { m: refer("n") }, required: ["absent"] },
      refer("n"),
    ],
    properties: { m: true },
  };
  const schema: JsonObject = {
    anyOf: [{ allOf: [refer("r")], required: ["absent"] }, refer("r")],
    unevaluatedProperties: false,
  };
  const accepts = createLazyCheck(() => ({ schema, $defs: { n, r } }));
  expect(accepts({ x: "1", k: { x: "2" }, m: { x: "3" } })).toBe(true);
  expect(accepts({ x: "1", k: { x: "2" }, m: { x: "3" }, other: 1 })).toBe(false);
});
