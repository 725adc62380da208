/**
 * Decides whether schema B accepts every value that schema A accepts. The answer is "contained" only with a proof that
 * no value satisfies A and the complement of B. It is "not-contained" only with a value that Ajv and
 * @hyperjump/json-schema both accept under A and refuse under B. Otherwise it is "undecided", with the reason.
 */
import type { Json } from "../json.js";
import type { Dialect } from "../schema/dialects.js";
import { Budget, DEFAULT_LIMITS, LimitError, type Limits, UnsupportedSchema } from "./budget.js";
import { shrinkWitness } from "./confirm/shrink-witness.js";
import { ValidatorPair } from "./confirm/validator-pair.js";
import { buildConstFormula } from "./constants.js";
import { type Formula, Formulas, TYPES, type TypeName } from "./formula.js";
import { collectListedValues, readSchema } from "./schema/read-schema.js";
import { evaluate } from "./solve/evaluate.js";
import { createUnknownOutcome, createValueOutcome, EMPTY, type Outcome } from "./solve/outcome.js";
import { Solver } from "./solve/solver.js";

/** The answer to the question whether B accepts every value that A accepts. */
export type Containment =
  | { readonly verdict: "contained" }
  | { readonly verdict: "not-contained"; readonly witness: Json }
  | { readonly verdict: "undecided"; readonly reason: string };

/** The options of `checkContainment`: how schemas are read, and the limits of the search. */
export interface ContainmentOptions extends Partial<Limits> {
  /** The dialect of a schema that does not state one by `$schema`; draft 2020-12 by default. */
  readonly dialect?: Dialect;
  /** True if `format` is an assertion. Then formats that are not regular make the question undecided. */
  readonly assertFormats?: boolean;
  /** Makes a witness easier to read. It may return only values for which `isConfirmed` returns true. */
  readonly polish?: (witness: Json, isConfirmed: (candidate: Json) => boolean) => Json;
  /** Returns whether another validator accepts the witness under A and refuses it under B. It gets the parts that apply to it. */
  readonly confirm?: (witness: Json, a: Json, b: Json) => boolean;
}

/** The base URIs of the two schemas. No relative reference in a schema resolves to one of them by chance. */
const URI = {
  a: "https://a.accrete.invalid/unnamed-4b1f70c9e2",
  b: "https://b.accrete.invalid/unnamed-4b1f70c9e2",
};
/** The greatest number of listed values that are tried instead of a search. */
const MAX_LISTED_VALUES = 50;
/** The greatest number of witnesses that the validators may refuse before the search ends. */
const MAX_REFUSED_WITNESSES = 4;
const CONTRADICTED = "a validator contradicts the proof on a listed value";

/**
 * Decides whether `b` accepts every value that `a` accepts. Never rejects. The same question gets the same answer and
 * the same witness, except that the wall clock may end the search, which leaves it undecided, or the shrinking of a witness.
 */
export async function checkContainment(
  a: Json,
  b: Json,
  options: ContainmentOptions = {},
): Promise<Containment> {
  try {
    return await decideContainment(a, b, options);
  } catch (error) {
    return { verdict: "undecided", reason: describeError(error) };
  }
}

function describeError(error: unknown): string {
  if (error instanceof LimitError || error instanceof UnsupportedSchema) return error.reason;
  if (error instanceof RangeError) return "nested too deep";
  return `unexpected: ${error instanceof Error ? error.message : String(error)}`;
}

async function decideContainment(
  schemaA: Json,
  schemaB: Json,
  options: ContainmentOptions,
): Promise<Containment> {
  const budget = new Budget({ ...DEFAULT_LIMITS, ...options });
  const formulas = new Formulas();
  const dialect = options.dialect ?? "2020-12";
  const reading = { ...budget.limits, dialect, assertFormats: options.assertFormats ?? false };
  const a = await readSchema(schemaA, formulas, { ...reading, name: "a", uri: URI.a });
  const b = await readSchema(schemaB, formulas, { ...reading, name: "b", uri: URI.b });
  const validators = new ValidatorPair({
    a,
    b,
    dialect,
    uriA: URI.a,
    uriB: URI.b,
    limits: budget.limits,
  });
  const solver = new Solver(formulas, budget, [...a.strings, ...b.strings]);
  const polish = options.polish ?? ((witness) => witness);
  const search = new WitnessSearch(a.formula, b.formula, solver, validators, polish);
  const listedValues = collectListedValues(schemaA, dialect, MAX_LISTED_VALUES);
  const outcome = await search.findWitness(listedValues);
  if (outcome.kind === "value")
    return options.confirm?.(outcome.value, ...validators.limitToValue(outcome.value)) === false
      ? { verdict: "undecided", reason: "the validators do not agree on the witness" }
      : { verdict: "not-contained", witness: outcome.value };
  if (outcome.kind === "unknown") return { verdict: "undecided", reason: outcome.reason };
  const isContradicted =
    listedValues !== undefined &&
    (await validators.hasSeparatingValue(listedValues, forkConfirmationBudget(budget)));
  return isContradicted ? { verdict: "undecided", reason: CONTRADICTED } : { verdict: "contained" };
}

