/** What counts as evaluated, in generated validators: by cases of what plain Ajv gets wrong, and by another validator. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import { type Random, seededRandom } from "../../generator/random.js";
import { readAs } from "../../generator/schema/readings.js";
import { compileIndependently } from "../model/oracle.js";
import { createDefinition } from "../model/schema-arbitrary.js";
import { generated } from "./evaluate.js";

const text = { type: "string" };
const closed = { unevaluatedProperties: false };
const ended = { unevaluatedItems: false };
const pair = { prefixItems: [text, { const: 1 }] };

interface Row {
  readonly about: string;
  readonly schema: JsonObject;
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
}

const ROWS: readonly Row[] = [
  {
    about: "a condition that does not hold evaluates no field",
    schema: { if: { required: ["z"], properties: { a: true } }, then: { required: ["z"] }, ...closed },
    good: [{}],
    bad: [{ a: 1 }],
  },
  {
    about: "a condition that holds evaluates its fields, whatever else there is",
    schema: {
      properties: { z: true },
      if: { required: ["z"], properties: { a: true } },
      else: text,
      ...closed,
    },
    good: [{ z: 1, a: 1 }],
    bad: [{ z: 1, b: 1 }],
  },
  {
    about: "an alternative that fails evaluates no field of a pattern",
    schema: { anyOf: [{}, { patternProperties: { "^a": text } }], ...closed },
    good: [{ ab: "" }, {}],
    bad: [{ ab: 2 }, { b: "" }],
  },
  {
    about: "fields stay evaluated where an alternative does not apply",
    schema: { properties: { c: true }, dependentSchemas: { a: closed }, ...closed },
    good: [{ c: 1 }],
    bad: [{ c: 1, a: 1 }, { b: 1 }],
  },
  {
    about: "no item is evaluated where no alternative did",
    schema: { anyOf: [{}, pair], ...ended },
    good: [[], ["a", 1]],
    bad: [
      ["a", 2],
      ["a", 1, 1],
    ],
  },
  {
    about: "all items are evaluated where an alternative did",
    schema: { anyOf: [{ items: text }, pair], ...ended },
    good: [
      ["a", "b", "c"],
      ["a", 1],
    ],
    bad: [["a", 1, 1]],
  },
  {
    about: "items stay evaluated beside what is for objects only",
    schema: { prefixItems: [true], dependentSchemas: { a: { anyOf: [{ prefixItems: [{}] }] } }, ...ended },
    good: [[1]],
    bad: [[1, 2]],
  },
  {
    about: "a list that is too short for a place is looked at further",
    schema: { not: { prefixItems: [text], contains: {} } },
    good: [[], [1]],
    bad: [["a"]],
  },
];

describe("generated validators", () => {
  it.each(ROWS)("$about", async ({ schema, good, bad }) => {
    const [listFaults, other] = [generated({ schema, $defs: {} }), await compileIndependently(schema)];
    const values = [...good, ...bad];
    expect(values.filter((value) => listFaults(value).length === 0)).toEqual(good);
    expect(values.filter((value) => other(value))).toEqual(good);
  });

  it.each<[about: string, schema: JsonObject]>([
    ["all fields", { additionalProperties: true }],
    ["perhaps all fields", { anyOf: [{ type: "string" }, { additionalProperties: true }] }],
    ["no field", { anyOf: [{ type: "string" }, {}] }],
    [
      "no field of an object",
      { anyOf: [{ type: "object" }, { properties: { z: { $ref: "#/$defs/Node" } } }] },
    ],
  ])("note fields of a pattern beside a reference that evaluates %s", (_about, node) => {
    const schema = { $ref: "#/$defs/Node", patternProperties: { "^a": text }, ...closed };
    const $defs = { Node: { ...node, properties: { next: { $ref: "#/$defs/Node" } } } };
    for (const beside of [schema, { anyOf: [{ $ref: "#/$defs/Node" }], ...schema, $ref: undefined }]) {
      const listFaults = generated({ schema: JSON.parse(JSON.stringify(beside)), $defs });
      expect(listFaults({ ab: "" })).toEqual([]);
      expect(listFaults({ ab: 1 })).toHaveLength(1);
    }
  });

  it("remember nothing of the values before", () => {
    const beside = (name: string) => ({ $ref: "#/$defs/Node", properties: { [name]: true } });
    const node = { type: "object", properties: { next: beside("x"), other: beside("y") } };
    const listFaults = generated(
      readAs("writer", { $ref: "#/$defs/Node" }, { Node: createDefinition(node) }),
    );
    const wrong = { next: { other: { x: 1 } } };
    const first = listFaults(wrong);
    expect(first).toHaveLength(1);
    expect(listFaults({ next: { next: { x: 1 } } })).toEqual([]);
    expect(listFaults(wrong)).toEqual(first);
  });

  it("find the same errors in an item whatever items stand before it", () => {
    const fields = { anyOf: [{ properties: { a: text }, required: ["a"] }, { required: ["b"] }] };
    const Node = { ...fields, properties: { next: { $ref: "#/$defs/Node" } } };
    const listFaults = generated({ schema: { items: { $ref: "#/$defs/Node", ...closed } }, $defs: { Node } });
    const errors = listFaults([{ a: 1 }]);
    expect(errors).not.toEqual([]);
    expect(listFaults([{ a: "" }, { a: 1 }]).map((error) => error.replace("/1", "/0"))).toEqual(errors);
  });

  it("say of random schemas what another validator says", { timeout: 60_000 }, async () => {
    const random = seededRandom(7);
    const seen = { accepted: 0, refused: 0 };
    for (let i = 0; i < 150; i++) {
      const schema = {
        ...randomSchema(random, 3),
        ...random.pick<JsonObject>([closed, ended, { ...closed, ...ended }]),
      };
      const [listFaults, other] = [generated({ schema, $defs: {} }), await compileIndependently(schema)];
      for (let j = 0; j < 20; j++) {
        const value = randomValue(random, 2);
        const accepted = listFaults(value).length === 0;
        expect({ schema, value, accepted }).toEqual({ schema, value, accepted: other(value) });
        seen[accepted ? "accepted" : "refused"]++;
      }
    }
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(500);
  });
});

const NAMES = ["a", "b", "c", "ab"];
const FLAT: readonly ((random: Random) => JsonObject)[] = [
  (r) => ({ properties: { [r.pick(NAMES)]: r.pick<Json>([true, text, { const: 1 }]) } }),
  (r) => ({ patternProperties: { [r.pick(["^a", "b"])]: r.pick<Json>([true, text]) } }),
  (r) => ({ required: [r.pick(NAMES)] }),
  (r) => ({ prefixItems: r.pick<Json>([[true], [text, { const: 1 }]]) }),
  (r) => ({ items: r.pick<Json>([text, { type: "integer" }]) }),
  (r) => ({ minItems: r.below(3) }),
];
const DEEP: readonly ((sub: () => Json, random: Random) => JsonObject)[] = [
  ...["anyOf", "oneOf", "allOf"].map((keyword) => (sub: () => Json) => ({ [keyword]: [sub(), sub()] })),
  (sub) => ({ if: sub(), then: sub(), else: sub() }),
  (sub) => ({ if: sub(), else: sub() }),
  (sub) => ({ not: sub() }),
  (sub, r) => ({ dependentSchemas: { [r.pick(NAMES)]: sub() } }),
  (sub, r) => ({ properties: { [r.pick(NAMES)]: sub() } }),
  () => closed,
  () => ended,
];

function randomSchema(random: Random, depth: number): JsonObject {
  const parts = Array.from({ length: 1 + random.below(3) }, () =>
    depth > 0 && random.chance(0.6)
      ? random.pick(DEEP)(() => randomSchema(random, depth - 1), random)
      : random.pick(FLAT)(random),
  );
  return Object.assign({}, ...parts);
}

function randomValue(random: Random, depth: number): Json {
  const part = (): Json =>
    depth > 0 && random.chance(0.2) ? randomValue(random, depth - 1) : random.pick<Json>([1, 2, "s", ""]);
  return random.chance(0.5)
    ? Object.fromEntries(NAMES.filter(() => random.chance(0.5)).map((name) => [name, part()]))
    : Array.from({ length: random.below(4) }, part);
}
