/**
 * Searches an array that satisfies all literals: about its positions, about some item, about the number of items that
 * satisfy a formula, about its length and about distinct items. Each demanded item is assigned to a position: to one
 * that a constraint names, or to one after them, where no constraint distinguishes positions. An array that is longer
 * than the demands need has no advantage, so "empty" is proven once all assignments have failed.
 */
import type { Json } from "../../json.js";
import type { Atom, Formula } from "../formula.js";
import { findDistinctValues } from "./distinct.js";
import { EMPTY, findFirstValue, found, type Outcome, unknown, type ValueQueries } from "./outcome.js";
import { computeSizeRange } from "./strings.js";

/** A limit on the number of limits on items, because all their combinations are tried. */
const MAX_LIMITS = 12;

/** An atom about arrays, or its complement. */
interface ArrayLiteral {
  readonly atom: Atom & { readonly on: "array" };
  readonly positive: boolean;
}

/** An item from index `from` to index `to` must satisfy `value`. The demands of one group need different items. */
interface ItemDemand {
  readonly from: number;
  readonly to: number;
  readonly value: Formula;
  readonly group: number;
}

/** Formulas that items must satisfy in addition to `itemFormulas` and `rests`, by position. */
type Assignment = ReadonlyMap<number, readonly Formula[]>;

const MAX_ITEMS = 2_000;
const MAX_COUNTED_ITEMS = 200;

/** Returns an array of which all the literals hold. */
export function solveArrays(literals: readonly ArrayLiteral[], queries: ValueQueries): Outcome {
  return new ArraySearch(literals, queries).solve();
}

class ArraySearch {
  private readonly size: { min: number; max: number };
  private readonly itemFormulas = new Map<number, Formula[]>();
  private readonly rests: { readonly from: number; readonly value: Formula }[] = [];
  private readonly demands: ItemDemand[] = [];
  private readonly limits: { readonly count: number; readonly value: Formula }[] = [];
  private isUnique = false;
  private hasRepeatedItem = false;
  /** From this index on, no constraint distinguishes positions. */
  private tail = 0;
  /** Two positions that must hold the same value. */
  private twins: readonly [number, number] | undefined;

  constructor(
    literals: readonly ArrayLiteral[],
    private readonly queries: ValueQueries,
  ) {
    this.size = computeSizeRange(literals);
    for (const literal of literals) this.addLiteral(literal);
  }

  solve(): Outcome {
    if (this.size.min > this.size.max || (this.isUnique && this.hasRepeatedItem)) return EMPTY;
    if (this.demands.length > MAX_COUNTED_ITEMS) return unknown("too many items are demanded");
    if (!this.hasRepeatedItem) return this.assignDemands(0, new Map());
    return findFirstValue(this.listTwinPairs(), (twins) => {
      this.twins = twins;
      const assignment = new Map(twins.map((position) => [position, []]));
      return this.queries.solve(this.collectFormulas(twins[0], assignment)).is === "empty"
        ? EMPTY
        : this.assignDemands(0, assignment);
    });
  }

  private addLiteral({ atom, positive }: ArrayLiteral): void {
    const f = this.queries.formulas;
    const endless = Number.POSITIVE_INFINITY;
    switch (atom.is) {
      case "item":
        this.tail = Math.max(this.tail, atom.index + 1);
        if (positive)
          this.itemFormulas.set(atom.index, [...(this.itemFormulas.get(atom.index) ?? []), atom.value]);
        else this.demands.push({ from: atom.index, to: atom.index, value: f.not(atom.value), group: -1 });
        break;
      case "rest":
        this.tail = Math.max(this.tail, atom.from);
        if (positive) this.rests.push(atom);
        else this.demands.push({ from: atom.from, to: endless, value: f.not(atom.value), group: -1 });
        break;
      case "containsAtLeast":
        if (positive) this.demandSeveral(atom.count, atom.value);
        else this.limits.push({ count: atom.count - 1, value: atom.value });
        break;
      case "containsAtMost":
        if (positive) this.limits.push(atom);
        else this.demandSeveral(atom.count + 1, atom.value);
        break;
      case "unique":
        if (positive) this.isUnique = true;
        else this.hasRepeatedItem = true;
        break;
    }
  }

  private demandSeveral(count: number, value: Formula): void {
    if (value === this.queries.formulas.anything) {
      this.size.min = Math.max(this.size.min, count);
      return;
    }
    const group = this.demands.length;
    for (let i = 0; i < Math.min(count, MAX_COUNTED_ITEMS + 1); i++) {
      this.demands.push({ from: 0, to: Number.POSITIVE_INFINITY, value, group });
    }
  }

