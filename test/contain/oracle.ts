/** Gives the verdicts of two independent validators, and of generator/contain, on values of one schema. */
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

/** Functions that check values against one schema. */
export interface Oracle {
  /** Returns the common verdict of Ajv and hyperjump; undefined if one of them throws. */
  readonly getVerdict: (value: Json) => boolean | "differ" | "inexact" | undefined;
  /** Returns whether the engine accepts a value; undefined if the engine cannot read the schema. */
  readonly isAcceptedByEngine: ((value: Json) => boolean) | undefined;
  /** A few values that the engine finds. */
  readonly samples: readonly Json[];
}

const URI = "https://fuzz.invalid/schema";

/** Matches short texts with RegExp. Long texts could take RegExp very long, so the engine's matcher is used for them. */
const matcher: PatternMatcher = (source, text) =>
  text.length <= 16 ? matchNatively(source, text) : matchesPattern(source, text, new Budget(DEFAULT_LIMITS));

/** Creates the oracle of a schema; undefined if a validator cannot compile it. */
export async function createOracle(schema: Json, dialect: Dialect): Promise<Oracle | undefined> {
  try {
    const ajv = compileWithAjv(schema, dialect, matcher);
    const hyperjump = await compileWithHyperjump(schema, URI, dialect, matcher);
    const steps = [...listNumbers(schema, "multipleOf")];
    const getVerdict = (value: Json) => {
      if (steps.some((step) => [...listNumbers(value)].some((each) => isInexact(each, step))))
        return "inexact";
      try {
        const verdict = ajv(value);
        return verdict === hyperjump(value) ? verdict : ("differ" as const);
      } catch {
        return undefined;
      }
    };
    return { getVerdict, ...(await createReading(schema, dialect)) };
  } catch {
    return undefined;
  }
}

/** Lists the numbers in a value, or only the values of one keyword. */
function* listNumbers(value: Json, keyword?: string): Generator<number> {
  if (typeof value === "number" && keyword === undefined) yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (keyword !== undefined && key === keyword && typeof child === "number") yield child;
    yield* listNumbers(child as Json, keyword);
  }
}

/** Returns true if floating-point division, which both validators use for multipleOf, gives a wrong result. */
function isInexact(value: number, step: number): boolean {
  const splitDecimal = (each: number): readonly [digits: bigint, power: number] => {
    const [mantissa = "", exponent = "0"] = each.toExponential().split("e");
    const [whole = "", fraction = ""] = mantissa.split(".");
    return [BigInt(whole + fraction), Number(exponent) - fraction.length];
  };
  const [valueDigits, valuePower] = splitDecimal(value);
  const [stepDigits, stepPower] = splitDecimal(step);
  const power = Math.min(valuePower, stepPower);
  const scaledValue = valueDigits * 10n ** BigInt(valuePower - power);
  const scaledStep = stepDigits * 10n ** BigInt(stepPower - power);
  const isMultiple = scaledValue % scaledStep === 0n;
  const quotient = value / step;
  // Ajv reads the text of the quotient, and misreads a text such as "1e+21".
  return isMultiple !== Number.isInteger(quotient) || Math.abs(quotient) >= 1e21;
}

async function createReading(
  schema: Json,
  dialect: Dialect,
): Promise<Pick<Oracle, "isAcceptedByEngine" | "samples">> {
  try {
    const budget = new Budget({ ...DEFAULT_LIMITS, maxSteps: 30_000 });
    const formulas = new Formulas();
    const names = { name: "s", uri: URI, assertFormats: false };
    const { formula } = await readSchema(schema, formulas, { ...budget.limits, ...names, dialect });
    const isAcceptedByEngine = (value: Json) => evaluate(formula, value, new Budget(DEFAULT_LIMITS));
    try {
      return { isAcceptedByEngine, samples: new Solver(formulas, budget).enumerate([formula], 6).values };
    } catch {
      return { isAcceptedByEngine, samples: [] };
    }
  } catch {
    return { isAcceptedByEngine: undefined, samples: [] };
  }
}
