/**
 * If this fails, two alternatives are compared that are not versions of each other, so compat reports fields as removed
 * that are still there; or alternatives that were only moved are reported as changed.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchAlternatives } from "../../generator/compat/diff/match-alternatives.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { createSpot } from "../../generator/schema/describe.js";
import type { Definitions } from "../../generator/schema/reference.js";

const text = { type: "string" };
const count = { type: "integer" };
/** Creates an object with these fields, whose constants are `constants`. */
const createObject = (constants: JsonObject, ...fields: readonly string[]): JsonObject => ({
  type: "object",
  properties: {
    ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, { const: value }])),
    ...Object.fromEntries(fields.map((name) => [name, text])),
  },
  required: [...Object.keys(constants), ...fields],
});
/** Creates an object without constants, whose field `vital` is an object with a constant. */
const createHolder = (type: string, ...fields: readonly string[]): JsonObject => ({
  type: "object",
  properties: { vital: createObject({ type }, ...fields) },
  required: ["vital"],
});
const createReference = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

/** Alternatives before and after, and the indexes of those that are versions of each other. Equal ones are left out. */
interface Case {
  readonly about: string;
  readonly before: readonly Json[];
  readonly after: readonly Json[];
  readonly pairs: readonly (readonly [before: number, after: number])[];
  readonly onlyBefore?: readonly number[];
  readonly onlyAfter?: readonly number[];
  readonly definitions?: readonly [before: JsonObject, after: JsonObject];
}

