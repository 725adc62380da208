/** Measures the likeness of names and of schemas, from 0 to 1. */
import { distance } from "fastest-levenshtein";
import { isObject, type Json } from "../../json.js";
import { memoizeByTexts } from "../../sample/memoize.js";
import { filterKeywords } from "../../schema/keywords.js";
import { areSynonyms } from "./synonyms.js";

/** The likeness of two forms of one word, and of synonyms: `colour` and `color`, `seq` and `sequence`, `url` and `link`. */
const WORD_VARIANT_LIKENESS = 0.8;
/** The likeness of two long words with a common part, and the least length of the part. */
const COMMON_PART_LIKENESS = 0.6;
const MIN_COMMON_PART = 6;

/** A longer name that differs in few letters has another word instead of a misspelling. */
const MAX_WORDS_OF_MISSPELLING = 2;

/** A name that is prepared for comparisons. */
export interface Spelling {
  readonly letters: string;
  readonly words: readonly string[];
  /** The weight of each word, from 0 to 1. */
  readonly weights: readonly number[];
}

/** Prepares a name that is compared with many others. Words that say little about it have a low weight. */
export function prepareSpelling(name: string, weigh: (word: string) => number = () => 1): Spelling {
  const words = splitWords(name);
  return { letters: normalizeName(name), words, weights: words.map(weigh) };
}

/** Returns the share of words that two names have in common, in any order and letter case. */
export const scoreNameLikeness = memoizeByTexts((a: string, b: string) =>
  scoreSpellingLikeness(prepareSpelling(a), prepareSpelling(b)),
);

/** Returns the likeness of two prepared names: the share of common words, by their weights. */
export function scoreSpellingLikeness(a: Spelling, b: Spelling): number {
  if (a.letters === b.letters) return 1;
  const remaining = new Set(b.words.keys());
  /** The sum of the likenesses of the matched words. */
  let common = 0;
  for (const [index, word] of a.words.entries()) {
    let best = { score: 0, index: -1 };
    for (const other of remaining) {
      const score = scoreWordLikeness(word, b.words[other] ?? "");
      if (score > best.score) best = { score, index: other };
    }
    if (best.score === 0) continue;
    remaining.delete(best.index);
    common += best.score * ((a.weights[index] ?? 1) + (b.weights[best.index] ?? 1));
  }
  const total = sum(a.weights) + sum(b.weights);
  const share = total === 0 ? 0 : common / total;
  // Words of names with as many words are compared one by one: `file.created` is not a misspelt `folder.created`.
  const isShort =
    a.words.length !== b.words.length && Math.max(a.words.length, b.words.length) <= MAX_WORDS_OF_MISSPELLING;
  return share < WORD_VARIANT_LIKENESS && isShort && isMisspelling(a.letters, b.letters)
    ? WORD_VARIANT_LIKENESS
    : share;
}

/** Returns whether each of two names has words that are like no word of the other, as `run` and `session` in `run_id` and `session_id`. */
export function replacesWords(a: string, b: string): boolean {
  const [gone, fresh] = listOwnWords(a, b);
  if (isMisspelling(normalizeName(a), normalizeName(b)) && gone.length !== fresh.length) return false;
  // `wait_ms` and `wait_s` are one quantity in two units.
  const isUnit = [...gone, ...fresh].every((word) => UNITS.has(word));
  return gone.length > 0 && fresh.length > 0 && !isUnit;
}

const UNITS = new Set(
  "ns us ms millis milliseconds s sec secs seconds min mins minutes h hours days cents bytes kb mb gb percent".split(
    " ",
  ),
);

/** Returns the words of each of two names that are like no word of the other. */
export function listOwnWords(a: string, b: string): readonly [gone: string[], fresh: string[]] {
  const fresh = [...splitWords(b)];
  const gone = splitWords(a).filter((word) => {
    const index = fresh.findIndex((other) => scoreWordLikeness(word, other) > 0);
    if (index >= 0) fresh.splice(index, 1);
    return index < 0;
  });
  return [gone, fresh];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Returns a name in lower case and without separators, which is equal for `tool_call_id` and `toolCallID`. */
export function normalizeName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}

/** Splits a name into words: `tool_call.toolID` into `tool`, `call`, `tool`, `id`. */
export const splitWords = memoizeByTexts((name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase()),
);

/** Returns a word of a name without the ending of a plural. */
export function removePlural(word: string): string {
  return word.length > 3 ? word.replace(/(?<![su])s$/u, "") : word;
}

/** Prefixes that turn a word into its opposite: `locked` and `unlocked`. */
const NEGATION = /^(un|dis|de|non|in)/;

function scoreWordLikeness(a: string, b: string): number {
  if (a === b) return 1;
  const short = a.length <= b.length ? a : b;
  const long = a.length <= b.length ? b : a;
  if (long.replace(NEGATION, "") === short) return 0;
  // `beta1` and `beta2` are two versions.
  if (/\d$/.test(a) && /\d$/.test(b) && a.replace(/\d+$/, "") === b.replace(/\d+$/, "")) return 0;
  const isVariant = isMisspelling(short, long) || isOtherForm(short, long) || isAbbreviation(short, long);
  if (isVariant || areSynonyms(a, b)) return WORD_VARIANT_LIKENESS;
  return hasCommonPart(short, long) ? COMMON_PART_LIKENESS : 0;
}

/**
 * Returns whether two words have at least six letters in a row in common, and these are most of the shorter word. Such
 * words were written without separators: `contenttype` and `datacontenttype`.
 */
function hasCommonPart(short: string, long: string): boolean {
  const minLength = Math.max(MIN_COMMON_PART, Math.ceil(short.length * 0.6));
  for (let start = 0; start + minLength <= short.length; start++)
    if (long.includes(short.slice(start, start + minLength))) return true;
  return false;
}

/** Returns whether two words of at least five letters differ in at most a fifth of the letters of the longer one: `colour` and `color`. */
function isMisspelling(a: string, b: string): boolean {
  const minLength = Math.min(a.length, b.length);
  const maxLength = Math.max(a.length, b.length);
  const maxDistance = maxLength / 5;
  // The difference of the lengths is a lower bound of the distance, and it is faster to compute.
  return minLength >= 5 && maxLength - minLength <= maxDistance && distance(a, b) <= maxDistance;
}

/** Returns whether a word is the plural of the other one, or both begin with the same letters, at least two thirds of the longer word. */
function isOtherForm(short: string, long: string): boolean {
  if (long === `${short}s`) return true;
  let common = 0;
  while (common < short.length && short[common] === long[common]) common++;
  return common >= 3 && common * 3 >= long.length * 2;
}

/**
 * Returns whether `short` is the first letter and some later letters of `long`, as `seq` of `sequence` and `msg` of
 * `message`. Two letters must be the first two: `id` of `identifier`.
 */
function isAbbreviation(short: string, long: string): boolean {
  if (short.length < 2 || short.length > 4 || long.length < short.length + 3 || short[0] !== long[0])
    return false;
  if (short.length === 2) return long.startsWith(short);
  let found = 0;
  for (const letter of long) if (letter === short[found]) found++;
  return found === short.length;
}

/** Keywords that limit values; some of them begin with `x-`. */
export const CONSTRAINTS = filterKeywords(({ facet }) => facet !== "annotations");

/** Returns a schema without `deprecated`, `default` and annotations that begin with `x-`. */
export function stripAnnotations(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const isKept = (name: string): boolean => CONSTRAINTS.has(name) || !/^(x-|deprecated$|default$)/.test(name);
  return Object.fromEntries(Object.entries(schema).filter(([name]) => isKept(name)));
}
