import { canonical, type Json } from "../../json.js";
import type { Formula } from "../formula.js";
import { EMPTY, found, type Outcome, unknown } from "./outcome.js";
import type { Enumeration, Questions } from "./questions.js";

/**
 * A list of different values, the i-th of which satisfies the i-th formulas. Each position needs to know only as many
 * values as there are positions; by Hall's theorem a matching between positions and values then decides.
 */
export function distinctValues(positions: readonly (readonly Formula[])[], questions: Questions): Outcome {
  const lists = enumerateAll(positions, questions);
  const values = new Map<string, Json>();
  const texts = new Map<Enumeration, Texts>();
  for (const list of new Set(lists)) {
    for (const value of list.values) values.set(canonical(value), value);
    texts.set(list, { all: list.values.map(canonical), tried: 0 });
  }
  const options = lists.map((list) => texts.get(list) ?? { all: [], tried: 0 });
  const takenBy = new Map<string, number>();
  for (const [position, own] of options.entries()) {
    questions.budget.spend();
    const free = firstFree(own, takenBy);
    if (free !== undefined) takenBy.set(free, position);
    if (free !== undefined || settle(position, options, takenBy, new Set())) continue;
    const known = lists.every(({ values, complete }) => complete || values.length >= positions.length);
    return known ? EMPTY : unknown("not enough different items were found");
  }
  const items: Json[] = [];
  for (const [text, position] of takenBy) items[position] = values.get(text) ?? null;
  return found(items);
}

/** The values that a position may take. What is taken stays taken, so the first `tried` of them are not free. */
interface Texts {
  readonly all: readonly string[];
  tried: number;
}

function firstFree(own: Texts, takenBy: ReadonlyMap<string, number>): string | undefined {
  while (own.tried < own.all.length && takenBy.has(own.all[own.tried] ?? "")) own.tried++;
  return own.all[own.tried];
}

function enumerateAll(
  positions: readonly (readonly Formula[])[],
  questions: Questions,
): readonly Enumeration[] {
  const known = new Map<number, Enumeration>();
  return positions.map((formulas) => {
    const conjunction = questions.formulas.and(...formulas);
    const list = known.get(conjunction.id) ?? questions.enumerate([conjunction], positions.length);
    known.set(conjunction.id, list);
    return list;
  });
}

/** Gives the position a value, moving others to another of theirs where that helps (augmenting paths). */
function settle(
  position: number,
  options: readonly Texts[],
  takenBy: Map<string, number>,
  tried: Set<string>,
): boolean {
  for (const text of options[position]?.all ?? []) {
    if (tried.has(text)) continue;
    tried.add(text);
    const holder = takenBy.get(text);
    if (holder === undefined || settle(holder, options, takenBy, tried)) {
      takenBy.set(text, position);
      return true;
    }
  }
  return false;
}
