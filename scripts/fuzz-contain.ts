/**
 * Fuzzes the containment engine with random, mutated and hard pairs of schemas, and instances that follow both. Ajv and
 * hyperjump are the oracles; if the two differ, or both divide inexactly, an instance does not count. Prints each
 * contradiction as a test case.
 *
 *   npm run fuzz:contain -- --seconds 60 --seed 1
 */
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type Containment, checkContainment } from "../generator/contain/contain.js";
import { isObject, type Json, type JsonObject } from "../generator/json.js";
import { loadSchemas } from "../generator/load/load.js";
import { createRandom, type Random } from "../generator/random.js";
import { DIALECTS, type Dialect } from "../generator/schema/dialects.js";
import { buildDocument, readAs } from "../generator/schema/readings.js";
import { createFamilyPair } from "../test/contain/families.js";
import { createRandomGrammar, createRandomTree, mutateGrammar } from "../test/contain/grammars.js";
import { createInstances } from "../test/contain/guided.js";
import { createHardPair } from "../test/contain/hard.js";
import { createOracle, type Oracle } from "../test/contain/oracle.js";
import {
  addDefinition,
  createRandomDocument,
  createRandomSchema,
  createRandomValue,
  mutateSchema,
  mutateValue,
} from "../test/contain/random.js";

/** The results of a run. */
export interface Tally {
  pairs: number;
  contained: number;
  notContained: number;
  undecided: number;
  /** Instances; how many of them satisfy A, get different verdicts of the oracles, or are beyond their arithmetic. */
  instances: number;
  insideA: number;
  differing: number;
  inexact: number;
  slowest: number;
  reasons: Map<string, number>;
  /** The wrong answers, as cases for test/cases/contain/. */
  contradictions: string[];
}

/** A question. If the values of interest are few, `world` holds all of them. */
interface Pair {
  readonly a: Json;
  readonly b: Json;
  readonly dialect: Dialect;
  readonly world?: readonly Json[];
}

/** Runs until the time or the number of pairs is used up. */
export async function fuzz(options: { seconds: number; seed: number; pairs?: number }): Promise<Tally> {
  const random = createRandom(options.seed);
  const end = performance.now() + options.seconds * 1000;
  const counts = { pairs: 0, contained: 0, notContained: 0, undecided: 0, instances: 0, insideA: 0 };
  const tally: Tally = {
    ...counts,
    differing: 0,
    inexact: 0,
    slowest: 0,
    reasons: new Map(),
    contradictions: [],
  };
  const events = await readPayloads();
  while (performance.now() < end && tally.pairs < (options.pairs ?? Number.POSITIVE_INFINITY)) {
    await checkPair(random, createPair(random, events), tally);
  }
  return tally;
}

function createPair(random: Random, events: readonly Json[]): Pair {
  const dialect = random.chance(0.4) ? "2020-12" : random.pick(DIALECTS);
  const kind = random.next();
  if (kind < 0.3) {
    const { values, ...schemas } = createFamilyPair(random, dialect);
    return { ...schemas, dialect, world: values };
  }
  if (kind < 0.36) {
    const schema = random.pick(events);
    const changed = addDefinition(random, mutateSchema(random, schema, "2020-12", 6), "2020-12");
    return { ...swapAtRandom(random, schema, changed), dialect: "2020-12" };
  }
  if (kind < 0.5) {
    const grammar = createRandomGrammar(random, dialect);
    const b = random.chance(0.2) ? false : mutateGrammar(random, grammar, dialect);
    return { a: grammar, b: dialect === "draft4" && b === false ? { not: {} } : b, dialect };
  }
  if (kind < 0.75) {
    const [a, b] = createHardPair(random, dialect);
    const changed = () => addDefinition(random, mutateSchema(random, a, dialect, 4), dialect);
    return { ...swapAtRandom(random, a, random.chance(0.5) ? b : changed()), dialect };
  }
  return { ...createRandomPair(random, dialect), dialect };
}

function swapAtRandom(random: Random, a: Json, b: Json): { readonly a: Json; readonly b: Json } {
  return random.chance(0.5) ? { a, b } : { a: b, b: a };
}

