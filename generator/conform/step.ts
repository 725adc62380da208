/** Functions that stream rules share: they name events and values in messages, and remember things by their id. */
import type { Json, JsonObject } from "../json.js";
import type { Step } from "./stream-rule.js";

/** An event as messages name it: its type, and its number if it has one. */
export function named({ type, sequence }: Named): string {
  return sequence === undefined ? type : `${type} #${sequence}`;
}

interface Named {
  readonly type: string;
  readonly sequence: number | undefined;
}

/** A value out of an event, cut where it gets long. */
export function quote(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** `one`, or `many` with its number: `count(2, "byte")` is "2 bytes". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** One text out of the values of `fields`, the same for the same values; undefined if one is neither text nor number. */
export function keyOf(values: JsonObject, fields: readonly string[]): string | undefined {
  if (fields.length === 1) return idOf(values[fields[0] as string]);
  let key = "";
  for (const field of fields) {
    const part = idOf(values[field]);
    if (part === undefined) return undefined;
    key = key === "" ? part : `${key}\n${part}`;
  }
  return key;
}

/** A text or number as text. */
export function idOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}

/** Whether an object has all these values. */
export function hasValues(object: JsonObject, values: JsonObject): boolean {
  for (const name in values) if (object[name] !== values[name]) return false;
  return true;
}

/** How many ids one rule remembers of one stream; the oldest is forgotten for the next. */
export const MAX_KEYS = 10_000;

/** Sets `key` in `map`. Beyond `MAX_KEYS` entries, it drops the oldest one and reports that the stream is too large for a full check. */
export function remember<T>(map: Map<string, T>, key: string, value: T, step: Step): void {
  if (map.size >= MAX_KEYS && !map.has(key)) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
    step.limited(`more than ${MAX_KEYS} things that are followed at once`);
  }
  map.set(key, value);
}
