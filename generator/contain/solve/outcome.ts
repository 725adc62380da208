import type { Json } from "../../json.js";
import type { Budget } from "../budget.js";
import type { Formula, Formulas } from "../formula.js";

/** The result of a search for a value: a value, a proof that there is none, or neither. */
export type Outcome =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "empty" }
  | { readonly kind: "unknown"; readonly reason: string };

/** The outcome of a search that proved that there is no value. */
export const EMPTY: Outcome = { kind: "empty" };

/** Returns the outcome of a search that found this value. */
export function createValueOutcome(value: Json): Outcome {
  return { kind: "value", value };
}

/** Returns the outcome of a search that ended without a value and without a proof. */
export function createUnknownOutcome(reason: string): Outcome {
  return { kind: "unknown", reason };
}

/** Searches each alternative. Returns the first value that is found; empty only if all alternatives are. */
export function findFirstValue<T>(alternatives: Iterable<T>, search: (alternative: T) => Outcome): Outcome {
  let result: Outcome = EMPTY;
  for (const alternative of alternatives) {
    const outcome = search(alternative);
    if (outcome.kind === "value") return outcome;
    if (outcome.kind === "unknown") result = outcome;
  }
  return result;
}

/** Distinct values of a conjunction. */
export interface Enumeration {
  readonly values: readonly Json[];
  /** True if there are no other values. */
  readonly isComplete: boolean;
}

/** The parts of the solver that the searches for objects and arrays use. */
export interface ValueQueries {
  readonly formulas: Formulas;
  readonly budget: Budget;
  /** Searches for a value that satisfies all formulas. */
  solve(parts: readonly Formula[]): Outcome;
  /** Returns up to `count` distinct values that satisfy all formulas. */
  enumerate(parts: readonly Formula[], count: number): Enumeration;
  /** Returns whether a value satisfies a formula. */
  holds(formula: Formula, value: Json): boolean;
}
