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

/** An event's own fields by name, with a text for what each may be. */
export type FieldShapes = (event: EventType) => ReadonlyMap<string, string>;

/**
 * Returns how an event type that looks renamed was split or merged instead; undefined where it was renamed. It was split
 * where the new type lacks some of its fields and other new types, made mostly of its fields, have all of these; merged
 * where the same holds the other way round.
 */
export function findRegrouping(
  from: EventType,
  to: EventType,
  others: { readonly removed: readonly EventType[]; readonly added: readonly EventType[] },
  shapes: { readonly old: FieldShapes; readonly now: FieldShapes },
): Regrouping | undefined {
  const { old, now } = shapes;
  const undeclared = others.added.filter(({ renamedFrom }) => renamedFrom === undefined);
  const parts = partsOf(old(from), [to, ...undeclared], now);
  if (parts) return { rule: EVENT_RULES["event-split"], from: [from], to: parts };
  const merged = partsOf(now(to), [from, ...others.removed], old);
  return merged && { rule: EVENT_RULES["event-merged"], from: merged, to: [to] };
}

/** The events that have all fields of `whole` between them, each mostly made of these; undefined if the first has them alone. */
function partsOf(
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
