import type { Json } from "../../json.js";
import { Budget, DEFAULT_LIMITS, LimitError, type Limits, UnsupportedSchema } from "../budget.js";
import { Formulas } from "../formula.js";
import { readSchema } from "../schema/read-schema.js";
import { Solver } from "./solver.js";

/** The answer to the question whether no value satisfies a schema, and the steps that it took. */
export interface Impossibility {
  readonly isImpossible: boolean;
  readonly steps: number;
}

/**
 * Decides whether no value satisfies a schema of draft 2020-12. Formats are not considered. `isImpossible` is true only if that
 * is proven: it is false if a limit ends the search, or the schema cannot be read.
 */
export async function decideImpossibility(schema: Json, limits: Partial<Limits>): Promise<Impossibility> {
  const budget = new Budget({ ...DEFAULT_LIMITS, ...limits });
  try {
    const formulas = new Formulas();
    const { formula, strings } = await readSchema(schema, formulas, {
      ...budget.limits,
      dialect: "2020-12",
      assertFormats: false,
      name: "schema",
      uri: "https://schema.accrete.invalid/unnamed-4b1f70c9e2",
    });
    const outcome = new Solver(formulas, budget, strings).solve([formula]);
    return { isImpossible: outcome.kind === "empty", steps: budget.spent };
  } catch (error) {
    const isLimit =
      error instanceof LimitError || error instanceof UnsupportedSchema || error instanceof RangeError;
    if (!isLimit) throw error;
    return { isImpossible: false, steps: budget.spent };
  }
}
