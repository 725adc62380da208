/** Ajv and @hyperjump/json-schema as independent witnesses. A witness counts only where both agree. */
import type { Json } from "../../json.js";
import type { Dialect } from "../../schema/dialects.js";
import { type Budget, Exhausted, Unsupported } from "../budget.js";
import { matchesPattern } from "../regex/matches-pattern.js";
import { compileWithAjv } from "./ajv-validator.js";
import { compileWithHyperjump } from "./hyperjump-validator.js";
import type { PatternMatcher } from "./validator-patterns.js";

/** The two schemas of a question. */
interface SchemaPair {
  readonly a: Json;
  readonly b: Json;
  readonly dialect: Dialect;
  readonly uriA: string;
  readonly uriB: string;
  /** How many schemas there are to compile, and how many may be compiled. */
  readonly schemas: number;
  readonly maxValidated: number;
}

/** Whether A accepts the value and B refuses it. The budget pays for the patterns that are matched. */
type SeparationTest = (value: Json, budget: Budget) => boolean;
type BudgetedValidator = (value: Json, budget: Budget) => boolean;

const COMPILERS = {
  Ajv: (schema: Json, _uri: string, dialect: Dialect, matches: PatternMatcher) =>
    compileWithAjv(schema, dialect, matches),
  hyperjump: compileWithHyperjump,
};
type ValidatorName = keyof typeof COMPILERS;

/** Both validators on both schemas, compiled when they are first asked. */
export class ValidatorPair {
  private tests: Promise<readonly SeparationTest[]> | undefined;

  constructor(private readonly pair: SchemaPair) {}

  /** Compiles a test of whether both validators accept a value under A and refuse it under B. */
  async prepareSeparationTest(): Promise<SeparationTest> {
    const tests = await this.all();
    return (value, budget) => tests.every((separates) => separates(value, budget));
  }

  /** Returns whether any validator accepts one of the values under A and refuses it under B. */
  async anySeparates(values: readonly Json[], budget: Budget): Promise<boolean> {
    if (values.length === 0) return false;
    const tests = await this.all();
    return values.some((value) => tests.some((separates) => separates(value, budget)));
  }

  private all(): Promise<readonly SeparationTest[]> {
    const compileBoth = async () => [await this.compile("Ajv"), await this.compile("hyperjump")];
    this.tests ??= compileBoth();
    return this.tests;
  }

  private async compile(name: ValidatorName): Promise<SeparationTest> {
    const { a, b, dialect, uriA, uriB, schemas, maxValidated } = this.pair;
    if (schemas > maxValidated)
      throw new Exhausted(`more than ${maxValidated} schemas for the validators to compile`);
    const acceptsA = await cachedValidator(name, a, uriA, dialect);
    const acceptsB = await cachedValidator(name, b, uriB, dialect);
    return (value, budget) => acceptsA(value, budget) && !acceptsB(value, budget);
  }
}

const MOST_KEPT = 100;
const validators = new Map<string, BudgetedValidator>();

/** Returns a validator, kept for the next questions about the same schema; compiling it costs more than most questions. */
async function cachedValidator(
  name: ValidatorName,
  schema: Json,
  uri: string,
  dialect: Dialect,
): Promise<BudgetedValidator> {
  const key = `${name} ${uri} ${dialect} ${JSON.stringify(schema)}`;
  const known = validators.get(key);
  if (known) return known;
  const made = await compileValidator(name, schema, uri, dialect);
  if (validators.size >= MOST_KEPT) validators.clear();
  validators.set(key, made);
  return made;
}

async function compileValidator(
  name: ValidatorName,
  schema: Json,
  uri: string,
  dialect: Dialect,
): Promise<BudgetedValidator> {
  let payer: Budget | undefined;
  const matches: PatternMatcher = (source, text) => {
    if (!payer) throw new Error("a pattern is matched before there is a value");
    return matchesPattern(source, text, payer);
  };
  try {
    const validate = await COMPILERS[name](schema, uri, dialect, matches);
    return (value, budget) => {
      payer = budget;
      try {
        return validate(value);
      } catch (error) {
        return throwUnsupported(name, error);
      }
    };
  } catch (error) {
    return throwUnsupported(name, error);
  }
}

function throwUnsupported(name: ValidatorName, error: unknown): never {
  if (error instanceof Exhausted || error instanceof Unsupported) throw error;
  throw new Unsupported(`${name} cannot validate: ${error instanceof Error ? error.message : String(error)}`);
}
