/**
 * Small worlds: schemas about one type with few words, and all values of that world. What is said about two such
 * schemas can be checked against every value, which random instances seldom reach.
 */

import { type Json, type JsonObject, objectFrom } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { type Dialect, isAtLeast } from "../../generator/schema/dialects.js";
import { KEYWORDS, type Words } from "./random.js";

/** A world: a type, the words of its schemas, and all its values. */
interface Family {
  readonly type: "string" | "number" | "array" | "object";
  readonly words: Words;
  readonly values: readonly Json[];
}

/** The subschemas of arrays and objects. */
const SUBSCHEMAS: readonly Json[] = [
  ...[
    { enum: [0] },
    { enum: [1] },
    { enum: [0, 1] },
    { type: "number" },
    { type: "string" },
    { not: {} },
    {},
  ],
];

const WORDS: Words = {
  keys: ["a", "b", "ab"],
  patterns: ["^a", "b$", "^.$", "a"],
  numbers: [0, 1, 2, 3, 4, 5, 6, 7, 0.5, 1.5, 8.5],
  strings: [...words(["a", "b", "1"], 3), "x-1", "ab\n", "é", "😀", "a b"],
};
const PATTERNS = [
  ...["^a", "b$", "a", "^[ab]+$", "^(ab|b)*$", "^.$", "\\d", "[^a]", "^$", "a\\b", "^(?!a)"],
  ...["^a.*b$", "^[^1]*$", "^(a|1){2}$", "b|1", "^\\w+$", "(^a|1$)", "^a?b?$"],
];
const HALVES = Array.from({ length: 40 }, (_, i) => (i - 10) / 2);

const FAMILIES: readonly Family[] = [
  { type: "string", words: { ...WORDS, patterns: PATTERNS }, values: WORDS.strings },
  { type: "number", words: WORDS, values: [...HALVES, 0.1, 1.25, 100] },
  { type: "array", words: WORDS, values: lists([0, 1, "a"], 3) },
  { type: "object", words: WORDS, values: records(WORDS.keys, [0, 1, "a"]) },
];

function leaf(random: Random, dialect: Dialect, { type, words }: Family): JsonObject {
  const { flat = [], deep = [] } = KEYWORDS[type] ?? {};
  return random.pick([...flat, ...deep])(random, words, () => random.pick(SUBSCHEMAS), dialect);
}

/** Two schemas of one small world, and all its values. */
export function smallWorld(random: Random, dialect: Dialect): { a: Json; b: Json; values: readonly Json[] } {
  const family = random.pick(FAMILIES);
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
    return { ...leaf(random, dialect, family), ...(random.chance(0.4) && leaf(random, dialect, family)) };
  const conditional = () =>
    isAtLeast(dialect, "draft7")
      ? { if: sub(), [random.pick(["then", "else"])]: sub(), ...leaf(random, dialect, family) }
      : { not: sub() };
  return random.pick<() => JsonObject>([
    () => ({ allOf: [sub(), sub()], ...leaf(random, dialect, family) }),
    () => ({ anyOf: [sub(), sub()], ...leaf(random, dialect, family) }),
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
