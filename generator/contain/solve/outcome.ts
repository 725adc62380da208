import type { Json } from "../../json.js";
import type { Budget } from "../budget.js";
import type { Formula, Formulas } from "../formula.js";

/** The result of a search for a value: a value, a proof that there is none, or neither. */
export type Outcome =
  | { readonly is: "value"; readonly value: Json }
  | { readonly is: "empty" }
  | { readonly is: "unknown"; readonly reason: string };

/** The outcome of a search that proved that there is no value. */
export const EMPTY: Outcome = { is: "empty" };

/** Returns the outcome of a search that found this value. */
export function found(value: Json): Outcome {
  return { is: "value", value };
}

/** Returns the outcome of a search that ended without a value and without a proof. */
export function unknown(reason: string): Outcome {
  return { is: "unknown", reason };
}

/** Returns the first value of several attempts; empty only if all of them are. */
export function findFirstValue<T>(attempts: Iterable<T>, attempt: (each: T) => Outcome): Outcome {
  let best: Outcome = EMPTY;
  for (const each of attempts) {
    const outcome = attempt(each);
    if (outcome.is === "value") return outcome;
    if (outcome.is === "unknown") best = outcome;
  }
  return best;
}

/** Distinct values of a conjunction; `complete` if there are no others. */
export interface Enumeration {
  readonly values: readonly Json[];
  readonly complete: boolean;
}

/** Answers the questions of the searches for objects and arrays about keys, properties and items. */
export interface ValueQueries {
  readonly formulas: Formulas;
  readonly budget: Budget;
  /** Searches a value that satisfies all formulas. */
  solve(parts: readonly Formula[]): Outcome;
  /** Searches up to `count` distinct values that satisfy all formulas. */
  enumerate(parts: readonly Formula[], count: number): Enumeration;
  /** Returns whether a value satisfies a formula. */
  holds(formula: Formula, value: Json): boolean;
}
