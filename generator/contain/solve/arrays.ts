/**
 * Searches for an array that satisfies all literals about its positions, its items, the number of items that satisfy a
 * formula, its length and distinct items. Each demanded item is assigned to a position: either to one that a constraint
 * names, or to a later one, where no constraint distinguishes positions. A longer array has no advantage, so "empty" is
 * proven once all assignments have failed.
 */
import type { Json } from "../../json.js";
import type { Atom, Formula } from "../formula.js";
import { findDistinctValues } from "./distinct.js";
import {
  createUnknownOutcome,
  createValueOutcome,
  EMPTY,
  findFirstValue,
  type Outcome,
  type ValueQueries,
} from "./outcome.js";
import { computeSizeRange } from "./strings.js";

/** The greatest number of limits on items, because all their combinations are tried. */
const MAX_LIMITS = 12;

/** An atom about arrays, or its complement. */
interface ArrayLiteral {
  readonly atom: Atom & { readonly type: "array" };
  readonly positive: boolean;
}

/** The demand that an item from index `from` to index `to` satisfies `value`. */
interface ItemDemand {
  readonly from: number;
  readonly to: number;
  readonly value: Formula;
  /** Demands of one group need different items. */
  readonly group?: number;
}

/** Formulas that items must satisfy because of demands and limits, by position. */
type Assignment = ReadonlyMap<number, readonly Formula[]>;

const MAX_ITEMS = 2_000;
const MAX_COUNTED_ITEMS = 200;

/** Returns an array for which all literals hold. */
export function solveArrays(literals: readonly ArrayLiteral[], queries: ValueQueries): Outcome {
  return new ArraySearch(literals, queries).solve();
}

