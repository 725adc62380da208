/** Confirms witnesses by two independent validators, Ajv and @hyperjump/json-schema. Both must agree. */
import type { Json } from "../../json.js";
import type { Dialect } from "../../schema/dialects.js";
import { type Budget, LimitError, type Limits, UnsupportedSchema } from "../budget.js";
import { matchesPattern } from "../regex/matches-pattern.js";
import type { ReadSchema } from "../schema/read-schema.js";
import { compileWithAjv } from "./ajv-validator.js";
import { compileWithHyperjump } from "./hyperjump-validator.js";
import type { PatternMatcher } from "./validator-patterns.js";

/** The two schemas of a question. */
interface SchemaPair {
  readonly a: ReadSchema;
  readonly b: ReadSchema;
  readonly dialect: Dialect;
  readonly uriA: string;
  readonly uriB: string;
  readonly limits: Limits;
}

/** The number of schemas up to which whole documents are compiled, so that validators serve several questions. */
const MAX_WHOLE_SCHEMAS = 500;

/** The two documents for the validators. */
interface DocumentPair {
  readonly a: Json;
  readonly b: Json;
  /** The keys of the values that the validators may check; absent if they may check all values. */
  readonly keys?: ReadonlySet<string>;
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

/**
 * Both validators for both schemas, compiled on first use. Of schemas that are too large to be compiled, the parts that apply
 * to a value are compiled.
 */
export class ValidatorPair {
  /** The tests of the whole documents. */
  private tests: Promise<readonly SeparationTest[]> | undefined;

  constructor(private readonly pair: SchemaPair) {}

  /**
   * Returns a function that tests whether both validators accept a value under A and refuse it under B. The value is
   * `witness` or a simpler one; other values may be refused.
   */
  async prepareSeparationTest(witness: Json): Promise<SeparationTest> {
    const tests = await this.compileTests([witness]);
    return (value, budget) => tests.every((isSeparating) => isSeparating(value, budget));
  }

  /** Returns the two schemas as far as they apply to a value, for other validators. */
  limitToValue(value: Json): readonly [a: Json, b: Json] {
    const { a, b, keys } = this.chooseDocuments([value]);
    return keys ? [a, b] : [this.pair.a.document, this.pair.b.document];
  }

  /** Returns whether any validator accepts one of the values under A and refuses it under B. */
  async hasSeparatingValue(values: readonly Json[], budget: Budget): Promise<boolean> {
    if (values.length === 0) return false;
    const tests = await this.compileTests(values);
    return values.some((value) => tests.some((isSeparating) => isSeparating(value, budget)));
  }

  /** Compiles the tests for these values. The tests of whole documents are for all values, so they are kept. */
  private compileTests(values: readonly Json[]): Promise<readonly SeparationTest[]> {
    if (this.tests) return this.tests;
    const documents = this.chooseDocuments(values);
    const compileBoth = async () => [
      await this.compileTest("Ajv", documents),
      await this.compileTest("hyperjump", documents),
    ];
    const tests = compileBoth();
    if (documents.keys === undefined) this.tests = tests;
    return tests;
  }

  /** Returns the documents that the validators compile to check these values. Throws if they are too large. */
  private chooseDocuments(values: readonly Json[]): DocumentPair {
    const { a, b, limits } = this.pair;
    if (Math.max(a.countApplied(), b.countApplied()) > limits.maxAppliedSchemas)
      throw new LimitError(`more than ${limits.maxAppliedSchemas} schemas that apply to one value`);
    const wholeCount = a.schemaCount + b.schemaCount;
    const keys = new Set(values.flatMap(listKeys));
    const [limitedA, limitedB] =
      wholeCount > MAX_WHOLE_SCHEMAS ? [a.limitToKeys(keys), b.limitToKeys(keys)] : [];
    const isLimited = limitedA !== undefined && limitedB !== undefined;
    if ((isLimited ? limitedA.schemaCount + limitedB.schemaCount : wholeCount) > limits.maxCompiledSchemas)
      throw new LimitError(`more than ${limits.maxCompiledSchemas} schemas for the validators to compile`);
    return isLimited
      ? { a: limitedA.schema, b: limitedB.schema, keys }
      : { a: a.prepareForValidators(), b: b.prepareForValidators() };
  }

  private async compileTest(name: ValidatorName, { a, b, keys }: DocumentPair): Promise<SeparationTest> {
    const { dialect, uriA, uriB } = this.pair;
    const acceptsA = await getValidator(name, a, uriA, dialect);
    const acceptsB = await getValidator(name, b, uriB, dialect);
    return (value, budget) =>
      (keys === undefined || listKeys(value).every((key) => keys.has(key))) &&
      acceptsA(value, budget) &&
      !acceptsB(value, budget);
  }
}

/** Returns the keys of a value, at every depth. */
function listKeys(value: Json): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(listKeys)];
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
