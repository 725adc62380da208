import type { Json } from "../json.js";

/** A deep copy of a JSON value, in a fraction of the time that structuredClone takes. */
export function copyOf<T>(value: T): T {
  return copied(value as Json) as T;
}

function copied(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  const copy: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(value)) setMember(copy, name, copied(member));
  return copy;
}

/** Sets a member of its own, whatever its name: assignment would take `__proto__` for something else. */
export function setMember(object: { [name: string]: Json }, name: string, value: Json): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