class ArraySearch {
  private readonly size: { min: number; max: number };
  /** The formulas that the item at a position must satisfy. */
  private readonly itemFormulas = new Map<number, Formula[]>();
  /** The formulas that all items from an index on must satisfy. */
  private readonly rests: { readonly from: number; readonly value: Formula }[] = [];
  private readonly demands: ItemDemand[] = [];
  /** The greatest numbers of items that may satisfy a formula. */
  private readonly limits: { readonly count: number; readonly value: Formula }[] = [];
  private isUnique = false;
  private hasRepeatedItem = false;
  /** From this index on, no constraint distinguishes positions. */
  private tail = 0;
  /** The two positions that must have the same value. */
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
    if (this.demands.length > MAX_COUNTED_ITEMS) return createUnknownOutcome("too many items are demanded");
    if (!this.hasRepeatedItem) return this.assignDemands(0, new Map());
    return findFirstValue(this.listTwinPairs(), (twins) => {
      this.twins = twins;
      const assignment = new Map(twins.map((position) => [position, []]));
      return this.queries.solve(this.collectFormulas(twins[0], assignment)).kind === "empty"
        ? EMPTY
        : this.assignDemands(0, assignment);
    });
  }

  private addLiteral({ atom, positive }: ArrayLiteral): void {
    const f = this.queries.formulas;
    switch (atom.kind) {
      case "item":
        this.tail = Math.max(this.tail, atom.index + 1);
        if (positive)
          this.itemFormulas.set(atom.index, [...(this.itemFormulas.get(atom.index) ?? []), atom.value]);
        else this.demands.push({ from: atom.index, to: atom.index, value: f.not(atom.value) });
        break;
      case "rest":
        this.tail = Math.max(this.tail, atom.from);
        if (positive) this.rests.push(atom);
        else this.demands.push({ from: atom.from, to: Number.POSITIVE_INFINITY, value: f.not(atom.value) });
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

  /** Demands `count` different items that satisfy the formula. */
  private demandSeveral(count: number, value: Formula): void {
    if (value === this.queries.formulas.anything) {
      this.size.min = Math.max(this.size.min, count);
      return;
    }
    const group = this.demands.length;
    for (let itemCount = 0; itemCount < Math.min(count, MAX_COUNTED_ITEMS + 1); itemCount++) {
      this.demands.push({ from: 0, to: Number.POSITIVE_INFINITY, value, group });
    }
  }

  /** Yields pairs of positions that may hold equal values. */
  private *listTwinPairs(): Generator<readonly [number, number]> {
    // After the tail begins, all positions are alike, so two of them are enough.
    const end = Math.min(this.size.max, this.tail + 2);
    for (let second = 1; second < end; second++)
      for (let first = 0; first < second; first++) yield [first, second];
  }

  /** Returns all formulas that the item at a position must satisfy. */
  private collectFormulas(position: number, assignment: Assignment): readonly Formula[] {
    const equalPositions = this.twins?.includes(position) ? this.twins : [position];
    return equalPositions.flatMap((each) => [
      ...(this.itemFormulas.get(each) ?? []),
      ...this.rests.filter(({ from }) => each >= from).map(({ value }) => value),
      ...(assignment.get(each) ?? []),
    ]);
  }

  /** Assigns the demands from `index` on. `previous` is the position to which the demand before was assigned. */
  private assignDemands(index: number, assignment: Assignment, previous = -1): Outcome {
    this.queries.budget.spend(1 + assignment.size);
    const demand = this.demands[index];
    if (!demand) return this.fixLength(assignment);
    const isSameGroup = demand.group !== undefined && this.demands[index - 1]?.group === demand.group;
    const minPosition = isSameGroup ? previous + 1 : 0;
    return findFirstValue(this.listPositions(demand, assignment, minPosition), (position) => {
      const next = new Map(assignment).set(position, [...(assignment.get(position) ?? []), demand.value]);
      const outcome = this.queries.solve(this.collectFormulas(position, next));
      return outcome.kind === "empty" ? EMPTY : this.assignDemands(index + 1, next, position);
    });
  }

  /** Yields the positions that may fulfil a demand. Of positions that no constraint distinguishes, it yields the first. */
  private *listPositions(
    { from, to }: ItemDemand,
    assignment: Assignment,
    minPosition: number,
  ): Generator<number> {
    const isPossible = (position: number) =>
      position >= from && position <= to && position >= minPosition && position < this.size.max;
    for (let position = 0; position < this.tail; position++) if (isPossible(position)) yield position;
    const assignedInTail = [...assignment.keys()].filter((each) => each >= this.tail).sort((a, b) => a - b);
    for (const position of assignedInTail) if (isPossible(position)) yield position;
    const firstFree = Math.max(this.tail, (assignedInTail.at(-1) ?? -1) + 1);
    if (isPossible(firstFree)) yield firstFree;
  }

  /** Chooses the least length that the assignment needs. */
  private fixLength(assignment: Assignment): Outcome {
    const length = Math.max(this.size.min, ...[...assignment.keys()].map((position) => position + 1));
    if (length > (this.limits.length > 0 ? MAX_COUNTED_ITEMS : MAX_ITEMS)) {
      const lastItem = this.queries.solve(this.collectFormulas(length - 1, new Map()));
      return lastItem.kind === "empty" ? EMPTY : createUnknownOutcome(`an array of ${length} items`);
    }
    const counts = this.limits.map(() => 0);
    return this.assignMatches(0, length, assignment, counts);
  }

  /**
   * Decides for each position from `position` on which of the limited formulas its item satisfies. `counts` are the numbers
   * of earlier items that satisfy each of them.
   */
  private assignMatches(
    position: number,
    length: number,
    assignment: Assignment,
    counts: readonly number[],
  ): Outcome {
    if (position === length || this.limits.length === 0) return this.chooseValues(length, assignment);
    if (this.limits.length > MAX_LIMITS)
      return createUnknownOutcome(`more than ${MAX_LIMITS} rules that count items`);
    const areIndependent = !this.isUnique && !this.twins;
    let result: Outcome = EMPTY;
    // Bit i of `matchedBits` tells whether the item satisfies the i-th limited formula.
    for (let matchedBits = 0; matchedBits < 1 << this.limits.length; matchedBits++) {
      this.queries.budget.spend();
      const isMatched = (index: number) => ((matchedBits >> index) & 1) === 1;
      const newCounts = counts.map((count, index) => count + (isMatched(index) ? 1 : 0));
      if (newCounts.some((count, index) => count > (this.limits[index]?.count ?? 0))) continue;
      const formulas = this.limits.map(({ value }, index) =>
        isMatched(index) ? value : this.queries.formulas.not(value),
      );
      const next = new Map(assignment).set(position, [...(assignment.get(position) ?? []), ...formulas]);
      const itemOutcome = this.queries.solve(this.collectFormulas(position, next));
      if (itemOutcome.kind === "empty") continue;
      const outcome = this.assignMatches(position + 1, length, next, newCounts);
      if (outcome.kind === "value") return outcome;
      if (outcome.kind === "unknown" || itemOutcome.kind === "unknown")
        result = createUnknownOutcome("the items could not be counted");
      // An item that satisfies no limited formula is best for all later positions, so no other choice is tried.
      if (areIndependent && matchedBits === 0) break;
    }
    return result;
  }

  private chooseValues(length: number, assignment: Assignment): Outcome {
    const formulas = Array.from({ length }, (_, position) => this.collectFormulas(position, assignment));
    if (this.isUnique && length > 1) return findDistinctValues(formulas, this.queries);
    const items: Json[] = [];
    let unknown: Outcome | undefined;
    for (const each of formulas) {
      const outcome = this.queries.solve(each);
      if (outcome.kind === "empty") return EMPTY;
      if (outcome.kind === "value") items.push(outcome.value);
      else unknown = outcome;
    }
    return unknown ?? createValueOutcome(items);
  }
}