  /** Yields pairs of positions that may hold equal values. */
  private *listTwinPairs(): Generator<readonly [number, number]> {
    const last = Math.min(this.size.max, this.tail + 2);
    for (let j = 1; j < last; j++) for (let i = 0; i < j; i++) yield [i, j];
  }

  private collectFormulas(position: number, assignment: Assignment): readonly Formula[] {
    const twin = this.twins?.includes(position) ? this.twins : [position];
    return twin.flatMap((each) => [
      ...(this.itemFormulas.get(each) ?? []),
      ...this.rests.filter(({ from }) => each >= from).map(({ value }) => value),
      ...(assignment.get(each) ?? []),
    ]);
  }

  private assignDemands(index: number, assignment: Assignment, last = -1): Outcome {
    this.queries.budget.spend(1 + assignment.size);
    const demand = this.demands[index];
    if (!demand) return this.fixLength(assignment);
    const isSameGroup = index > 0 && demand.group >= 0 && this.demands[index - 1]?.group === demand.group;
    return findFirstValue(this.listPositions(demand, assignment, isSameGroup ? last + 1 : 0), (position) => {
      const next = new Map(assignment).set(position, [...(assignment.get(position) ?? []), demand.value]);
      const outcome = this.queries.solve(this.collectFormulas(position, next));
      return outcome.is === "empty" ? EMPTY : this.assignDemands(index + 1, next, position);
    });
  }

  /** Yields the positions that may meet a demand, of those that are alike only the first. */
  private *listPositions({ from, to }: ItemDemand, assignment: Assignment, least: number): Generator<number> {
    const fits = (position: number) =>
      position >= from && position <= to && position >= least && position < this.size.max;
    for (let position = 0; position < this.tail; position++) if (fits(position)) yield position;
    let free = this.tail;
    for (const position of [...assignment.keys()].filter((each) => each >= this.tail).sort((a, b) => a - b)) {
      if (fits(position)) yield position;
      free = Math.max(free, position + 1);
    }
    if (fits(free)) yield free;
  }

  private fixLength(assignment: Assignment): Outcome {
    const length = Math.max(this.size.min, ...[...assignment.keys()].map((position) => position + 1));
    if (length > (this.limits.length > 0 ? MAX_COUNTED_ITEMS : MAX_ITEMS)) {
      const empty = this.queries.solve(this.collectFormulas(length - 1, new Map())).is === "empty";
      return empty ? EMPTY : unknown(`an array of ${length} items`);
    }
    const used = this.limits.map(() => 0);
    return this.assignMatches(0, length, assignment, used);
  }

  /** Decides for each position which of the limited formulas it satisfies. */
  private assignMatches(
    position: number,
    length: number,
    assignment: Assignment,
    used: readonly number[],
  ): Outcome {
    if (position === length || this.limits.length === 0) return this.chooseValues(length, assignment);
    if (this.limits.length > MAX_LIMITS) return unknown(`more than ${MAX_LIMITS} rules that count items`);
    const free = !this.isUnique && !this.twins;
    let best: Outcome = EMPTY;
    for (let matched = 0; matched < 1 << this.limits.length; matched++) {
      this.queries.budget.spend();
      const isMatched = (index: number) => ((matched >> index) & 1) === 1;
      const usedNow = used.map((count, index) => count + (isMatched(index) ? 1 : 0));
      if (usedNow.some((count, index) => count > (this.limits[index]?.count ?? 0))) continue;
      const extra = this.limits.map(({ value }, index) =>
        isMatched(index) ? value : this.queries.formulas.not(value),
      );
      const next = new Map(assignment).set(position, [...(assignment.get(position) ?? []), ...extra]);
      const outcomeHere = this.queries.solve(this.collectFormulas(position, next));
      if (outcomeHere.is === "empty") continue;
      const outcome = this.assignMatches(position + 1, length, next, usedNow);
      if (outcome.is === "value") return outcome;
      if (outcome.is === "unknown" || outcomeHere.is === "unknown")
        best = unknown("the items could not be counted");
      if (free && matched === 0) break; // an item that matches no limited formula leaves most to the positions after it
    }
    return best;
  }

  private chooseValues(length: number, assignment: Assignment): Outcome {
    const formulas = Array.from({ length }, (_, position) => this.collectFormulas(position, assignment));
    if (this.isUnique && length > 1) return findDistinctValues(formulas, this.queries);
    const items: Json[] = [];
    let missing: Outcome | undefined;
    for (const each of formulas) {
      const outcome = this.queries.solve(each);
      if (outcome.is === "empty") return EMPTY;
      if (outcome.is === "value") items.push(outcome.value);
      else missing = outcome;
    }
    return missing ?? found(items);
  }
}
