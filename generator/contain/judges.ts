/** The two validators together. They see both schemas, are made on first need, and decide only where both agree. */
import { isObject, type Json, own } from "../json.js";
import { Exhausted } from "./budget.js";
import type { Dialect } from "./dialect.js";
import { ajvJudge } from "./judge-ajv.js";
import { hyperjumpJudge, type Judge } from "./judge-hyperjump.js";

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
    return (value) => pairs.every(({ a, b }) => a(value) && !b(value));
  }

  /** Whether any validator accepts one of the values under A and refuses it under B. */
  async anySeparates(values: readonly Json[]): Promise<boolean> {
    const pairs = await this.all();
    return values.some((value) => pairs.some(({ a, b }) => a(value) && !b(value)));
  }

  private all(): Promise<readonly Pair[]> {
    this.pairs ??= this.compile();
    return this.pairs;
  }

  private async compile(): Promise<readonly Pair[]> {
    const { a, b, dialect, uriA, uriB, schemas, maxJudged } = this.question;
    if (schemas > maxJudged)
      throw new Exhausted(`more than ${maxJudged} schemas for the validators to compile`);
    const ajv = { a: ajvJudge(a, dialect), b: ajvJudge(b, dialect) };
    return [ajv, { a: await hyperjumpJudge(a, uriA, dialect), b: await hyperjumpJudge(b, uriB, dialect) }];
  }
}

/** The values of a schema that is a plain list of values, or undefined when it is none, or longer than `most`. */
export function listedValues(schema: Json, most: number): readonly Json[] | undefined {
  if (!isObject(schema)) return undefined;
  const single = own(schema, "const");
  if (single !== undefined) return [single];
  const listed = own(schema, "enum");
  if (Array.isArray(listed)) return listed.length <= most ? listed : undefined;
  const branches = own(schema, "anyOf");
  if (!Array.isArray(branches) || branches.length > most) return undefined;
  const lists = branches.map((branch: Json) => listedValues(branch, most));
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}