const stdio = ["name", "command", "args", "env"];
const CASES: readonly Case[] = [
  {
    about: "equal alternatives in another order",
    before: [text, count, createObject({ kind: "a" }, "x")],
    after: [createObject({ kind: "a" }, "x"), text, count],
    pairs: [],
  },
  {
    about: "one with a constant and one without, of which the others differ (ACP's servers)",
    before: [
      createObject({ type: "http" }, "url"),
      createObject({ type: "sse" }, "url"),
      createObject({}, ...stdio),
    ],
    after: [createObject({ type: "http" }, "url", "id"), createObject({ type: "stdio" }, ...stdio, "id")],
    pairs: [[0, 0]],
    onlyBefore: [1, 2],
    onlyAfter: [1],
  },
  {
    about: "one with a new constant and otherwise the same fields",
    before: [createObject({ type: "sse" }, "url"), createObject({}, ...stdio)],
    after: [createObject({ type: "stdio" }, ...stdio), createObject({ type: "sse" }, "url")],
    pairs: [[1, 0]],
  },
  {
    about: "one with a constant and one without, each the only one left",
    before: [text, createObject({ type: "sse" }, "url")],
    after: [text, createObject({}, "url", "env")],
    pairs: [],
    onlyBefore: [1],
    onlyAfter: [1],
  },
  {
    about: "different constants, each the only one left",
    before: [text, createObject({ kind: "a" }, "x")],
    after: [text, createObject({ kind: "b" }, "x")],
    pairs: [],
    onlyBefore: [1],
    onlyAfter: [1],
  },
  {
    about: "the same constant and other fields, in another order",
    before: [createObject({ kind: "a" }, "x"), createObject({ kind: "b" }, "y")],
    after: [createObject({ kind: "b" }, "v"), createObject({ kind: "a" }, "w")],
    pairs: [
      [0, 1],
      [1, 0],
    ],
  },
  {
    about: "one constant that every alternative has, and one that tells them apart",
    before: [createObject({ rpc: "2", method: "a" }, "x"), createObject({ rpc: "2", method: "b" }, "y")],
    after: [createObject({ rpc: "2", method: "c" }, "x"), createObject({ rpc: "2", method: "b" }, "y", "z")],
    pairs: [[1, 1]],
    onlyBefore: [0],
    onlyAfter: [0],
  },
  {
    about: "a constant that changes beside one that stays",
    before: [createObject({ kind: "a", v: 1 }, "x"), createObject({ kind: "b", v: 1 }, "x")],
    after: [createObject({ kind: "b", v: 2 }, "x"), createObject({ kind: "a", v: 2 }, "x")],
    pairs: [
      [0, 1],
      [1, 0],
    ],
  },
  {
    about: "constants that exchange their fields",
    before: [createObject({ a: 1, b: 1 }), createObject({ a: 2, b: 2 })],
    after: [createObject({ a: 1, b: 2 }), createObject({ a: 2, b: 1 })],
    pairs: [],
    onlyBefore: [0, 1],
    onlyAfter: [0, 1],
  },
  {
    about: "objects inside of them with a constant, in another order (Datadog's vitals)",
    before: [createHolder("step", "x", "y"), createHolder("duration", "x", "y")],
    after: [createHolder("duration", "x", "z"), createHolder("step", "x", "z"), createHolder("socket", "x")],
    pairs: [
      [0, 1],
      [1, 0],
    ],
    onlyAfter: [2],
  },
  {
    about: "definitions of the same name with other fields",
    before: [createReference("One"), createReference("Two")],
    after: [createReference("Two"), createReference("One")],
    pairs: [
      [0, 1],
      [1, 0],
    ],
    definitions: [
      { One: createObject({}, "a"), Two: createObject({}, "b") },
      { One: createObject({}, "b", "c"), Two: createObject({}, "a", "c") },
    ],
  },
  {
    about: "values of other types in another order",
    before: [{ ...text, maxLength: 3 }, createObject({}, "x"), { type: "array", items: text }],
    after: [{ type: "array", items: count }, { ...text, maxLength: 4 }, createObject({}, "x", "y")],
    pairs: [
      [0, 1],
      [1, 2],
      [2, 0],
    ],
  },
  {
    about: "values without a common type",
    before: [text, count],
    after: [text, { type: "boolean" }],
    pairs: [],
    onlyBefore: [1],
    onlyAfter: [1],
  },
  {
    about: "single values",
    before: [{ const: "a" }, { const: "b" }],
    after: [{ const: "a" }, { const: "c" }],
    pairs: [],
    onlyBefore: [1],
    onlyAfter: [1],
  },
  {
    about: "objects that have most of their fields in common, in another order",
    before: [createObject({}, "uri", "text"), createObject({}, "uri", "blob"), createObject({}, "id")],
    after: [
      createObject({}, "uri", "blob", "mime"),
      createObject({}, "uri", "text", "mime"),
      createObject({}, "url"),
    ],
    pairs: [
      [0, 1],
      [1, 0],
    ],
    onlyBefore: [2],
    onlyAfter: [2],
  },
  {
    about: "objects that are equally like two others",
    before: [createObject({}, "a", "b")],
    after: [createObject({}, "a", "c"), createObject({}, "b", "d")],
    pairs: [],
    onlyBefore: [0],
    onlyAfter: [0, 1],
  },
  {
    about: "an object that is most like one of two others",
    before: [createObject({}, "a", "b")],
    after: [createObject({}, "a", "c"), createObject({}, "a", "b", "d")],
    pairs: [[0, 1]],
    onlyAfter: [0],
  },
];

/** Matches the alternatives, and returns their indexes. */
function matchIndexes(before: readonly Json[], after: readonly Json[], definitions?: Case["definitions"]) {
  const createUnion = (schemas: readonly Json[], side: string, defs: JsonObject = {}) => ({
    protocol: {
      definitions: Object.fromEntries(
        Object.entries(defs).map(([name, schema]) => [
          name,
          { schema, at: { file: side, pointer: `/$defs/${name}` } },
        ]),
      ) as unknown as Definitions,
    },
    spots: schemas.map((schema, index) => createSpot(schema, { file: side, pointer: `/anyOf/${index}` })),
  });
  const oldUnion = createUnion(before, "before", definitions?.[0]);
  const newUnion = createUnion(after, "after", definitions?.[1]);
  const { pairs, onlyBefore, onlyAfter } = matchAlternatives(oldUnion, newUnion);
  return {
    pairs: pairs.map(([old, now]) => [oldUnion.spots.indexOf(old), newUnion.spots.indexOf(now)]).sort(),
    onlyBefore: onlyBefore.map((spot) => oldUnion.spots.indexOf(spot)),
    onlyAfter: onlyAfter.map((spot) => newUnion.spots.indexOf(spot)),
  };
}

