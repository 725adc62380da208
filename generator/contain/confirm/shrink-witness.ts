import { createObject, formatCanonicalJson, isObject, type Json } from "../../json.js";

/** The maximum number of values that are tried. */
const MAX_ATTEMPTS = 400;
/** A limit on the characters of all candidates together, so that a long witness gets fewer attempts. */
const MAX_CHARACTERS = 400_000;

/**
 * Returns a smaller witness: removes members and items and simplifies the others, as long as `isWitness` returns true for
 * the result.
 */
export function shrinkWitness(witness: Json, isWitness: (candidate: Json) => boolean): Json {
  let best = witness;
  let bestCost = measureCost(best);
  let attempts = 0;
  let characters = 0;
  let isImproved = true;
  while (isImproved) {
    isImproved = false;
    for (const candidate of listSmallerValues(best)) {
      if (attempts++ > MAX_ATTEMPTS || characters > MAX_CHARACTERS) return best;
      const candidateCost = measureCost(candidate);
      characters += candidateCost;
      if (candidateCost >= bestCost || !isWitness(candidate)) continue;
      best = candidate;
      bestCost = candidateCost;
      isImproved = true;
      break;
    }
  }
  return best;
}

/** Returns the length of the text, and a little more for each character that is hard to read. */
function measureCost(value: Json): number {
  const text = formatCanonicalJson(value);
  return text.length + (text.match(/[^\x20-\x7e]/g)?.length ?? 0) / 100;
}

function* listSmallerValues(value: Json): Generator<Json> {
  if (value === null) return;
  yield* listSimplestValues(value);
  if (Array.isArray(value)) yield* listSmallerArrays(value);
  else if (isObject(value)) yield* listSmallerObjects(value);
  else if (typeof value === "string") yield* listSmallerStrings(value);
  else if (typeof value === "number") yield* listSmallerNumbers(value);
}

function* listSimplestValues(value: Json): Generator<Json> {
  for (const simple of [null, 0, "", true, false, [], {}] as const) {
    if (formatCanonicalJson(simple) !== formatCanonicalJson(value)) yield simple;
  }
}

function* listSmallerArrays(items: readonly Json[]): Generator<Json> {
  yield* listShorterLists(items);
  for (const [index, item] of items.entries()) {
    for (const other of listSmallerValues(item)) yield items.map((each, i) => (i === index ? other : each));
  }
}

function* listSmallerObjects(object: { readonly [key: string]: Json }): Generator<Json> {
  const entries = Object.entries(object);
  for (const remaining of listShorterLists(entries)) yield createObject(remaining);
  for (const [key, value] of entries) {
    for (const other of listSmallerValues(value)) {
      yield createObject(entries.map(([name, each]) => [name, name === key ? other : each]));
    }
  }
}

/** Yields the list without a half of it, without a quarter, and so on, down to each single item. */
function* listShorterLists<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let size = items.length > 1 ? items.length >> 1 : 1; size >= 1; size >>= 1) {
    for (let start = 0; start + size <= items.length; start += size) {
      yield [...items.slice(0, start), ...items.slice(start + size)];
    }
  }
}

function* listSmallerStrings(text: string): Generator<Json> {
  if (text.length > 2) yield trimHalfSurrogates(text.slice(0, text.length >> 1));
  yield trimHalfSurrogates(text.slice(0, -1));
  yield trimHalfSurrogates(text.slice(1));
}

/** Removes one half of a surrogate pair from each end. */
function trimHalfSurrogates(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

function* listSmallerNumbers(value: number): Generator<Json> {
  for (const other of [1, -1, Math.trunc(value), Math.trunc(value / 2)]) if (other !== value) yield other;
}
