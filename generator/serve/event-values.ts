/** Values of events, from which artifacts and states are made. */
import { getOwn, type Json, type JsonObject } from "../json.js";

/** Returns whether an object has all of these values. */
export function hasValues(object: JsonObject, values: { readonly [name: string]: Json } = {}): boolean {
  return Object.entries(values).every(([name, value]) => getOwn(object, name) === value);
}

/** Returns the members whose values `object` has in the given fields. */
export function pickMembers(
  object: JsonObject,
  fields: { readonly [member: string]: string } = {},
): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([member, field]) => {
      const value = getOwn(object, field);
      return value === undefined ? [] : [[member, value]];
    }),
  );
}

/** Returns the ids in a field: its text, or the texts of its list. */
export function listIds(payload: JsonObject, key: string): string[] {
  const value = getOwn(payload, key);
  return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === "string");
}
