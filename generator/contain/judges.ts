/** The two validators together. They see both schemas, are made on first need, and decide only where both agree. */
import type { Json } from "../json.js";
import { Exhausted, Unsupported } from "./budget.js";
import type { Dialect } from "./dialect.js";
import { ajvJudge } from "./judge-ajv.js";
import { hyperjumpJudge, type Judge } from "./judge-hyperjump.js";
import { isRisky } from "./match.js";

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
  /** The strings of both schemas, patterns among them. */
  readonly strings: readonly string[];
}

interface Pair {
  readonly a: Judge;
  readonly b: Judge;
}

/** Both validators' word on values. */
export class Judges {
  private pairs: Promise<readonly Pair[]> | undefined;

  constructor(private readonly question: Case) {}

  /** A test whether both validators accept a value under A and refuse it under B. */
  async separating(): Promise<(value: Json) => boolean> {
    const pairs = await this.all();
    return (value) => {
      this.refuseRisk(value);
      return pairs.every(({ a, b }) => a(value) && !b(value));
    };
  }

  /** Whether any validator accepts one of the values under A and refuses it under B. */
  async anySeparates(values: readonly Json[]): Promise<boolean> {
    if (values.length === 0) return false;
    const pairs = await this.all();
    values.forEach((value) => {
      this.refuseRisk(value);
    });
    return values.some((value) => pairs.some(({ a, b }) => a(value) && !b(value)));
  }

  /** The validators match patterns by backtracking and cannot be interrupted. */
  private refuseRisk(value: Json): void {
    if (isRisky(texts(value), this.question.strings)) {
      throw new Exhausted("a pattern that may take the validators for ever");
    }
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

function* texts(value: Json): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    if (!Array.isArray(value)) yield* Object.keys(value);
    for (const child of Object.values(value)) yield* texts(child);
  }
}

type Validator = "Ajv" | "hyperjump";

const MOST_KEPT = 100;
const judges = new Map<string, Judge>();

/** A judge, kept for the next questions about the same schema; compiling it costs more than most questions. */
async function kept(validator: Validator, schema: Json, uri: string, dialect: Dialect): Promise<Judge> {
  const key = `${validator} ${uri} ${dialect} ${JSON.stringify(schema)}`;
  const known = judges.get(key);
  if (known) return known;
  const made = await compiled(validator, schema, uri, dialect);
  if (judges.size >= MOST_KEPT) judges.clear();
  judges.set(key, made);
  return made;
}

async function compiled(validator: Validator, schema: Json, uri: string, dialect: Dialect): Promise<Judge> {
  try {
    const judge =
      validator === "Ajv" ? ajvJudge(schema, dialect) : await hyperjumpJudge(schema, uri, dialect);
    return (value) => {
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
  throw new Unsupported(
    `${validator} cannot judge: ${error instanceof Error ? error.message : String(error)}`,
  );
}
