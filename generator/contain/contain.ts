/**
 * Is every value that schema A accepts accepted by schema B? The law of this folder: the answer is "contained" only with
 * a proof that no value satisfies A and the complement of B; it is "not-contained" only with a value that Ajv and
 * @hyperjump/json-schema both accept under A and refuse under B. Everything else is "undecided", with the reason.
 */
import type { Json } from "../json.js";
import type { Dialect } from "../schema/dialects.js";
import { Budget, DEFAULT_LIMITS, Exhausted, type Limits, Unsupported } from "./budget.js";
import { shrinkWitness } from "./confirm/shrink-witness.js";
import { ValidatorPair } from "./confirm/validator-pair.js";
import { constantFormula } from "./constants.js";
import { type Formula, Formulas, TYPES, type TypeName } from "./formula.js";
import { listedValues, readSchema } from "./schema/read-schema.js";
import { evaluate } from "./solve/evaluate.js";
import { found, type Outcome, unknown } from "./solve/outcome.js";
import { Solver } from "./solve/solver.js";

/** The answer to "is A inside B?". */
export type Containment =
  | { readonly verdict: "contained" }
  | { readonly verdict: "not-contained"; readonly witness: Json }
  | { readonly verdict: "undecided"; readonly reason: string };

/** How a question is to be understood, and how much work it may cost. */
export interface ContainmentOptions extends Partial<Limits> {
  /** The dialect of a schema that does not state one by `$schema`; draft 2020-12 by default. */
  readonly dialect?: Dialect;
  /** Whether `format` is an assertion. Formats that are not regular then make the question undecided. */
  readonly assertFormats?: boolean;
  /** Makes a witness easier to read. It may return only values for which `accept`, the confirmation, returns true. */
  readonly polish?: (witness: Json, accept: (candidate: Json) => boolean) => Json;
}

/** The addresses of schemas without an identifier: no relative reference in a schema hits them by chance. */
const URI = {
  a: "https://a.accrete.invalid/unnamed-4b1f70c9e2",
  b: "https://b.accrete.invalid/unnamed-4b1f70c9e2",
};
const MOST_LISTED = 50;
const MOST_WITNESSES = 4;
const CONTRADICTED = "a validator contradicts the proof on a listed value";

/**
 * Returns whether every value that `a` accepts is accepted by `b`. Never rejects. The same question gets the same answer and
 * the same witness, except that the wall clock may end the search, which leaves it undecided, or the shrinking of a witness.
 */
export async function checkContainment(
  a: Json,
  b: Json,
  options: ContainmentOptions = {},
): Promise<Containment> {
  try {
    return await decide(a, b, options);
  } catch (error) {
    return { verdict: "undecided", reason: reasonFor(error) };
  }
}

function reasonFor(error: unknown): string {
  if (error instanceof Exhausted || error instanceof Unsupported) return error.reason;
  if (error instanceof RangeError) return "nested too deep";
  return `unexpected: ${error instanceof Error ? error.message : String(error)}`;
}

async function decide(schemaA: Json, schemaB: Json, options: ContainmentOptions): Promise<Containment> {
  const budget = new Budget({ ...DEFAULT_LIMITS, ...options });
  const formulas = new Formulas();
  const dialect = options.dialect ?? "2020-12";
  const reading = { ...budget.limits, dialect, assertFormats: options.assertFormats ?? false };
  const a = await readSchema(schemaA, formulas, { ...reading, name: "a", uri: URI.a });
  const b = await readSchema(schemaB, formulas, { ...reading, name: "b", uri: URI.b });
  const validators = new ValidatorPair({
    a: a.forValidators,
    b: b.forValidators,
    dialect,
    uriA: URI.a,
    uriB: URI.b,
    schemas: a.schemas + b.schemas,
    maxValidated: budget.limits.maxValidated,
  });
  const solver = new Solver(formulas, budget, [...a.strings, ...b.strings]);
  const polish = options.polish ?? ((witness) => witness);
  const search = new WitnessSearch(a.formula, b.formula, solver, validators, polish);
  const listed = listedValues(schemaA, dialect, MOST_LISTED);
  const outcome = await search.run(listed);
  if (outcome.is === "value") return { verdict: "not-contained", witness: outcome.value };
  if (outcome.is === "unknown") return { verdict: "undecided", reason: outcome.reason };
  const contradicted =
    listed !== undefined && (await validators.anySeparates(listed, confirmationBudget(budget)));
  return contradicted ? { verdict: "undecided", reason: CONTRADICTED } : { verdict: "contained" };
}

