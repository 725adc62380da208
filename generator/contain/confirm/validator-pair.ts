/** Confirms witnesses by two independent validators, Ajv and @hyperjump/json-schema. Both must agree. */
import type { Json } from "../../json.js";
import type { Dialect } from "../../schema/dialects.js";
import { type Budget, LimitError, type Limits, UnsupportedSchema } from "../budget.js";
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
  /** The number of schemas to compile. */
  readonly schemaCount: number;
  /** The greatest number of schemas that a validator may apply to one value. */
  readonly appliedCount: number;
  readonly limits: Limits;
}

/** Returns whether A accepts the value and B refuses it. Matching of patterns spends steps of the budget. */
type SeparationTest = (value: Json, budget: Budget) => boolean;
/** Returns whether a schema accepts the value. */
type BudgetedValidator = (value: Json, budget: Budget) => boolean;

const COMPILERS = {
  Ajv: (schema: Json, _uri: string, dialect: Dialect, matches: PatternMatcher) =>
    compileWithAjv(schema, dialect, matches),
  hyperjump: compileWithHyperjump,
};
type ValidatorName = keyof typeof COMPILERS;

/** Both validators for both schemas, compiled on first use. */
export class ValidatorPair {
  private tests: Promise<readonly SeparationTest[]> | undefined;

  constructor(private readonly pair: SchemaPair) {}

  /** Returns a function that tests whether both validators accept a value under A and refuse it under B. */
  async prepareSeparationTest(): Promise<SeparationTest> {
    const tests = await this.compileTests();
    return (value, budget) => tests.every((isSeparating) => isSeparating(value, budget));
  }

  /** Returns whether any validator accepts one of the values under A and refuses it under B. */
  async hasSeparatingValue(values: readonly Json[], budget: Budget): Promise<boolean> {
    if (values.length === 0) return false;
    const tests = await this.compileTests();
    return values.some((value) => tests.some((isSeparating) => isSeparating(value, budget)));
  }

  private compileTests(): Promise<readonly SeparationTest[]> {
    const compileBoth = async () => [await this.compileTest("Ajv"), await this.compileTest("hyperjump")];
    this.tests ??= compileBoth();
    return this.tests;
  }

  private async compileTest(name: ValidatorName): Promise<SeparationTest> {
    const { a, b, dialect, uriA, uriB, schemaCount, appliedCount, limits } = this.pair;
    if (schemaCount > limits.maxCompiledSchemas)
      throw new LimitError(`more than ${limits.maxCompiledSchemas} schemas for the validators to compile`);
    if (appliedCount > limits.maxAppliedSchemas)
      throw new LimitError(`more than ${limits.maxAppliedSchemas} schemas that apply to one value`);
    const acceptsA = await getValidator(name, a, uriA, dialect);
    const acceptsB = await getValidator(name, b, uriB, dialect);
    return (value, budget) => acceptsA(value, budget) && !acceptsB(value, budget);
  }
}

const MAX_CACHED = 100;
const validators = new Map<string, BudgetedValidator>();

/** Returns a validator. Uses a cache, because compiling a validator takes longer than deciding most questions. */
async function getValidator(
  name: ValidatorName,
  schema: Json,
  uri: string,
  dialect: Dialect,
): Promise<BudgetedValidator> {
  const key = `${name} ${uri} ${dialect} ${JSON.stringify(schema)}`;
  const cachedValidator = validators.get(key);
  if (cachedValidator) return cachedValidator;
  const validator = await compileValidator(name, schema, uri, dialect);
  if (validators.size >= MAX_CACHED) validators.clear();
  validators.set(key, validator);
  return validator;
}

async function compileValidator(
  name: ValidatorName,
  schema: Json,
  uri: string,
  dialect: Dialect,
): Promise<BudgetedValidator> {
  let currentBudget: Budget | undefined;
  const matches: PatternMatcher = (source, text) => {
    if (!currentBudget) throw new Error("a pattern is matched before there is a value");
    return matchesPattern(source, text, currentBudget);
  };
  try {
    const validate = await COMPILERS[name](schema, uri, dialect, matches);
    return (value, budget) => {
      currentBudget = budget;
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
  if (error instanceof LimitError || error instanceof UnsupportedSchema) throw error;
  throw new UnsupportedSchema(
    `${name} cannot validate: ${error instanceof Error ? error.message : String(error)}`,
  );
}
