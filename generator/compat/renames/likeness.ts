/** Measures the likeness of names and of schemas, from 0 to 1. */
import { distance } from "fastest-levenshtein";
import { canonical, isObject, type Json } from "../../json.js";
import { filterKeywords } from "../../schema/keywords.js";

/** The likeness of two forms of one word: `colour` and `color`, `seq` and `sequence`, `start` and `started`. */
const WORD_VARIANT_LIKENESS = 0.8;

/** A name that is prepared for comparisons. */
interface Spelling {
  readonly letters: string;
  readonly words: readonly string[];
}

/** Prepares a name that is compared with many others. */
export function prepareSpelling(name: string): Spelling {
  return { letters: normalizeName(name), words: splitWords(name) };
}

/** Returns the share of words that two names have in common, in any order and letter case. */
export function scoreNameLikeness(a: string, b: string): number {
  return scoreSpellingLikeness(prepareSpelling(a), prepareSpelling(b));
}

/** Returns the likeness of two prepared names. */
export function scoreSpellingLikeness(a: Spelling, b: Spelling): number {
  if (a.letters === b.letters) return 1;
  const remaining = [...b.words];
  /** The sum of the likenesses of the matched words. */
  let common = 0;
  for (const word of a.words) {
    const scores = remaining.map((other) => scoreWordLikeness(word, other));
    const best = Math.max(0, ...scores);
    if (best > 0) remaining.splice(scores.indexOf(best), 1);
    common += best;
  }
  const share = (2 * common) / Math.max(1, a.words.length + b.words.length);
  return share < WORD_VARIANT_LIKENESS && isMisspelling(a.letters, b.letters) ? WORD_VARIANT_LIKENESS : share;
}

/** Returns a name in lower case and without separators, which is equal for `tool_call_id` and `toolCallID`. */
export function normalizeName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}

/** Splits a name into words: `tool_call.toolID` into `tool`, `call`, `tool`, `id`. */
export function splitWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

function scoreWordLikeness(a: string, b: string): number {
  if (a === b) return 1;
  const short = a.length <= b.length ? a : b;
  const long = a.length <= b.length ? b : a;
  return isMisspelling(short, long) || isOtherForm(short, long) || isAbbreviation(short, long)
    ? WORD_VARIANT_LIKENESS
    : 0;
}

/** Returns whether two words of at least five letters differ in at most a quarter of the letters of the longer one: `colour` and `color`. */
function isMisspelling(a: string, b: string): boolean {
  const minLength = Math.min(a.length, b.length);
  const maxLength = Math.max(a.length, b.length);
  const maxDistance = maxLength / 4;
  // The difference of the lengths is a lower bound of the distance, and it is faster to compute.
  return minLength >= 5 && maxLength - minLength <= maxDistance && distance(a, b) <= maxDistance;
}

/** Returns whether two words begin with the same letters, at least two thirds of the longer word. */
function isOtherForm(short: string, long: string): boolean {
  let common = 0;
  while (common < short.length && short[common] === long[common]) common++;
  return common >= 3 && common * 3 >= long.length * 2;
}

/**
 * Returns whether `short` is the first letter and some later letters of `long`, as `seq` of `sequence` and `msg` of
 * `message`.
 */
function isAbbreviation(short: string, long: string): boolean {
  if (short.length < 2 || short.length > 4 || long.length < short.length + 3 || short[0] !== long[0])
    return false;
  let found = 0;
  for (const letter of long) if (letter === short[found]) found++;
  return found === short.length;
}

/** Returns the likeness of two schemas without references: 1 if equal, a half if they have a type in common, otherwise 0. */
export function scoreShapeLikeness(a: Json, b: Json): number {
  if (canonical(stripAnnotations(a)) === canonical(stripAnnotations(b))) return 1;
  const types = listTypes(b);
  return listTypes(a).some((type) => types.includes(type)) ? 0.5 : 0;
}

function listTypes(schema: Json): Json[] {
  if (!isObject(schema) || schema.type === undefined) return [];
  return [schema.type].flat().map((type) => (type === "integer" ? "number" : type));
}

/** Returns whether a schema has so few keywords that many others are equal to it by chance. */
export function isNearlyEmpty(schema: Json): boolean {
  const plain = stripAnnotations(schema);
  if (!isObject(plain)) return true;
  return Object.keys(plain).every((keyword) => ["type", "minLength", "minimum"].includes(keyword));
}

/** Keywords that limit values; some of them begin with `x-`. */
const CONSTRAINTS = filterKeywords(({ facet }) => facet !== "annotations");

/** Returns a schema without `deprecated`, `default` and annotations that begin with `x-`. */
export function stripAnnotations(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const isKept = (name: string): boolean => CONSTRAINTS.has(name) || !/^(x-|deprecated$|default$)/.test(name);
  return Object.fromEntries(Object.entries(schema).filter(([name]) => isKept(name)));
}