function createRandomPair(random: Random, dialect: Dialect): { readonly a: Json; readonly b: Json } {
  const depth = 1 + random.below(3);
  const a = createRandomDocument(random, depth, dialect);
  if (random.chance(0.3)) return { a, b: createRandomDocument(random, depth, dialect) };
  const change = (schema: Json) => addDefinition(random, mutateSchema(random, schema, dialect), dialect);
  const b = random.chance(0.3) ? change(change(a)) : change(a);
  if (random.chance(0.1))
    return { a, b: liftDefinitions({ anyOf: [b, createRandomSchema(random, 2, dialect)] }, a) };
  if (random.chance(0.1))
    return { a: liftDefinitions({ allOf: [b, createRandomSchema(random, 2, dialect)] }, a), b: a };
  return swapAtRandom(random, a, b);
}

/** Returns `schema` with the definitions of `from` at its root, where references expect them. */
function liftDefinitions(schema: JsonObject, from: Json): Json {
  return isObject(from) && from.definitions !== undefined
    ? { ...schema, definitions: from.definitions }
    : schema;
}

async function checkPair(random: Random, question: Pair, tally: Tally): Promise<void> {
  const { a, b, dialect } = question;
  const start = performance.now();
  const answer = await checkContainment(a, b, { dialect });
  tally.slowest = Math.max(tally.slowest, performance.now() - start);
  countAnswer(tally, answer);
  const left = await createOracle(a, dialect);
  const right = await createOracle(b, dialect);
  if (!left || !right) return;
  const report = (name: string, value: Json, ab?: boolean) =>
    tally.contradictions.push(JSON.stringify({ name, dialect, a, b, ab, value, answer }));
  for (const value of question.world ?? generateInstances(random, a, b, left, right)) {
    const [inA, inB] = [left.getVerdict(value), right.getVerdict(value)];
    tally.instances++;
    if (inA === true) tally.insideA++;
    if (inA === "differ" || inB === "differ") tally.differing++;
    if (inA === "inexact" || inB === "inexact") tally.inexact++;
    if (answer.verdict === "contained" && inA === true && inB === false)
      report("not contained", value, false);
    if (isMisread(left, value, inA)) report("A is misread", value);
    if (isMisread(right, value, inB)) report("B is misread", value);
  }
  if (answer.verdict !== "not-contained") return;
  const { witness } = answer;
  const [inA, inB] = [left.getVerdict(witness), right.getVerdict(witness)];
  if ((inA !== true && inA !== "inexact") || (inB !== false && inB !== "inexact"))
    report("a false witness", witness);
}

function isMisread(oracle: Oracle, value: Json, expected: ReturnType<Oracle["getVerdict"]>): boolean {
  return (
    typeof expected === "boolean" &&
    oracle.isAcceptedByEngine !== undefined &&
    oracle.isAcceptedByEngine(value) !== expected
  );
}

function countAnswer(tally: Tally, answer: Containment): void {
  tally.pairs++;
  if (answer.verdict === "contained") tally.contained++;
  else if (answer.verdict === "not-contained") tally.notContained++;
  else {
    tally.undecided++;
    const reason = answer.reason.replace(/[[{].*$/, "…").slice(0, 80);
    tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
  }
}

function* generateInstances(random: Random, a: Json, b: Json, left: Oracle, right: Oracle): Generator<Json> {
  const known = [
    ...left.samples,
    ...right.samples,
    ...createInstances(random, a, 16),
    ...createInstances(random, b, 6),
  ];
  yield* known;
  for (const value of known) yield mutateValue(random, value, () => createRandomValue(random, 1));
  for (let i = 0; i < 10; i++) yield createRandomValue(random);
  for (let i = 0; i < 5; i++) yield createRandomTree(random, 4);
}

/** Reads the payload schemas of all events of this repository, in both readings. */
async function readPayloads(): Promise<readonly Json[]> {
  return (await loadSchemas("schemas")).protocols.flatMap(({ events, definitions }) =>
    events.flatMap(({ payload }) =>
      (["writer", "reader"] as const).map((reading) => buildDocument(readAs(reading, payload, definitions))),
    ),
  );
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
