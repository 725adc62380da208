/** Names that cover several event types: `tool.*` covers every event type whose name begins with `tool.`. */
import type { Protocol } from "./protocol.js";

/** Returns whether a name covers several event types. */
export function isFamilyName(name: string): boolean {
  return name.endsWith(".*");
}

/** Returns whether a name, such as `tool.call` or `tool.*`, covers an event type. */
export function coversType(name: string, type: string): boolean {
  return isFamilyName(name) ? type.startsWith(name.slice(0, -1)) : type === name;
}

/** Returns the event types of a protocol that one of the names covers and no exception covers. */
export function selectEventTypes(
  { events }: Protocol,
  names: readonly string[],
  exceptions: readonly string[],
): string[] {
  const isCovered = (type: string, names: readonly string[]): boolean =>
    names.some((name) => coversType(name, type));
  return events
    .map(({ type }) => type)
    .filter((type) => isCovered(type, names) && !isCovered(type, exceptions));
}
