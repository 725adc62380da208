/** Measures the likeness of names and of shapes, from 0 to 1. Deterministic. */
import { distance } from "fastest-levenshtein";
import { canonical, isObject, type Json } from "../../json.js";

/** The likeness of a word in another spelling or form: `colour`, `seq`, `started` for `start`. */
const ALIKE = 0.8;

/** A name as it is compared. */
interface Spelling {
  readonly letters: string;
  readonly words: readonly string[];
}

/** Prepares a name that is compared with many others. */
export function spelling(name: string): Spelling {
  return { letters: letters(name), words: words(name) };
}

/** Returns the share of words that two names have in common, in any order and letter case. */
export function nameLikeness(a: string, b: string): number {
  return spellingLikeness(spelling(a), spelling(b));
}

/** Returns the likeness of two prepared names. */
export function spellingLikeness(a: Spelling, b: Spelling): number {
  if (a.letters === b.letters) return 1;
  const left = [...b.words];
  let common = 0;
  for (const word of a.words) {
    const scores = left.map((other) => wordLikeness(word, other));
    const best = Math.max(0, ...scores);
    if (best > 0) left.splice(scores.indexOf(best), 1);
    common += best;
  }
  const shared = (2 * common) / Math.max(1, a.words.length + b.words.length);
  return shared < ALIKE && isMisspelling(a.letters, b.letters) ? ALIKE : shared;
}

/** A name without separators and letter cases: equal for `tool_call_id` and `toolCallID`. */
export function letters(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}

/** `tool_call.toolID` → `tool`, `call`, `tool`, `id`. */
export function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

function wordLikeness(a: string, b: string): number {
  if (a === b) return 1;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return isMisspelling(short, long) || isOtherForm(short, long) || isAbbreviation(short, long) ? ALIKE : 0;
}

/** British and American, single and double letters: at most a letter in four differs. */
function isMisspelling(a: string, b: string): boolean {
  const [least, most] = [Math.min(a.length, b.length), Math.max(a.length, b.length)];
  return least >= 5 && (most - least) * 4 <= most && distance(a, b) * 4 <= most;
}

/** Two forms of one word: two thirds of the longer one are the same at the start. */
function isOtherForm(short: string, long: string): boolean {
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  return same >= 3 && same * 3 >= long.length * 2;
}

/** `id` for `identifier`, `seq` for `sequence`, `msg` for `message`: few letters in the same order, the first the same. */
function isAbbreviation(short: string, long: string): boolean {
  if (short.length < 2 || short.length > 4 || long.length < short.length + 3 || short[0] !== long[0])
    return false;
  let next = 0;
  for (const letter of long) if (letter === short[next]) next++;
  return next === short.length;
}

/** How alike two schemas without references are: 1 if equal, a half if they have a type in common, otherwise 0. */
export function shapeLikeness(a: Json, b: Json): number {
  const [x, y] = [stripAnnotations(a), stripAnnotations(b)];
  if (canonical(x) === canonical(y)) return 1;
  const [old, now] = [typesIn(x), typesIn(y)];
  return old.some((type) => now.includes(type)) ? 0.5 : 0;
}

function typesIn(schema: Json): Json[] {
  if (!isObject(schema) || schema.type === undefined) return [];
  return [schema.type].flat().map((type) => (type === "integer" ? "number" : type));
}

/** Whether a schema has so few keywords that many others are equal to it by chance. */
export function isNearlyEmpty(schema: Json): boolean {
  const plain = stripAnnotations(schema);
  if (!isObject(plain)) return true;
  return Object.keys(plain).every((keyword) => ["type", "minLength", "minimum"].includes(keyword));
}

/** Returns a schema without prose and life cycle. */
export function stripAnnotations(schema: Json): Json {
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([name]) =>
        name === "x-extensible-enum" || name === "x-writer" || !/^(x-|deprecated$|default$)/.test(name),
    ),
  );
}