/** The search for a value of A outside B. */
class WitnessSearch {
  private readonly outside: Formula;

  constructor(
    private readonly a: Formula,
    private readonly b: Formula,
    private readonly solver: Solver,
    private readonly validators: ValidatorPair,
    private readonly polish: NonNullable<ContainmentOptions["polish"]>,
  ) {
    this.outside = solver.formulas.not(b);
  }

  /** Searches a confirmed witness; empty when it is proven that there is none. `listed` are all values of A, if known. */
  async run(listed: readonly Json[] | undefined): Promise<Outcome> {
    const { formulas } = this.solver;
    if (formulas.and(this.a, this.outside) === formulas.nothing) return { is: "empty" };
    if (listed) return this.findListed(listed);
    let best: Outcome = { is: "empty" };
    for (const type of TYPES) {
      const outcome = await this.findOfType(type);
      if (outcome.is === "value") return outcome;
      if (outcome.is === "unknown") best = outcome;
    }
    return best;
  }

  private async findListed(values: readonly Json[]): Promise<Outcome> {
    const separating = values.filter((value) => this.separates(value, this.solver.budget));
    let best: Outcome = { is: "empty" };
    for (const value of separating) {
      best = await this.confirm(value);
      if (best.is === "value") return best;
    }
    return best;
  }

  private async findOfType(type: TypeName): Promise<Outcome> {
    const { formulas } = this.solver;
    const refused: Formula[] = [];
    for (;;) {
      const outcome = this.solver.solveType(type, [this.a, this.outside, ...refused]);
      if (outcome.is !== "value")
        return refused.length > 0 ? unknown("the validators refuse the witnesses") : outcome;
      const confirmed = await this.confirm(outcome.value);
      if (confirmed.is === "value" || refused.length >= MOST_WITNESSES) return confirmed;
      refused.push(formulas.not(constantFormula(formulas, outcome.value)));
    }
  }

  /** Returns the shrunken witness, once both validators have confirmed it. */
  private async confirm(value: Json): Promise<Outcome> {
    const budget = confirmationBudget(this.solver.budget);
    const unconfirmed = unknown(`the validators do not agree on ${JSON.stringify(value).slice(0, 200)}`);
    if (!this.separates(value, budget)) return unconfirmed;
    const confirmed = await budget.withClockPaused(() => this.validators.prepareSeparationTest());
    if (!confirmed(value, budget)) return unconfirmed;
    const shrinking = confirmationBudget(this.solver.budget);
    const isSeparating = (each: Json) => trueWithinBudget(() => this.separates(each, shrinking));
    const isConfirmed = (each: Json) =>
      trueWithinBudget(() => this.separates(each, shrinking) && confirmed(each, budget));
    const small = shrinkWitness(value, isSeparating);
    const witness = trueWithinBudget(() => confirmed(small, budget))
      ? small
      : shrinkWitness(value, isConfirmed);
    return found(this.polish(witness, isConfirmed));
  }

  private separates(value: Json, budget: Budget): boolean {
    return evaluate(this.a, value, budget) && !evaluate(this.b, value, budget);
  }
}

/** Returns the budget to confirm one witness, and again to shrink it: deterministic, and not at the search's expense. */
function confirmationBudget(budget: Budget): Budget {
  return budget.fork(budget.limits.maxSteps >> 1);
}

/** Returns the result of a test; false if a limit ends it. */
function trueWithinBudget(test: () => boolean): boolean {
  try {
    return test();
  } catch (error) {
    if (error instanceof Exhausted || error instanceof Unsupported) return false;
    throw error;
  }
}
