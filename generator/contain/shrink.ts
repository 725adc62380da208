/** Makes a witness small enough to read at a glance, as long as `accept` says that it still is one. */
import { canonical, isObject, type Json, objectFrom } from "../json.js";
import { Exhausted } from "./budget.js";

const MOST_ATTEMPTS = 400;

/** A smallest value found by dropping members and items and simplifying what is left; the best so far if a budget ends. */
export function shrink(witness: Json, accept: (candidate: Json) => boolean): Json {
  let best = witness;
  try {
    for (const smaller of descend(witness, accept)) best = smaller;
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
  }
  return best;
}

function* descend(witness: Json, accept: (candidate: Json) => boolean): Generator<Json> {
  let best = witness;
  let attempts = 0;
  for (let improved = true; improved; ) {
    improved = false;
    for (const candidate of smaller(best)) {
      if (attempts++ > MOST_ATTEMPTS) return;
      if (cost(candidate) >= cost(best) || !accept(candidate)) continue;
      best = candidate;
      yield best;
      improved = true;
      break;
    }
  }
}

/** The length of the text, and what is harder to read at equal length. */
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
  for (let size = items.length >> 1; size >= 1; size >>= 1) {
    for (let start = 0; start + size <= items.length; start += size) {
      yield [...items.slice(0, start), ...items.slice(start + size)];
    }
  }
  for (const [index, item] of items.entries()) {
    for (const other of smaller(item)) yield items.map((each, i) => (i === index ? other : each));
  }
}

function* smallerObjects(object: { readonly [key: string]: Json }): Generator<Json> {
  const entries = Object.entries(object);
  for (const [key] of entries) yield objectFrom(entries.filter(([other]) => other !== key));
  for (const [key, value] of entries) {
    for (const other of smaller(value)) {
      yield objectFrom(entries.map(([name, each]) => [name, name === key ? other : each]));
    }
  }
}

function* smallerStrings(text: string): Generator<Json> {
  const chars = [...text];
  if (chars.length > 2) yield chars.slice(0, chars.length >> 1).join("");
  if (chars.length > 1) {
    yield chars.slice(0, -1).join("");
    yield chars.slice(1).join("");
  }
}

function* smallerNumbers(value: number): Generator<Json> {
  for (const other of [1, -1, Math.trunc(value), Math.trunc(value / 2)]) if (other !== value) yield other;
}
