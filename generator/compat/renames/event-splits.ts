/** Finds event types that were split into several new ones, and several that were merged into one. */
import type { EventType } from "../../protocol/protocol.js";
import type { Rule } from "../change.js";
import { EVENT_RULES } from "../rules/events.js";
import type { FieldShape } from "./event-likeness.js";
import { listOwnWords, splitWords } from "./likeness.js";
import { areContrasts } from "./synonyms.js";

/** One event type that was split, or several that were merged. */
export interface Regrouping {
  readonly rule: Rule;
  readonly from: readonly EventType[];
  readonly to: readonly EventType[];
}

/** Returns the payload fields of an event type by name. */
type FieldShapes = (event: EventType) => ReadonlyMap<string, FieldShape>;

/** The shapes of old and of new event types. */
export interface VersionShapes {
  readonly getOld: FieldShapes;
  readonly getNew: FieldShapes;
}

/**
 * Returns how an event type that seems renamed was split or merged; undefined if it was renamed. A type was split if the
 * new type lacks some of its fields, and other new types together have all of the missing fields. Most fields of each new
 * type must be fields of the old one. Types were merged if the same holds with old and new exchanged.
 */
export function findRegrouping(
  from: EventType,
  to: EventType,
  others: { readonly removed: readonly EventType[]; readonly added: readonly EventType[] },
  { getOld, getNew }: VersionShapes,
): Regrouping | undefined {
  const undeclared = others.added.filter(({ renamedFrom }) => renamedFrom === undefined);
  const parts = findParts(getOld(from), [to, ...undeclared], getNew);
  if (parts) return { rule: EVENT_RULES["event-split"], from: [from], to: parts };
  const merged = findParts(getNew(to), [from, ...others.removed], getOld);
  return merged && { rule: EVENT_RULES["event-merged"], from: merged, to: [to] };
}

/**
 * Returns event types that together have all fields of `whole`, where most fields of each one are fields of `whole`.
 * Undefined if there are no such types, or if the first one has all of the fields.
 */
function findParts(
  whole: ReadonlyMap<string, FieldShape>,
  [first, ...candidates]: readonly EventType[],
  getFields: FieldShapes,
): EventType[] | undefined {
  if (first === undefined) return undefined;
  const listSharedFields = (event: EventType): string[] =>
    [...getFields(event)].flatMap(([name, { text }]) => (whole.get(name)?.text === text ? [name] : []));
  const isMostlyOfWhole = (event: EventType): boolean =>
    listSharedFields(event).length * 2 > getFields(event).size;
  const missing = new Set([...whole.keys()].filter((name) => !listSharedFields(first).includes(name)));
  if (missing.size === 0 || !isMostlyOfWhole(first)) return undefined;
  const parts = candidates.filter(
    (event) => isMostlyOfWhole(event) && listSharedFields(event).some((name) => missing.has(name)),
  );
  const found = new Set(parts.flatMap(listSharedFields));
  return [...missing].every((name) => found.has(name)) ? [first, ...parts] : undefined;
}

/**
 * Finds pairs of old types whose names differ only in words that tell things apart, as `StartTransaction` and
 * `StopTransaction`, and the one new type that has their other words and fields of both: `TransactionEvent`.
 */
export function findMergedContrasts(
  removed: readonly EventType[],
  added: readonly EventType[],
  { getOld, getNew }: VersionShapes,
): Regrouping[] {
  const hasFieldOf = (now: EventType, old: EventType): boolean =>
    [...getOld(old).keys()].some((name) => getNew(now).has(name));
  const merges = removed.flatMap((first, index) =>
    removed.slice(index + 1).flatMap((second): Regrouping[] => {
      const [own, others] = listOwnWords(first.type, second.type);
      if (own.length !== 1 || others.length !== 1 || !areContrasts(own, others)) return [];
      const rest = splitWords(first.type).filter((word) => !own.includes(word));
      const from = [first, second];
      const to = added.filter(
        (now) =>
          rest.every((word) => splitWords(now.type).includes(word)) &&
          from.every((old) => hasFieldOf(now, old)),
      );
      return rest.length > 0 && to.length === 1 ? [{ rule: EVENT_RULES["event-merged"], from, to }] : [];
    }),
  );
  // A type that seems to be in two merges is in none.
  const isOnce = (event: EventType): boolean =>
    merges.filter(({ from, to }) => [...from, ...to].includes(event)).length === 1;
  return merges.filter(({ from, to }) => [...from, ...to].every(isOnce));
}