describe("alternatives are matched", () => {
  it.each(CASES)("$about", ({ before, after, definitions, pairs, onlyBefore = [], onlyAfter = [] }) => {
    expect(matchIndexes(before, after, definitions)).toEqual({ pairs, onlyBefore, onlyAfter });
  });

  it.each(CASES)("$about: the reverse change", ({ before, after, definitions, pairs, ...only }) => {
    const [first, second] = definitions ?? [{}, {}];
    expect(matchIndexes(after, before, [second, first])).toEqual({
      pairs: pairs.map(([old, now]) => [now, old]).sort(),
      onlyBefore: only.onlyAfter ?? [],
      onlyAfter: only.onlyBefore ?? [],
    });
  });
});

/** One alternative of a random union, and a later version of it that is certainly still the same alternative. */
interface Evolution {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * Unions whose alternatives have constants of their own, or fields of their own. The later version of an alternative has
 * another optional field, lacks one of three fields, or limits one. The seed of an alternative is in all its names.
 */
const evolutions: fc.Arbitrary<readonly Evolution[]> = fc
  .array(
    fc.record({
      isTagged: fc.boolean(),
      change: fc.constantFrom("add", "remove", "limit", "none"),
      hasCommonField: fc.boolean(),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((recipes) =>
    recipes.map(({ isTagged, change, hasCommonField }, seed) => {
      const names = [`a${seed}`, `b${seed}`, `c${seed}`, ...(hasCommonField ? ["meta"] : [])];
      const before = createObject(isTagged ? { type: `t${seed}` } : {}, ...names);
      const { [`a${seed}`]: _removed, ...rest } = before.properties as JsonObject;
      const properties = {
        add: { ...(before.properties as JsonObject), [`d${seed}`]: count },
        remove: rest,
        limit: { ...(before.properties as JsonObject), [`b${seed}`]: { ...text, maxLength: 9 } },
        none: before.properties as JsonObject,
      }[change];
      const required = (before.required as string[]).filter((name) => Object.hasOwn(properties, name));
      return { before, after: { ...before, properties, required } };
    }),
  );

describe("random unions", () => {
  it("differ from themselves in nothing, in any order", () => {
    const shuffled = evolutions.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, (sides) => {
        const [before, after] = sides.map((side) => side.map((each) => each.before));
        expect(matchIndexes(before ?? [], after ?? [])).toEqual({ pairs: [], onlyBefore: [], onlyAfter: [] });
      }),
    );
  });

  it("pair each alternative with its later version, wherever it stands and whichever others are gone or new", () => {
    const scenario = evolutions.chain((all) => {
      const indexes = all.map((_, index) => index);
      return fc.record({
        all: fc.constant(all),
        olds: fc.shuffledSubarray(indexes),
        news: fc.shuffledSubarray(indexes),
      });
    });
    fc.assert(
      fc.property(scenario, ({ all, olds, news }) => {
        const isChanged = (index: number) =>
          JSON.stringify(all[index]?.before) !== JSON.stringify(all[index]?.after);
        const expected = {
          pairs: olds
            .flatMap((seed, index) =>
              news.includes(seed) && isChanged(seed) ? [[index, news.indexOf(seed)]] : [],
            )
            .sort(),
          onlyBefore: olds.flatMap((seed, index) => (news.includes(seed) ? [] : [index])),
          onlyAfter: news.flatMap((seed, index) => (olds.includes(seed) ? [] : [index])),
        };
        const before = olds.map((seed) => all[seed]?.before ?? true);
        const after = news.map((seed) => all[seed]?.after ?? true);
        expect(matchIndexes(before, after)).toEqual(expected);
      }),
    );
  });
});
