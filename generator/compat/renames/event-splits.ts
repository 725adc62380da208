/** Finds event types that were split into several new ones, and several that were merged into one. */
import type { EventType } from "../../protocol/protocol.js";
import type { Rule } from "../change.js";
import { EVENT_RULES } from "../rules/events.js";

/** One event type that was split, or several that were merged. */
export interface Regrouping {
  readonly rule: Rule;
  readonly from: readonly EventType[];
  readonly to: readonly EventType[];
}

/** Returns the payload fields of an event type by name, each with a text that is equal for equal schemas. */
export type FieldShapes = (event: EventType) => ReadonlyMap<string, string>;

/**
 * Returns how an event type that seems renamed was split or merged; undefined if it was renamed. A type was split if the
 * new type lacks some of its fields, and other new types together have all of the missing fields. Most fields of each new
 * type must be fields of the old one. Types were merged if the same holds with old and new exchanged.
 */
export function findRegrouping(
  from: EventType,
  to: EventType,
  others: { readonly removed: readonly EventType[]; readonly added: readonly EventType[] },
  shapes: { readonly old: FieldShapes; readonly now: FieldShapes },
): Regrouping | undefined {
  const { old, now } = shapes;
  const undeclared = others.added.filter(({ renamedFrom }) => renamedFrom === undefined);
  const parts = findParts(old(from), [to, ...undeclared], now);
  if (parts) return { rule: EVENT_RULES["event-split"], from: [from], to: parts };
  const merged = findParts(now(to), [from, ...others.removed], old);
  return merged && { rule: EVENT_RULES["event-merged"], from: merged, to: [to] };
}

/**
 * Returns event types that together have all fields of `whole`, where most fields of each one are fields of `whole`.
 * Undefined if there are no such types, or if the first one has all of the fields.
 */
function findParts(
  whole: ReadonlyMap<string, string>,
  [first, ...candidates]: readonly EventType[],
  fieldsOf: FieldShapes,
): EventType[] | undefined {
  if (first === undefined) return undefined;
  const shared = (event: EventType): string[] =>
    [...fieldsOf(event)].flatMap(([name, shape]) => (whole.get(name) === shape ? [name] : []));
  const isMostlyOfWhole = (event: EventType): boolean => shared(event).length * 2 > fieldsOf(event).size;
  const missing = new Set([...whole.keys()].filter((name) => !shared(first).includes(name)));
  if (missing.size === 0 || !isMostlyOfWhole(first)) return undefined;
  const parts = candidates.filter(
    (event) => isMostlyOfWhole(event) && shared(event).some((name) => missing.has(name)),
  );
  const found = new Set(parts.flatMap(shared));
  return [...missing].every((name) => found.has(name)) ? [first, ...parts] : undefined;
}
