/**
 * Fuzzes the containment engine: random pairs of schemas and mutated pairs, instances sampled from both, Ajv and
 * hyperjump as oracles. A contradiction is printed as a test case.
 *
 *   npm run fuzz:contain -- --seconds 60 --seed 1
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Budget, DEFAULT_LIMITS } from "../generator/contain/budget.js";
import { type Containment, checkContainment } from "../generator/contain/contain.js";
import { DIALECTS, type Dialect } from "../generator/contain/dialect.js";
import { evaluate } from "../generator/contain/evaluate.js";
import { Formulas } from "../generator/contain/formula.js";
import { ajvJudge } from "../generator/contain/judge-ajv.js";
import { hyperjumpJudge } from "../generator/contain/judge-hyperjump.js";
import { readSchema } from "../generator/contain/read.js";
import { Solver } from "../generator/contain/solver.js";
import { canonical, isObject, type Json, type JsonObject } from "../generator/json.js";
import { smallWorld } from "../test/contain/families.js";
import { mutateGrammar, randomGrammar, randomTree } from "../test/contain/grammars.js";
import {
  mutate,
  mutateSchema,
  Random,
  randomDocument,
  randomSchema,
  randomValue,
  withDefinition,
} from "../test/contain/random.js";

/** What a run found. */
export interface Tally {
  pairs: number;
  instances: number;
  contained: number;
  notContained: number;
  undecided: number;
  slowest: number;
  reasons: Map<string, number>;
  contradictions: string[];
}

/** Both validators' word on a value, and our own; undefined where the validators differ or fail. */
interface Oracle {
  readonly agreed: (value: Json) => boolean | undefined;
  readonly ours: ((value: Json) => boolean) | undefined;
  readonly samples: readonly Json[];
}

/** Runs until the time or the number of pairs is used up. */
export async function fuzz(options: { seconds: number; seed: number; pairs?: number }): Promise<Tally> {
  const random = new Random(options.seed);
  const end = performance.now() + options.seconds * 1000;
  const tally: Tally = {
    pairs: 0,
    instances: 0,
    contained: 0,
    notContained: 0,
    undecided: 0,
    slowest: 0,
    reasons: new Map(),
    contradictions: [],
  };
  const known = repositorySchemas();
  while (performance.now() < end && tally.pairs < (options.pairs ?? Number.POSITIVE_INFINITY)) {
    const dialect = random.chance(0.5) ? "2020-12" : random.pick(DIALECTS);
    if (random.chance(0.4)) {
      const { a, b, values } = smallWorld(random, dialect);
      await probe(random, a, b, dialect, tally, values);
    } else {
      const [a, b] = pair(random, dialect, known);
      await probe(random, a, b, dialect, tally);
    }
  }
  return tally;
}

function pair(random: Random, dialect: Dialect, known: readonly Json[]): readonly [Json, Json] {
  if (known.length > 0 && random.chance(0.1)) {
    const schema = random.pick(known);
    const changed = withDefinition(random, mutateSchema(random, schema, "2020-12", 6), "2020-12");
    return random.chance(0.5) ? [schema, changed] : [changed, schema];
  }
  if (random.chance(0.2)) {
    const grammar = randomGrammar(random, dialect);
    return random.chance(0.2) ? [grammar, false] : [grammar, mutateGrammar(random, grammar, dialect)];
  }
  const depth = 1 + random.below(3);
  const a = randomDocument(random, depth, dialect);
  if (random.chance(0.3)) return [a, randomDocument(random, depth, dialect)];
  const change = (schema: Json) => withDefinition(random, mutateSchema(random, schema, dialect), dialect);
  const b = random.chance(0.3) ? change(change(a)) : change(a);
  if (random.chance(0.1)) return [a, lift({ anyOf: [b, randomSchema(random, 2, dialect)] }, a)];
  if (random.chance(0.1)) return [lift({ allOf: [b, randomSchema(random, 2, dialect)] }, a), a];
  return random.chance(0.5) ? [a, b] : [b, a];
}

