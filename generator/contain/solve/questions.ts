import type { Json } from "../../json.js";
import type { Budget } from "../budget.js";
import type { Formula, Formulas } from "../formula.js";
import type { Outcome } from "./outcome.js";

/** Distinct values of a conjunction; `complete` when there are no others. */
export interface Enumeration {
  readonly values: readonly Json[];
  readonly complete: boolean;
}

/** What the theories of objects and arrays ask about keys, properties and items. */
export interface Questions {
  readonly formulas: Formulas;
  readonly budget: Budget;
  /** A value of which all the formulas hold. */
  solve(parts: readonly Formula[]): Outcome;
  /** Up to `count` distinct values of which all the formulas hold. */
  enumerate(parts: readonly Formula[], count: number): Enumeration;
  /** Whether a value satisfies a formula. */
  holds(formula: Formula, value: Json): boolean;
}
