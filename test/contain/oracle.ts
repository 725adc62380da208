/** What two validators, asked without the engine, say about the values of one schema; and what the engine's reading says. */
import { Budget, DEFAULT_LIMITS } from "../../generator/contain/budget.js";
import { compileWithAjv } from "../../generator/contain/confirm/ajv-validator.js";
import { compileWithHyperjump } from "../../generator/contain/confirm/hyperjump-validator.js";
import { matchNatively, type PatternMatcher } from "../../generator/contain/confirm/validator-patterns.js";
import { Formulas } from "../../generator/contain/formula.js";
import { matchesPattern } from "../../generator/contain/regex/matches-pattern.js";
import { readSchema } from "../../generator/contain/schema/read-schema.js";
import { evaluate } from "../../generator/contain/solve/evaluate.js";
import { Solver } from "../../generator/contain/solve/solver.js";
import type { Json } from "../../generator/json.js";
import type { Dialect } from "../../generator/schema/dialects.js";

/** Ajv and hyperjump on one schema. */
export interface Oracle {
  /** Their common word; undefined where one of them cannot judge the value. */
  readonly says: (value: Json) => boolean | "differ" | "inexact" | undefined;
  /** The engine's reading, as far as it reads the schema. */
  readonly ours: ((value: Json) => boolean) | undefined;
  /** A few values that the engine finds. */
  readonly samples: readonly Json[];
}

const URI = "https://fuzz.invalid/schema";

/** RegExp where it cannot take long, so that the engine's own matcher is asked as seldom as may be. */
const matcher: PatternMatcher = (source, text) =>
  text.length <= 16 ? matchNatively(source, text) : matchesPattern(source, text, new Budget(DEFAULT_LIMITS));

/** The oracle of a schema; undefined where a validator cannot compile it. */
export async function oracleOf(schema: Json, dialect: Dialect): Promise<Oracle | undefined> {
  try {
    const ajv = compileWithAjv(schema, dialect, matcher);
    const hyperjump = await compileWithHyperjump(schema, URI, dialect, matcher);
    const steps = [...numbersIn(schema, "multipleOf")];
    const says = (value: Json) => {
      if (steps.some((step) => [...numbersIn(value)].some((each) => isInexact(each, step)))) return "inexact";
      try {
        const verdict = ajv(value);
        return verdict === hyperjump(value) ? verdict : ("differ" as const);
      } catch {
        return undefined;
      }
    };
    return { says, ...(await reading(schema, dialect)) };
  } catch {
    return undefined;
  }
}

/** The numbers in a value, or only those of one keyword. */
function* numbersIn(value: Json, keyword?: string): Generator<number> {
  if (typeof value === "number" && keyword === undefined) yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (keyword !== undefined && key === keyword && typeof child === "number") yield child;
    yield* numbersIn(child as Json, keyword);
  }
}

/** Whether floating-point division, which both validators use, gets a multiple of a decimal wrong. */
function isInexact(value: number, step: number): boolean {
  const scale = (each: number): readonly [bigint, number] => {
    const [mantissa = "", exponent = "0"] = each.toExponential().split("e");
    const [whole = "", fraction = ""] = mantissa.split(".");
    return [BigInt(whole + fraction), Number(exponent) - fraction.length];
  };
  const [[a, powerA], [b, powerB]] = [scale(value), scale(step)];
  const least = Math.min(powerA, powerB);
  const isMultiple = (a * 10n ** BigInt(powerA - least)) % (b * 10n ** BigInt(powerB - least)) === 0n;
  const quotient = value / step;
  return isMultiple !== Number.isInteger(quotient) || Math.abs(quotient) >= 1e21; // there Ajv misreads "1e+21"
}

async function reading(schema: Json, dialect: Dialect): Promise<Pick<Oracle, "ours" | "samples">> {
  try {
    const budget = new Budget({ ...DEFAULT_LIMITS, maxSteps: 30_000 });
    const formulas = new Formulas();
    const names = { name: "s", uri: URI, assertFormats: false };
    const { formula } = await readSchema(schema, formulas, { ...budget.limits, ...names, dialect });
    const ours = (value: Json) => evaluate(formula, value, new Budget(DEFAULT_LIMITS));
    try {
      return { ours, samples: new Solver(formulas, budget).enumerate([formula], 6).values };
    } catch {
      return { ours, samples: [] };
    }
  } catch {
    return { ours: undefined, samples: [] };
  }
}
