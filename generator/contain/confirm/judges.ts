/** The two validators together. They see both schemas, are made on first need, and decide only where both agree. */
import type { Json } from "../../json.js";
import type { Dialect } from "../../schema/dialects.js";
import { type Budget, Exhausted, Unsupported } from "../budget.js";
import { matches } from "../regex/match.js";
import { ajvJudge } from "./judge-ajv.js";
import { hyperjumpJudge } from "./judge-hyperjump.js";
import type { Matcher } from "./tester.js";

/** What the judges are asked about: is A inside B? */
export interface Case {
  readonly a: Json;
  readonly b: Json;
  readonly dialect: Dialect;
  readonly uriA: string;
  readonly uriB: string;
  /** How many schemas there are to compile, and how many may be. */
  readonly schemas: number;
  readonly maxJudged: number;
}

/** A validator of one schema. Patterns are matched at the expense of the budget. */
type BudgetedJudge = (value: Json, budget: Budget) => boolean;

interface Pair {
  readonly a: BudgetedJudge;
  readonly b: BudgetedJudge;
}

/** Both validators' word on values. */
export class Judges {
  private pairs: Promise<readonly Pair[]> | undefined;

  constructor(private readonly question: Case) {}

  /** A test whether both validators accept a value under A and refuse it under B. */
  async separating(): Promise<(value: Json, budget: Budget) => boolean> {
    const pairs = await this.all();
    return (value, budget) => pairs.every(({ a, b }) => a(value, budget) && !b(value, budget));
  }

  /** Whether any validator accepts one of the values under A and refuses it under B. */
  async anySeparates(values: readonly Json[], budget: Budget): Promise<boolean> {
    if (values.length === 0) return false;
    const pairs = await this.all();
    return values.some((value) => pairs.some(({ a, b }) => a(value, budget) && !b(value, budget)));
  }

  private all(): Promise<readonly Pair[]> {
    this.pairs ??= this.compile();
    return this.pairs;
  }

  private async compile(): Promise<readonly Pair[]> {
    const { a, b, dialect, uriA, uriB, schemas, maxJudged } = this.question;
    if (schemas > maxJudged)
      throw new Exhausted(`more than ${maxJudged} schemas for the validators to compile`);
    const ajv = { a: await kept("Ajv", a, uriA, dialect), b: await kept("Ajv", b, uriB, dialect) };
    return [
      ajv,
      { a: await kept("hyperjump", a, uriA, dialect), b: await kept("hyperjump", b, uriB, dialect) },
    ];
  }
}

type Validator = "Ajv" | "hyperjump";

const MOST_KEPT = 100;
const judges = new Map<string, BudgetedJudge>();

/** A judge, kept for the next questions about the same schema; compiling it costs more than most questions. */
async function kept(
  validator: Validator,
  schema: Json,
  uri: string,
  dialect: Dialect,
): Promise<BudgetedJudge> {
  const key = `${validator} ${uri} ${dialect} ${JSON.stringify(schema)}`;
  const known = judges.get(key);
  if (known) return known;
  const made = await compiled(validator, schema, uri, dialect);
  if (judges.size >= MOST_KEPT) judges.clear();
  judges.set(key, made);
  return made;
}

async function compiled(
  validator: Validator,
  schema: Json,
  uri: string,
  dialect: Dialect,
): Promise<BudgetedJudge> {
  let payer: Budget | undefined;
  const matcher: Matcher = (source, text) => {
    if (!payer) throw new Error("a pattern is matched before there is a value");
    return matches(source, text, payer);
  };
  try {
    const judge =
      validator === "Ajv"
        ? ajvJudge(schema, dialect, matcher)
        : await hyperjumpJudge(schema, uri, dialect, matcher);
    return (value, budget) => {
      payer = budget;
      try {
        return judge(value);
      } catch (error) {
        return unable(validator, error);
      }
    };
  } catch (error) {
    return unable(validator, error);
  }
}

function unable(validator: Validator, error: unknown): never {
  if (error instanceof Exhausted || error instanceof Unsupported) throw error;
  throw new Unsupported(
    `${validator} cannot judge: ${error instanceof Error ? error.message : String(error)}`,
  );
}
