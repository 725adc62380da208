import { canonical, type Json } from "../../json.js";
import type { Formula } from "../formula.js";
import { EMPTY, type Enumeration, found, type Outcome, unknown, type ValueQueries } from "./outcome.js";

/**
 * Finds a list of different values, the i-th of which satisfies the i-th formulas. By Hall's theorem it suffices to know as
 * many values of each position as there are positions, and to look for a matching between positions and values.
 */
export function findDistinctValues(
  positions: readonly (readonly Formula[])[],
  queries: ValueQueries,
): Outcome {
  const lists = enumerateAll(positions, queries);
  const values = new Map<string, Json>();
  const texts = new Map<Enumeration, PositionOptions>();
  for (const list of new Set(lists)) {
    for (const value of list.values) values.set(canonical(value), value);
    texts.set(list, { all: list.values.map(canonical), tried: 0 });
  }
  const options = lists.map((list) => texts.get(list) ?? { all: [], tried: 0 });
  const takenBy = new Map<string, number>();
  for (const [position, choices] of options.entries()) {
    queries.budget.spend();
    const free = findFreeValue(choices, takenBy);
    if (free !== undefined) takenBy.set(free, position);
    if (free !== undefined || reassign(position, options, takenBy, new Set())) continue;
    const hasEnoughValues = lists.every(
      ({ values, complete }) => complete || values.length >= positions.length,
    );
    return hasEnoughValues ? EMPTY : unknown("not enough different items were found");
  }
  const items: Json[] = [];
  for (const [text, position] of takenBy) items[position] = values.get(text) ?? null;
  return found(items);
}

/** The values that a position may take. A value that is taken stays taken, so the first `tried` of them are not free. */
interface PositionOptions {
  readonly all: readonly string[];
  tried: number;
}

function findFreeValue(choices: PositionOptions, takenBy: ReadonlyMap<string, number>): string | undefined {
  while (choices.tried < choices.all.length && takenBy.has(choices.all[choices.tried] ?? "")) choices.tried++;
  return choices.all[choices.tried];
}

function enumerateAll(
  positions: readonly (readonly Formula[])[],
  queries: ValueQueries,
): readonly Enumeration[] {
  const known = new Map<number, Enumeration>();
  return positions.map((formulas) => {
    const conjunction = queries.formulas.and(...formulas);
    const list = known.get(conjunction.id) ?? queries.enumerate([conjunction], positions.length);
    known.set(conjunction.id, list);
    return list;
  });
}

/** Assigns a value to the position, and other values to other positions where that frees one (augmenting paths). */
function reassign(
  position: number,
  options: readonly PositionOptions[],
  takenBy: Map<string, number>,
  tried: Set<string>,
): boolean {
  for (const text of options[position]?.all ?? []) {
    if (tried.has(text)) continue;
    tried.add(text);
    const holder = takenBy.get(text);
    if (holder === undefined || reassign(holder, options, takenBy, tried)) {
      takenBy.set(text, position);
      return true;
    }
  }
  return false;
}
