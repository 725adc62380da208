/** Functions that stream rules share: they name events and values in messages, and remember things by their id. */
import type { Json, JsonObject } from "../json.js";
import type { Step } from "./stream-rule.js";

/** Returns the name of an event in messages: its type, and its number if it has one. */
export function nameEvent({ type, sequence }: Pick<Step, "type" | "sequence">): string {
  return sequence === undefined ? type : `${type} #${sequence}`;
}

/** Returns a value of an event for messages, shortened if it is long. */
export function quoteValue(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** Joins the ids in `fields` to one text. Undefined if one of them is neither a text nor a number. */
export function joinIds(values: JsonObject, fields: readonly string[]): string | undefined {
  let key: string | undefined;
  for (const field of fields) {
    const id = readId(values[field]);
    if (id === undefined) return undefined;
    key = key === undefined ? id : `${key}\n${id}`;
  }
  return key;
}

/** Returns an id as text. Undefined if it is neither a text nor a number. */
export function readId(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : undefined;
}

/** Returns the ids in a value: one id, or a list of ids. */
export function listIds(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  const values: readonly (Json | undefined)[] = Array.isArray(value) ? value : [value];
  return values.map(readId).filter((id) => id !== undefined);
}

/** Returns whether an object has all these values. */
export function hasValues(object: JsonObject, values: JsonObject): boolean {
  for (const name in values) if (object[name] !== values[name]) return false;
  return true;
}

/** The greatest number of ids that one rule remembers of one stream. Beyond it, the oldest one is forgotten. */
export const MAX_KEYS = 10_000;

/** Sets `key` in `map`. Beyond `MAX_KEYS` entries, it drops the oldest one and reports that the stream is too large for a full check. */
export function remember<T>(map: Map<string, T>, key: string, value: T, step: Step): void {
  if (map.size >= MAX_KEYS && !map.has(key)) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
    step.reportLimit(`more than ${MAX_KEYS} ids that a rule has to remember`);
  }
  map.set(key, value);
}
