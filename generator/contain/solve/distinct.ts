import { canonical, type Json } from "../../json.js";
import type { Formula } from "../formula.js";
import {
  createUnknownOutcome,
  createValueOutcome,
  EMPTY,
  type Enumeration,
  type Outcome,
  type ValueQueries,
} from "./outcome.js";

/**
 * Finds a list of different values, each of which satisfies the formulas of its position. By Hall's theorem, it is enough to
 * know as many values of each position as there are positions. Then the function assigns a different value to each position.
 */
export function findDistinctValues(
  positions: readonly (readonly Formula[])[],
  queries: ValueQueries,
): Outcome {
  const lists = enumerateAll(positions, queries);
  const valuesByText = new Map<string, Json>();
  const optionsOfList = new Map<Enumeration, PositionOptions>();
  for (const list of new Set(lists)) {
    for (const value of list.values) valuesByText.set(canonical(value), value);
    optionsOfList.set(list, { all: list.values.map(canonical), tried: 0 });
  }
  const options = lists.map((list) => optionsOfList.get(list) ?? { all: [], tried: 0 });
  const positionByText = new Map<string, number>();
  for (const [position, choices] of options.entries()) {
    queries.budget.spend();
    const free = findFreeValue(choices, positionByText);
    if (free !== undefined) positionByText.set(free, position);
    if (free !== undefined || reassign(position, options, positionByText, new Set())) continue;
    const hasEnoughValues = lists.every(
      ({ values, isComplete }) => isComplete || values.length >= positions.length,
    );
    return hasEnoughValues ? EMPTY : createUnknownOutcome("not enough different items were found");
  }
  const items: Json[] = [];
  for (const [text, position] of positionByText) items[position] = valuesByText.get(text) ?? null;
  return createValueOutcome(items);
}

/** The values that a position may take. An assigned value stays assigned, so the first `tried` of them are not free. */
interface PositionOptions {
  readonly all: readonly string[];
  tried: number;
}

function findFreeValue(
  choices: PositionOptions,
  positionByText: ReadonlyMap<string, number>,
): string | undefined {
  while (choices.tried < choices.all.length && positionByText.has(choices.all[choices.tried] ?? ""))
    choices.tried++;
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

/** Assigns a value to the position. If another position has it, gives that position another value (augmenting paths). */
function reassign(
  position: number,
  options: readonly PositionOptions[],
  positionByText: Map<string, number>,
  tried: Set<string>,
): boolean {
  for (const text of options[position]?.all ?? []) {
    if (tried.has(text)) continue;
    tried.add(text);
    const holder = positionByText.get(text);
    if (holder === undefined || reassign(holder, options, positionByText, tried)) {
      positionByText.set(text, position);
      return true;
    }
  }
  return false;
}
