/**
 * Is every value that schema A accepts accepted by schema B? The law of this folder: "contained" is said only on a
 * proof that no value satisfies A and the complement of B; "not-contained" only with a value that Ajv and
 * @hyperjump/json-schema both accept under A and refuse under B. Everything else is "undecided", with the reason.
 */
import type { Json } from "../json.js";
import type { Dialect } from "../schema/dialects.js";
import { Budget, DEFAULT_LIMITS, Exhausted, type Limits, Unsupported } from "./budget.js";
import { Judges } from "./confirm/judges.js";
import { shrink } from "./confirm/shrink.js";
import { type Formula, Formulas, TYPES, type TypeName } from "./formula.js";
import { constant } from "./schema/constants.js";
import { listedValues } from "./schema/listed.js";
import { readSchema } from "./schema/read.js";
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
  /** The dialect of a schema that does not state one by `$schema`; draft 2020-12 unless named. */
  readonly dialect?: Dialect;
  /** Whether `format` is an assertion. Formats that are not regular then make the question undecided. */
  readonly assertFormats?: boolean;
  /** Makes a witness look better; whatever it returns has to be one that `accept`, the confirmation, took. */
  readonly polish?: (witness: Json, accept: (candidate: Json) => boolean) => Json;
}

/** Where schemas without an identifier lie: at a name that no relative reference in them hits by chance. */
const URI = {
  a: "https://a.accrete.invalid/unnamed-4b1f70c9e2",
  b: "https://b.accrete.invalid/unnamed-4b1f70c9e2",
};
const MOST_LISTED = 50;
const MOST_WITNESSES = 4;
const CONTRADICTED = "a validator contradicts the proof on a listed value";

/**
 * Whether every value that `a` accepts is accepted by `b`. Never rejects. The same question gets the same answer and
 * the same witness, unless the wall clock ends the search, which leaves it undecided, or the shrinking of a witness.
 */
export async function checkContainment(
  a: Json,
  b: Json,
  options: ContainmentOptions = {},
): Promise<Containment> {
  try {
    return await ask(a, b, options);
  } catch (error) {
    return { verdict: "undecided", reason: reasonFor(error) };
  }
}

function reasonFor(error: unknown): string {
  if (error instanceof Exhausted || error instanceof Unsupported) return error.reason;
  if (error instanceof RangeError) return "nested too deep";
  return `unexpected: ${error instanceof Error ? error.message : String(error)}`;
}

async function ask(schemaA: Json, schemaB: Json, options: ContainmentOptions): Promise<Containment> {
  const budget = new Budget({ ...DEFAULT_LIMITS, ...options });
  const formulas = new Formulas();
  const dialect = options.dialect ?? "2020-12";
  const reading = { ...budget.limits, dialect, assertFormats: options.assertFormats ?? false };
  const a = await readSchema(schemaA, formulas, { ...reading, name: "a", uri: URI.a });
  const b = await readSchema(schemaB, formulas, { ...reading, name: "b", uri: URI.b });
  const strings = [...a.strings, ...b.strings];
  const size = { schemas: a.schemas + b.schemas, maxJudged: budget.limits.maxJudged };
  const uris = { uriA: URI.a, uriB: URI.b };
  const judges = new Judges({ a: a.judged, b: b.judged, dialect, ...uris, ...size });
  const solver = new Solver(formulas, budget, strings);
  const search = new Search(a.formula, b.formula, solver, judges, options.polish ?? asItIs);
  const listed = listedValues(schemaA, dialect, MOST_LISTED);
  const outcome = await search.run(listed);
  if (outcome.is === "value") return { verdict: "not-contained", witness: outcome.value };
  if (outcome.is === "unknown") return { verdict: "undecided", reason: outcome.reason };
  const contradicted = listed !== undefined && (await judges.anySeparates(listed, confirming(budget)));
  return contradicted ? { verdict: "undecided", reason: CONTRADICTED } : { verdict: "contained" };
}

const asItIs = (witness: Json): Json => witness;

/** The search for a value of A outside B. */
class Search {
  private readonly outside: Formula;

  constructor(
    private readonly a: Formula,
    private readonly b: Formula,
    private readonly solver: Solver,
    private readonly judges: Judges,
    private readonly polish: NonNullable<ContainmentOptions["polish"]>,
  ) {
    this.outside = solver.formulas.not(b);
  }

  /** A confirmed witness; empty when it is proven that there is none. `listed` are all values of A, if known. */
  async run(listed: readonly Json[] | undefined): Promise<Outcome> {
    const { formulas } = this.solver;
    if (formulas.and(this.a, this.outside) === formulas.nothing) return { is: "empty" };
    if (listed) return this.among(listed);
    let best: Outcome = { is: "empty" };
    for (const type of TYPES) {
      const outcome = await this.ofType(type);
      if (outcome.is === "value") return outcome;
      if (outcome.is === "unknown") best = outcome;
    }
    return best;
  }

  private async among(values: readonly Json[]): Promise<Outcome> {
    const budget = this.solver.budget;
    const separating = values.filter((value) => separates(this.a, this.b, value, budget));
    let best: Outcome = { is: "empty" };
    for (const value of separating) {
      best = await this.confirm(value);
      if (best.is === "value") return best;
    }
    return best;
  }

  private async ofType(type: TypeName): Promise<Outcome> {
    const { formulas } = this.solver;
    const refused: Formula[] = [];
    for (;;) {
      const outcome = this.solver.solveType(type, [this.a, this.outside, ...refused]);
      if (outcome.is !== "value")
        return refused.length > 0 ? unknown("the validators refuse the witnesses") : outcome;
      const confirmed = await this.confirm(outcome.value);
      if (confirmed.is === "value" || refused.length >= MOST_WITNESSES) return confirmed;
      refused.push(formulas.not(constant(formulas, outcome.value)));
    }
  }

  /** The witness made small, once both validators have confirmed it. */
  private async confirm(value: Json): Promise<Outcome> {
    const budget = confirming(this.solver.budget);
    const doubt = unknown(`the validators do not agree on ${JSON.stringify(value).slice(0, 200)}`);
    if (!separates(this.a, this.b, value, budget)) return doubt;
    const judged = await budget.besides(() => this.judges.separating());
    if (!judged(value, budget)) return doubt;
    const shrinking = confirming(this.solver.budget);
    const inner = (each: Json) => separates(this.a, this.b, each, shrinking);
    const separating = (each: Json) => ifKnown(() => inner(each) && judged(each, budget));
    const small = shrink(value, (each) => ifKnown(() => inner(each)));
    const shown = ifKnown(() => judged(small, budget)) ? small : shrink(value, separating);
    return found(this.polish(shown, separating));
  }
}

/** What it may cost to confirm one witness, and again to make it small: deterministic, and not at the search's expense. */
function confirming(budget: Budget): Budget {
  return budget.apart(budget.limits.maxSteps >> 1);
}

/** False where a budget ends first. */
function ifKnown(test: () => boolean): boolean {
  try {
    return test();
  } catch (error) {
    if (error instanceof Exhausted || error instanceof Unsupported) return false;
    throw error;
  }
}

function separates(a: Formula, b: Formula, value: Json, budget: Budget): boolean {
  return evaluate(a, value, budget) && !evaluate(b, value, budget);
}
