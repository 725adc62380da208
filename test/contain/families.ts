/**
 * Small worlds: schemas about one type with few words, and all values of that world. What is said about two such
 * schemas can be checked against every value, which random instances seldom reach.
 */

import { type Json, type JsonObject, objectFrom } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { type Dialect, since } from "../../generator/schema/dialects.js";

/** A world: how to make a constraint of it, and its values. */
interface Family {
  readonly type: string;
  readonly values: readonly Json[];
  leaf(random: Random, dialect: Dialect): JsonObject;
}

const SMALL: readonly Json[] = [
  { enum: [0] },
  { enum: [1] },
  { enum: [0, 1] },
  { type: "number" },
  { type: "string" },
  { not: {} },
  {},
];

const strings: Family = {
  type: "string",
  values: words(["a", "b", "1"], 3).concat(["x-1", "ab\n", "é", "😀", "a b"]),
  leaf: (random) =>
    random.pick<() => JsonObject>([
      () => ({
        pattern: random.pick([
          "^a",
          "b$",
          "a",
          "^[ab]+$",
          "^(ab|b)*$",
          "^.$",
          "\\d",
          "[^a]",
          "^$",
          "a\\b",
          "^(?!a)",
        ]),
      }),
      () => ({
        pattern: random.pick(["^a.*b$", "^[^1]*$", "^(a|1){2}$", "b|1", "^\\w+$", "(^a|1$)", "^a?b?$"]),
      }),
      () => ({ minLength: random.below(4) }),
      () => ({ maxLength: random.below(4) }),
      () => ({ enum: [...new Set([random.pick(strings.values), random.pick(strings.values)])] }),
    ])(),
};

const numbers: Family = {
  type: "number",
  values: Array.from({ length: 40 }, (_, i) => (i - 10) / 2).concat([0.1, 1.25, 100]),
  leaf: (random, dialect) =>
    random.pick<() => JsonObject>([
      () => ({ minimum: random.below(6) }),
      () => ({ maximum: random.below(8) }),
      () =>
        dialect === "draft4" ? { minimum: 2, exclusiveMinimum: true } : { exclusiveMinimum: random.below(6) },
      () =>
        dialect === "draft4" ? { maximum: 4, exclusiveMaximum: true } : { exclusiveMaximum: random.below(6) },
      () => ({ multipleOf: random.pick([1, 2, 3, 0.5, 1.5, 4]) }),
      () => ({ type: "integer" }),
      () => ({ enum: [random.below(5), random.below(9) + 0.5] }),
    ])(),
};

const arrays: Family = {
  type: "array",
  values: lists([0, 1, "a"], 3),
  leaf: (random, dialect) => {
    const sub = () => random.pick(SMALL);
    const tuple = () => Array.from({ length: 1 + random.below(2) }, sub);
    return random.pick<() => JsonObject>([
      () => ({ items: sub() }),
      () =>
        dialect === "2020-12"
          ? { prefixItems: tuple(), items: sub() }
          : { items: tuple(), additionalItems: sub() },
      () => (dialect === "2020-12" ? { prefixItems: tuple() } : { items: tuple() }),
      () => (since(dialect, "draft6") ? { contains: sub() } : { minItems: 1 }),
      () => ({
        ...(since(dialect, "2019-09") && {
          contains: sub(),
          minContains: random.below(3),
          maxContains: 1 + random.below(2),
        }),
      }),
      () => ({ minItems: random.below(4) }),
      () => ({ maxItems: random.below(4) }),
      () => ({ uniqueItems: true }),
      () => ({ ...(dialect === "2020-12" && { unevaluatedItems: sub() }) }),
    ])();
  },
};

const objects: Family = {
  type: "object",
  values: records(["a", "b", "ab"], [0, 1, "a"]),
  leaf: (random, dialect) => {
    const sub = () => random.pick(SMALL);
    const key = () => random.pick(["a", "b", "ab"]);
    const pattern = () => random.pick(["^a", "b$", "^.$", "a"]);
    return random.pick<() => JsonObject>([
      () => ({ properties: { [key()]: sub(), [key()]: sub() } }),
      () => ({ patternProperties: { [pattern()]: sub() } }),
      () => ({ properties: { [key()]: sub() }, additionalProperties: sub() }),
      () => ({ patternProperties: { [pattern()]: sub() }, additionalProperties: sub() }),
      () => ({ ...(since(dialect, "draft6") && { propertyNames: { pattern: pattern() } }) }),
      () => ({ required: [key()] }),
      () => ({ minProperties: random.below(4) }),
      () => ({ maxProperties: random.below(4) }),
      () =>
        since(dialect, "2019-09")
          ? { dependentRequired: { [key()]: [key()] } }
          : { dependencies: { [key()]: [key()] } },
      () => ({
        ...(since(dialect, "2019-09") && {
          dependentSchemas: { [key()]: { properties: { [key()]: sub() } } },
        }),
      }),
      () => ({ ...(since(dialect, "2019-09") && { unevaluatedProperties: sub() }) }),
    ])();
  },
};

/** Two schemas of one small world, and all its values. */
export function smallWorld(random: Random, dialect: Dialect): { a: Json; b: Json; values: readonly Json[] } {
  const family = random.pick([strings, numbers, arrays, objects]);
  const make = () => ({ type: family.type, allOf: [tree(random, dialect, family, 2)] });
  const a = make();
  const b = random.chance(0.4) ? { ...a, anyOf: [tree(random, dialect, family, 1)] } : make();
  const union = { type: family.type, anyOf: [...b.allOf, tree(random, dialect, family, 1)] };
  const other = random.chance(0.3) ? union : b;
  return random.chance(0.5)
    ? { a, b: other, values: family.values }
    : { a: other, b: a, values: family.values };
}

function tree(random: Random, dialect: Dialect, family: Family, depth: number): JsonObject {
  const sub = () => tree(random, dialect, family, depth - 1);
  if (depth === 0 || random.chance(0.3))
    return { ...family.leaf(random, dialect), ...(random.chance(0.4) && family.leaf(random, dialect)) };
  const conditional = () =>
    since(dialect, "draft7")
      ? { if: sub(), [random.pick(["then", "else"])]: sub(), ...family.leaf(random, dialect) }
      : { not: sub() };
  return random.pick<() => JsonObject>([
    () => ({ allOf: [sub(), sub()], ...family.leaf(random, dialect) }),
    () => ({ anyOf: [sub(), sub()], ...family.leaf(random, dialect) }),
    () => ({ oneOf: [sub(), sub(), sub()] }),
    () => ({ not: sub() }),
    conditional,
  ])();
}

function words(letters: readonly string[], most: number): string[] {
  return lists(letters, most).map((letters) => (letters as readonly string[]).join(""));
}

function lists(items: readonly Json[], most: number): readonly Json[] {
  if (most === 0) return [[]];
  const shorter = lists(items, most - 1) as readonly (readonly Json[])[];
  const longest = shorter.filter((list) => list.length === most - 1);
  return [...shorter, ...longest.flatMap((list) => items.map((item) => [...list, item]))];
}

function records(keys: readonly string[], values: readonly Json[]): readonly Json[] {
  const [key, ...others] = keys;
  if (key === undefined) return [{}];
  const rest = records(others, values) as readonly JsonObject[];
  return rest.flatMap((record) => [
    record,
    ...values.map((value) => objectFrom([[key, value], ...Object.entries(record)])),
  ]);
}
