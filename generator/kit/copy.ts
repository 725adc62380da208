import type { Json } from "../json.js";

/** A deep copy of a JSON value, in a fraction of the time that structuredClone takes. */
export function copyOf<T>(value: T): T {
  return copied(value as Json) as T;
}

function copied(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  const copy: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(value))
    if (name === "__proto__") define(copy, name, copied(member));
    else copy[name] = copied(member);
  return copy;
}

function define(copy: object, name: string, value: Json): void {
  Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true });
}
