/**
 * Creates schemas of one type that use few words, with a list of all relevant values. A verdict on two such schemas can
 * be checked with every value. Random values would seldom include the one that shows the difference.
 */

import { createObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { type Dialect, isAtLeast } from "../../generator/schema/dialects.js";
import { KEYWORDS, type Words } from "./random.js";

/** A type, the words of its schemas, and all relevant values. */
interface Family {
  readonly type: "string" | "number" | "array" | "object";
  readonly words: Words;
  readonly values: readonly Json[];
}

/** The subschemas of arrays and objects. */
const SUBSCHEMAS: readonly Json[] = [
  { enum: [0] },
  { enum: [1] },
  { enum: [0, 1] },
  { type: "number" },
  { type: "string" },
  { not: {} },
  {},
];

const WORDS: Words = {
  keys: ["a", "b", "ab"],
  patterns: ["^a", "b$", "^.$", "a"],
  numbers: [0, 1, 2, 3, 4, 5, 6, 7, 0.5, 1.5, 8.5],
  strings: [...listWords(["a", "b", "1"], 3), "x-1", "ab\n", "é", "😀", "a b"],
};
const PATTERNS = [
  ...["^a", "b$", "a", "^[ab]+$", "^(ab|b)*$", "^.$", "\\d", "[^a]", "^$", "a\\b", "^(?!a)"],
  ...["^a.*b$", "^[^1]*$", "^(a|1){2}$", "b|1", "^\\w+$", "(^a|1$)", "^a?b?$"],
];
/** The multiples of 0.5 from -5 to 14.5. */
const HALVES = Array.from({ length: 40 }, (_, i) => (i - 10) / 2);

const FAMILIES: readonly Family[] = [
  { type: "string", words: { ...WORDS, patterns: PATTERNS }, values: WORDS.strings },
  { type: "number", words: WORDS, values: [...HALVES, 0.1, 1.25, 100] },
  { type: "array", words: WORDS, values: listArrays([0, 1, "a"], 3) },
  { type: "object", words: WORDS, values: listObjects(WORDS.keys, [0, 1, "a"]) },
];

function createLeaf(random: Random, dialect: Dialect, { type, words }: Family): JsonObject {
  const { flat = [], deep = [] } = KEYWORDS[type] ?? {};
  return random.pick([...flat, ...deep])(random, words, () => random.pick(SUBSCHEMAS), dialect);
}

/** Creates two schemas of one family. Also returns all values of the family. */
export function createFamilyPair(
  random: Random,
  dialect: Dialect,
): { a: Json; b: Json; values: readonly Json[] } {
  const family = random.pick(FAMILIES);
  const createSchema = () => ({ type: family.type, allOf: [createTree(random, dialect, family, 2)] });
  const a = createSchema();
  const b = random.chance(0.4) ? { ...a, anyOf: [createTree(random, dialect, family, 1)] } : createSchema();
  const union = { type: family.type, anyOf: [...b.allOf, createTree(random, dialect, family, 1)] };
  const other = random.chance(0.3) ? union : b;
  const { values } = family;
  return random.chance(0.5) ? { a, b: other, values } : { a: other, b: a, values };
}

function createTree(random: Random, dialect: Dialect, family: Family, depth: number): JsonObject {
  const createSubtree = () => createTree(random, dialect, family, depth - 1);
  if (depth === 0 || random.chance(0.3))
    return {
      ...createLeaf(random, dialect, family),
      ...(random.chance(0.4) && createLeaf(random, dialect, family)),
    };
  const createConditional = () =>
    isAtLeast(dialect, "draft7")
      ? {
          if: createSubtree(),
          [random.pick(["then", "else"])]: createSubtree(),
          ...createLeaf(random, dialect, family),
        }
      : { not: createSubtree() };
  return random.pick<() => JsonObject>([
    () => ({ allOf: [createSubtree(), createSubtree()], ...createLeaf(random, dialect, family) }),
    () => ({ anyOf: [createSubtree(), createSubtree()], ...createLeaf(random, dialect, family) }),
    () => ({ oneOf: [createSubtree(), createSubtree(), createSubtree()] }),
    () => ({ not: createSubtree() }),
    createConditional,
  ])();
}

function listWords(letters: readonly string[], maxLength: number): string[] {
  return listArrays(letters, maxLength).map((letters) => (letters as readonly string[]).join(""));
}

function listArrays(items: readonly Json[], maxLength: number): readonly Json[] {
  if (maxLength === 0) return [[]];
  const shorter = listArrays(items, maxLength - 1) as readonly (readonly Json[])[];
  const longest = shorter.filter((list) => list.length === maxLength - 1);
  return [...shorter, ...longest.flatMap((list) => items.map((item) => [...list, item]))];
}

function listObjects(keys: readonly string[], values: readonly Json[]): readonly Json[] {
  const [key, ...others] = keys;
  if (key === undefined) return [{}];
  const rest = listObjects(others, values) as readonly JsonObject[];
  return rest.flatMap((record) => [
    record,
    ...values.map((value) => createObject([[key, value], ...Object.entries(record)])),
  ]);
}
