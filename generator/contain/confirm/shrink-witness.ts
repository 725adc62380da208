/** Shrinks a witness to a smaller value. `accept` must hold for the result of every step. */
import { canonical, isObject, type Json, objectFrom } from "../../json.js";

const MOST_ATTEMPTS = 400;
/** Characters of all candidates together, so that a long witness gets fewer attempts. */
const MOST_CHARACTERS = 400_000;

/** Returns the smallest value that is found by dropping members and items and simplifying what is left. */
export function shrinkWitness(witness: Json, accept: (candidate: Json) => boolean): Json {
  let best = witness;
  let least = cost(best);
  let attempts = 0;
  let characters = 0;
  for (let improved = true; improved; ) {
    improved = false;
    for (const candidate of smaller(best)) {
      if (attempts++ > MOST_ATTEMPTS || characters > MOST_CHARACTERS) return best;
      const price = cost(candidate);
      characters += price;
      if (price >= least || !accept(candidate)) continue;
      [best, least, improved] = [candidate, price, true];
      break;
    }
  }
  return best;
}

/** Returns the length of the text, and a little more for each character that is hard to read. */
function cost(value: Json): number {
  const text = canonical(value);
  return text.length + (text.match(/[^\x20-\x7e]/g)?.length ?? 0) / 100;
}

function* smaller(value: Json): Generator<Json> {
  if (value === null) return;
  yield* simplest(value);
  if (Array.isArray(value)) yield* smallerArrays(value);
  else if (isObject(value)) yield* smallerObjects(value);
  else if (typeof value === "string") yield* smallerStrings(value);
  else if (typeof value === "number") yield* smallerNumbers(value);
}

function* simplest(value: Json): Generator<Json> {
  for (const simple of [null, 0, "", true, false, [], {}] as const) {
    if (canonical(simple) !== canonical(value)) yield simple;
  }
}

function* smallerArrays(items: readonly Json[]): Generator<Json> {
  yield* shorter(items);
  for (const [index, item] of items.entries()) {
    for (const other of smaller(item)) yield items.map((each, i) => (i === index ? other : each));
  }
}

function* smallerObjects(object: { readonly [key: string]: Json }): Generator<Json> {
  const entries = Object.entries(object);
  for (const left of shorter(entries)) yield objectFrom(left);
  for (const [key, value] of entries) {
    for (const other of smaller(value)) {
      yield objectFrom(entries.map(([name, each]) => [name, name === key ? other : each]));
    }
  }
}

/** Yields the list without a half of it, without a quarter, and so on, down to each single item. */
function* shorter<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let size = items.length > 1 ? items.length >> 1 : 1; size >= 1; size >>= 1) {
    for (let start = 0; start + size <= items.length; start += size) {
      yield [...items.slice(0, start), ...items.slice(start + size)];
    }
  }
}

function* smallerStrings(text: string): Generator<Json> {
  if (text.length > 2) yield wholeCharacters(text.slice(0, text.length >> 1));
  yield wholeCharacters(text.slice(0, -1));
  yield wholeCharacters(text.slice(1));
}

/** Removes half a surrogate pair at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

function* smallerNumbers(value: number): Generator<Json> {
  for (const other of [1, -1, Math.trunc(value), Math.trunc(value / 2)]) if (other !== value) yield other;
}