/** Searches for a value that A accepts and B refuses. */
class WitnessSearch {
  private readonly complementOfB: Formula;

  constructor(
    private readonly a: Formula,
    private readonly b: Formula,
    private readonly solver: Solver,
    private readonly validators: ValidatorPair,
    private readonly polish: NonNullable<ContainmentOptions["polish"]>,
  ) {
    this.complementOfB = solver.formulas.not(b);
  }

  /**
   * Searches for a value that both validators confirm. The outcome is "empty" if it is proven that there is none. `listed`
   * has all values that A may accept, if they are known.
   */
  async findWitness(listed: readonly Json[] | undefined): Promise<Outcome> {
    const { formulas } = this.solver;
    if (formulas.and(this.a, this.complementOfB) === formulas.nothing) return EMPTY;
    if (listed) return this.findListedWitness(listed);
    let result: Outcome = EMPTY;
    for (const type of TYPES) {
      const outcome = await this.findWitnessOfType(type);
      if (outcome.kind === "value") return outcome;
      if (outcome.kind === "unknown") result = outcome;
    }
    return result;
  }

  private async findListedWitness(values: readonly Json[]): Promise<Outcome> {
    const separatingValues = values.filter((value) => this.isSeparating(value, this.solver.budget));
    let result: Outcome = EMPTY;
    for (const value of separatingValues) {
      result = await this.confirm(value);
      if (result.kind === "value") return result;
    }
    return result;
  }

  private async findWitnessOfType(type: TypeName): Promise<Outcome> {
    const { formulas } = this.solver;
    const exclusions: Formula[] = [];
    for (;;) {
      const outcome = this.solver.solveType(type, [this.a, this.complementOfB, ...exclusions]);
      if (outcome.kind !== "value")
        return exclusions.length > 0 ? createUnknownOutcome("the validators refuse the witnesses") : outcome;
      const confirmedAnswer = await this.confirm(outcome.value);
      if (confirmedAnswer.kind === "value" || exclusions.length >= MAX_REFUSED_WITNESSES)
        return confirmedAnswer;
      exclusions.push(formulas.not(buildConstFormula(formulas, outcome.value)));
    }
  }

  /** Returns the shrunk witness if both validators confirm the value. */
  private async confirm(value: Json): Promise<Outcome> {
    const budget = forkConfirmationBudget(this.solver.budget);
    const disagreement = createUnknownOutcome(
      `the validators do not agree on ${JSON.stringify(value).slice(0, 200)}`,
    );
    if (!this.isSeparating(value, budget)) return disagreement;
    const isSeparatingForValidators = await budget.withClockPaused(() =>
      this.validators.prepareSeparationTest(value),
    );
    if (!isSeparatingForValidators(value, budget)) return disagreement;
    const shrinkingBudget = forkConfirmationBudget(this.solver.budget);
    const isSeparating = (each: Json) => holdsWithinBudget(() => this.isSeparating(each, shrinkingBudget));
    const isConfirmed = (each: Json) =>
      holdsWithinBudget(
        () => this.isSeparating(each, shrinkingBudget) && isSeparatingForValidators(each, budget),
      );
    // The formulas are faster than the validators, so they are tried first.
    const shrunk = shrinkWitness(value, isSeparating);
    const witness = holdsWithinBudget(() => isSeparatingForValidators(shrunk, budget))
      ? shrunk
      : shrinkWitness(value, isConfirmed);
    return createValueOutcome(this.polish(witness, isConfirmed));
  }

  /** Returns whether the formula of A accepts the value and the formula of B refuses it. */
  private isSeparating(value: Json, budget: Budget): boolean {
    return evaluate(this.a, value, budget) && !evaluate(this.b, value, budget);
  }
}

/** Returns a separate budget for confirming or shrinking one witness, so that this does not use up the steps of the search. */
function forkConfirmationBudget(budget: Budget): Budget {
  return budget.fork(budget.limits.maxSteps >> 1);
}

/** Returns the result of a test; false if a limit ends the test. */
function holdsWithinBudget(test: () => boolean): boolean {
  try {
    return test();
  } catch (error) {
    if (error instanceof LimitError || error instanceof UnsupportedSchema) return false;
    throw error;
  }
}
