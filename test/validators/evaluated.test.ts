/** If this fails, generated validators accept or refuse undeclared fields and items wrongly. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import { createRandom, type Random } from "../../generator/random.js";
import { readAs } from "../../generator/schema/readings.js";
import { compileGeneratedCode } from "../emit/evaluate.js";
import { compileIndependently } from "../schema/oracle.js";
import { createDefinition } from "../schema/schema-arbitrary.js";

const text = { type: "string" };
const CLOSED = { unevaluatedProperties: false };
const ENDED = { unevaluatedItems: false };
const pair = { prefixItems: [text, { const: 1 }] };

/** A schema, and values that it accepts and refuses. */
interface Row {
  /** The behaviour of validators, as the end of a sentence. */
  readonly about: string;
  readonly schema: JsonObject;
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
}

const ROWS: readonly Row[] = [
  {
    about: "evaluate no field by a condition that does not hold",
    schema: { if: { required: ["z"], properties: { a: true } }, then: { required: ["z"] }, ...CLOSED },
    good: [{}],
    bad: [{ a: 1 }],
  },
  {
    about: "evaluate the fields of a condition that holds",
    schema: {
      properties: { z: true },
      if: { required: ["z"], properties: { a: true } },
      else: text,
      ...CLOSED,
    },
    good: [{ z: 1, a: 1 }],
    bad: [{ z: 1, b: 1 }],
  },
  {
    about: "evaluate no field by the pattern of an alternative that fails",
    schema: { anyOf: [{}, { patternProperties: { "^a": text } }], ...CLOSED },
    good: [{ ab: "" }, {}],
    bad: [{ ab: 2 }, { b: "" }],
  },
  {
    about: "keep fields evaluated if a dependent schema does not apply",
    schema: { properties: { c: true }, dependentSchemas: { a: CLOSED }, ...CLOSED },
    good: [{ c: 1 }],
    bad: [{ c: 1, a: 1 }, { b: 1 }],
  },
  {
    about: "evaluate no item if no alternative evaluates it",
    schema: { anyOf: [{}, pair], ...ENDED },
    good: [[], ["a", 1]],
    bad: [
      ["a", 2],
      ["a", 1, 1],
    ],
  },
  {
    about: "evaluate all items that an alternative evaluates",
    schema: { anyOf: [{ items: text }, pair], ...ENDED },
    good: [
      ["a", "b", "c"],
      ["a", 1],
    ],
    bad: [["a", 1, 1]],
  },
  {
    about: "keep items evaluated beside keywords for objects",
    schema: { prefixItems: [true], dependentSchemas: { a: { anyOf: [{ prefixItems: [{}] }] } }, ...ENDED },
    good: [[1]],
    bad: [[1, 2]],
  },
  {
    about: "check the other keywords of a list that is shorter than prefixItems",
    schema: { not: { prefixItems: [text], contains: {} } },
    good: [[], [1]],
    bad: [["a"]],
  },
];

describe("generated validators", () => {
  it.each(ROWS)("$about", async ({ schema, good, bad }) => {
    const [listIssues, other] = [
      compileGeneratedCode({ schema, $defs: {} }),
      await compileIndependently(schema),
    ];
    const values = [...good, ...bad];
    expect(values.filter((value) => listIssues(value).length === 0)).toEqual(good);
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
  ])("evaluate fields of a pattern beside a reference that evaluates %s", (_about, node) => {
    const schema = { $ref: "#/$defs/Node", patternProperties: { "^a": text }, ...CLOSED };
    const $defs = { Node: { ...node, properties: { next: { $ref: "#/$defs/Node" } } } };
    for (const beside of [schema, { anyOf: [{ $ref: "#/$defs/Node" }], ...schema, $ref: undefined }]) {
      const listIssues = compileGeneratedCode({ schema: JSON.parse(JSON.stringify(beside)), $defs });
      expect(listIssues({ ab: "" })).toEqual([]);
      expect(listIssues({ ab: 1 })).toHaveLength(1);
    }
  });

  it("remember nothing of earlier values", () => {
    const beside = (name: string) => ({ $ref: "#/$defs/Node", properties: { [name]: true } });
    const node = { type: "object", properties: { next: beside("x"), other: beside("y") } };
    const listIssues = compileGeneratedCode(
      readAs("writer", { $ref: "#/$defs/Node" }, { Node: createDefinition(node) }),
    );
    const wrong = { next: { other: { x: 1 } } };
    const first = listIssues(wrong);
    expect(first).toHaveLength(1);
    expect(listIssues({ next: { next: { x: 1 } } })).toEqual([]);
    expect(listIssues(wrong)).toEqual(first);
  });

  it("find the same errors in an item after any other items", () => {
    const fields = { anyOf: [{ properties: { a: text }, required: ["a"] }, { required: ["b"] }] };
    const Node = { ...fields, properties: { next: { $ref: "#/$defs/Node" } } };
    const listIssues = compileGeneratedCode({
      schema: { items: { $ref: "#/$defs/Node", ...CLOSED } },
      $defs: { Node },
    });
    const errors = listIssues([{ a: 1 }]);
    expect(errors).not.toEqual([]);
    expect(listIssues([{ a: "" }, { a: 1 }]).map((error) => error.replace("/1", "/0"))).toEqual(errors);
  });

  it("agree with another validator about random schemas", async () => {
    const random = createRandom(7);
    const seen = { accepted: 0, refused: 0 };
    for (let i = 0; i < 150; i++) {
      const schema = {
        ...createRandomSchema(random, 3),
        ...random.pick<JsonObject>([CLOSED, ENDED, { ...CLOSED, ...ENDED }]),
      };
      const [listIssues, other] = [
        compileGeneratedCode({ schema, $defs: {} }),
        await compileIndependently(schema),
      ];
      for (let j = 0; j < 20; j++) {
        const value = createRandomValue(random, 2);
        const accepted = listIssues(value).length === 0;
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
  () => CLOSED,
  () => ENDED,
];

function createRandomSchema(random: Random, depth: number): JsonObject {
  const parts = Array.from({ length: 1 + random.below(3) }, () =>
    depth > 0 && random.chance(0.6)
      ? random.pick(DEEP)(() => createRandomSchema(random, depth - 1), random)
      : random.pick(FLAT)(random),
  );
  return Object.assign({}, ...parts);
}

function createRandomValue(random: Random, depth: number): Json {
  const part = (): Json =>
    depth > 0 && random.chance(0.2)
      ? createRandomValue(random, depth - 1)
      : random.pick<Json>([1, 2, "s", ""]);
  return random.chance(0.5)
    ? Object.fromEntries(NAMES.filter(() => random.chance(0.5)).map((name) => [name, part()]))
    : Array.from({ length: random.below(4) }, part);
}
