/** Compares random protocols in many scenarios, and confirms each disagreement with a second validator. */
import { createRandom } from "../../../generator/random.js";
import { isBreakForHyperjump } from "./find-breaks.js";
import type { ProtocolFiles } from "./protocol-files.js";
import { type Disagreement, type Outcome, SCENARIOS, type Scenario } from "./scenarios.js";
import { shrinkVersions } from "./shrink-versions.js";

/** The share of each scenario in percent. */
const SHARES: { readonly [scenario: string]: number } = {
  "a changed folder": 56,
  "several releases": 20,
  "waivers and a further change": 5,
  "waivers and another change of the same kind": 7,
  "a release with waivers and a further change": 4,
  "an addition": 5,
  "an experimental protocol": 3,
};

/** The name of each scenario as often as its share. */
const NAMES = Object.entries(SHARES).flatMap(([name, share]) => Array.from({ length: share }, () => name));

/** The results of a run. */
export interface Tally {
  pairs: number;
  unloadable: number;
  /** The number of pairs in which messages show a break that the comparison has to report, by scenario. */
  readonly shown: { [scenario: string]: number };
  /** Disagreements that the second validator does not confirm. */
  unconfirmed: number;
  /** The number of disagreements of each kind. The first of each kind is among the counterexamples. */
  readonly kinds: Map<string, number>;
  readonly counterexamples: Counterexample[];
}

/** A confirmed disagreement, as small as deletions make it. */
export interface Counterexample extends Disagreement {
  readonly scenario: string;
  readonly seed: number;
  readonly mutations: readonly string[];
  readonly versions: readonly ProtocolFiles[];
}

/** The options of a run. */
export interface FuzzOptions {
  readonly seed: number;
  readonly pairs: number;
  /** True by default: counterexamples are made small, which can take minutes. */
  readonly shrink?: boolean;
  /** Ends the run after this number of counterexamples. */
  readonly maxCounterexamples?: number;
  readonly scenarios?: readonly string[];
  /** The seed of a counterexample. Only this counterexample is compared again. `scenarios` must be the same. */
  readonly question?: number;
  readonly onProgress?: (tally: Tally) => void;
}

/** Compares `pairs` pairs of protocols, which the seed determines. */
export async function fuzzCompat(options: FuzzOptions): Promise<Tally> {
  const { seed, question, maxCounterexamples = Infinity, shrink = true, onProgress } = options;
  const pairs = question === undefined ? options.pairs : 1;
  const tally: Tally = {
    pairs: 0,
    unloadable: 0,
    shown: {},
    unconfirmed: 0,
    kinds: new Map(),
    counterexamples: [],
  };
  const names = NAMES.filter((name) => options.scenarios?.includes(name) ?? true);
  while (tally.pairs < pairs && tally.counterexamples.length < maxCounterexamples) {
    // Each pair has its own seed, so that it can be compared again alone.
    const questionSeed = question ?? seed * 1_000_000 + tally.pairs;
    tally.pairs++;
    const random = createRandom(questionSeed);
    const name = random.pick(names);
    const scenario = SCENARIOS[name] as Scenario;
    const { versions, mutations } = scenario.make(random);
    const outcome = await scenario.examine(versions, questionSeed);
    if (outcome.kind === "unloadable") tally.unloadable++;
    else if (outcome.kind === "agreed") {
      if (outcome.showsBreak) tally.shown[name] = (tally.shown[name] ?? 0) + 1;
    } else if (!(await isConfirmed(outcome))) tally.unconfirmed++;
    else {
      const kind = describeKind(name, outcome);
      tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1);
      const found = { scenario: name, seed: questionSeed, mutations, versions, ...outcome };
      if (tally.kinds.get(kind) === 1)
        tally.counterexamples.push(shrink ? await shrinkCounterexample(found) : found);
    }
    onProgress?.(tally);
  }
  return tally;
}

/** Returns a text that is equal for disagreements that probably have one cause. */
function describeKind(scenario: string, { kind, findings, break: found }: Disagreement): string {
  const rules = findings.map(({ rule, severity }) => `${rule} (${severity})`);
  return [kind, scenario, found?.inclusion ?? "", ...new Set(rules.sort())].join(", ");
}

async function shrinkCounterexample(found: Counterexample): Promise<Counterexample> {
  const scenario = SCENARIOS[found.scenario] as Scenario;
  const isAlike = (outcome: Outcome): outcome is Disagreement => outcome.kind === found.kind;
  const holds = async (candidate: readonly ProtocolFiles[]) =>
    isAlike(await scenario.examine(candidate, found.seed));
  // A deletion in only one of the versions would make the change more than an addition.
  const versions = await shrinkVersions(found.versions, holds, found.kind === "false-alarm");
  const outcome = await scenario.examine(versions, found.seed);
  return isAlike(outcome) ? { ...found, ...outcome, versions } : found;
}

/** Returns whether the second validator confirms the break. */
async function isConfirmed(outcome: Disagreement): Promise<boolean> {
  return outcome.break === undefined || (await isBreakForHyperjump(outcome.break));
}
