import { formatCanonicalJson, type Json } from "../../json.js";
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
    for (const value of list.values) valuesByText.set(formatCanonicalJson(value), value);
    optionsOfList.set(list, { texts: list.values.map(formatCanonicalJson), assignedCount: 0 });
  }
  const options = lists.map((list) => optionsOfList.get(list) ?? { texts: [], assignedCount: 0 });
  const positionByText = new Map<string, number>();
  for (const [position, choices] of options.entries()) {
    queries.budget.spend();
    const freeText = findFreeText(choices, positionByText);
    if (freeText !== undefined) positionByText.set(freeText, position);
    if (freeText !== undefined || reassign(position, options, positionByText, new Set())) continue;
    const hasEnoughValues = lists.every(
      ({ values, isComplete }) => isComplete || values.length >= positions.length,
    );
    return hasEnoughValues ? EMPTY : createUnknownOutcome("not enough different items were found");
  }
  const items: Json[] = [];
  for (const [text, position] of positionByText) items[position] = valuesByText.get(text) ?? null;
  return createValueOutcome(items);
}

/** The values that a position may take, as texts. */
interface PositionOptions {
  readonly texts: readonly string[];
  /** The number of values at the beginning that are known to be assigned. An assigned value stays assigned. */
  assignedCount: number;
}

function findFreeText(
  choices: PositionOptions,
  positionByText: ReadonlyMap<string, number>,
): string | undefined {
  for (;;) {
    const text = choices.texts[choices.assignedCount];
    if (text === undefined || !positionByText.has(text)) return text;
    choices.assignedCount++;
  }
}

function enumerateAll(
  positions: readonly (readonly Formula[])[],
  queries: ValueQueries,
): readonly Enumeration[] {
  const enumerations = new Map<number, Enumeration>();
  return positions.map((formulas) => {
    const conjunction = queries.formulas.and(...formulas);
    const list = enumerations.get(conjunction.id) ?? queries.enumerate([conjunction], positions.length);
    enumerations.set(conjunction.id, list);
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
  for (const text of options[position]?.texts ?? []) {
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