/** Definitions stand at the root, where references look for them. */
function lift(schema: JsonObject, from: Json): Json {
  return isObject(from) && from.definitions !== undefined
    ? { ...schema, definitions: from.definitions }
    : schema;
}

async function probe(
  random: Random,
  a: Json,
  b: Json,
  dialect: Dialect,
  tally: Tally,
  world?: readonly Json[],
): Promise<void> {
  const start = performance.now();
  const answer = await checkContainment(a, b, { dialect });
  tally.slowest = Math.max(tally.slowest, performance.now() - start);
  tally.pairs++;
  const report = (what: string, value?: Json) =>
    tally.contradictions.push(JSON.stringify({ what, dialect, a, b, answer, value }));
  count(tally, answer);
  const left = await oracle(a, dialect);
  const right = await oracle(b, dialect);
  if (!left || !right) return;
  for (const value of world ?? instances(random, left, right)) {
    tally.instances++;
    const inA = left.agreed(value);
    const inB = right.agreed(value);
    if (answer.verdict === "contained" && inA === true && inB === false) report("contained, but", value);
    if (inA !== undefined && left.ours && left.ours(value) !== inA) report("our reading of A differs", value);
    if (inB !== undefined && right.ours && right.ours(value) !== inB)
      report("our reading of B differs", value);
  }
  if (answer.verdict === "not-contained") {
    const { witness } = answer;
    if (left.agreed(witness) !== true || right.agreed(witness) !== false) report("a false witness", witness);
  }
}

function count(tally: Tally, answer: Containment): void {
  if (answer.verdict === "contained") tally.contained++;
  else if (answer.verdict === "not-contained") tally.notContained++;
  else {
    tally.undecided++;
    const reason = answer.reason.replace(/[[{"].*$/, "…");
    tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
  }
}

function* instances(random: Random, left: Oracle, right: Oracle): Generator<Json> {
  const own = [...left.samples, ...right.samples];
  yield* own;
  for (const value of own)
    for (let i = 0; i < 3; i++) yield mutate(random, value, () => randomValue(random, 1));
  for (let i = 0; i < 15; i++) yield randomValue(random);
  for (let i = 0; i < 15; i++) yield randomTree(random, 4);
}

async function oracle(schema: Json, dialect: Dialect): Promise<Oracle | undefined> {
  try {
    const ajv = ajvJudge(schema, dialect);
    const hyperjump = await hyperjumpJudge(schema, "https://fuzz.invalid/schema", dialect);
    const agreed = (value: Json) => {
      try {
        const verdict = ajv(value);
        return verdict === hyperjump(value) ? verdict : undefined;
      } catch {
        return undefined;
      }
    };
    return { agreed, ...(await reading(schema, dialect)) };
  } catch {
    return undefined;
  }
}

async function reading(schema: Json, dialect: Dialect): Promise<Pick<Oracle, "ours" | "samples">> {
  try {
    const budget = new Budget({ ...DEFAULT_LIMITS, maxSteps: 30_000, timeoutMs: 500 });
    const formulas = new Formulas();
    const names = { name: "s", uri: "https://fuzz.invalid/schema", assertFormats: false };
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

/** The event schemas of this repository that stand alone. */
function repositorySchemas(): readonly Json[] {
  try {
    return readdirSync("schemas", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".schema.json"))
      .sort()
      .map((name) => JSON.parse(readFileSync(join("schemas", name), "utf8")) as Json)
      .filter((schema) => !canonical(schema).includes(".schema.json"));
  } catch {
    return [];
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } });
  const tally = await fuzz({ seconds: Number(values.seconds ?? 60), seed: Number(values.seed ?? 1) });
  const { contradictions, reasons, ...counts } = tally;
  console.log(JSON.stringify({ ...counts, contradictions: contradictions.length }));
  console.log(
    JSON.stringify(Object.fromEntries([...reasons].sort((x, y) => y[1] - x[1]).slice(0, 20)), null, 1),
  );
  for (const contradiction of contradictions.slice(0, 20)) console.log(contradiction);
  process.exitCode = contradictions.length > 0 ? 1 : 0;
}
