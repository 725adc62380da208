/** Compares what a comparison says about recorded consumers with what the consumers show. */
import type { Adapter } from "../../generator/kit/index.js";
import type { KitProtocol } from "../../generator/kit/kit-protocol.js";
import { planExperiments, recordLens } from "../../generator/kit/lens/record-lens.js";
import { runSteps } from "../../generator/kit/steps.js";
import type { Lens } from "../../generator/protocol/lens.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createRandom } from "../../generator/random.js";
import { type ContractChange, listChanges } from "./changes.js";
import { createTruth, readVerdicts } from "./truth.js";

/** The results of pairs of a consumer and a change. */
export interface PairCounts {
  /** Pairs that are said to be reached: those in which the consumer shows something else, and those in which it shows the same. */
  reached: number;
  falselyReached: number;
  /** The same for pairs that are said not to be reached. Here, something else is a fault. */
  unreached: number;
  falselyUnreached: number;
  /** Pairs about which nothing is said. */
  unknown: number;
}

/** What is compared. */
interface PairOptions {
  readonly protocol: Protocol;
  readonly kit: KitProtocol;
  readonly consumers: ReadonlyMap<string, Adapter>;
  readonly lenses: ReadonlyMap<string, Lens>;
  /** The number of pairs that are decided: those that are said to be reached or not. */
  readonly pairs: number;
  readonly seed: number;
  /** Receives each wrong statement, and the progress. */
  readonly report: (line: string) => void;
}

/** Returns the lenses of consumers by their names, and reports what each of them costs. */
export async function recordLenses({
  kit,
  consumers,
  report,
}: Pick<PairOptions, "kit" | "consumers" | "report">): Promise<ReadonlyMap<string, Lens>> {
  const lenses = new Map<string, Lens>();
  const plan = planExperiments(kit);
  for (const [name, adapter] of consumers) {
    const start = process.cpuUsage();
    lenses.set(name, await runSteps(recordLens(adapter, plan)));
    const seconds = process.cpuUsage(start).user / 1e6;
    report(
      `${name}: ${JSON.stringify(lenses.get(name)).length} characters, ${seconds.toFixed(1)} s of processor time`,
    );
  }
  return lenses;
}

/** Chooses changes at random, until enough pairs of a consumer and a change are decided, and compares each lens with the truth. */
export async function provePairs(options: PairOptions): Promise<PairCounts> {
  const { protocol, kit, consumers, lenses, pairs, seed, report } = options;
  const truths = new Map([...consumers].map(([name, each]) => [name, createTruth(each, kit, seed + 1000)]));
  const counts = { reached: 0, falselyReached: 0, unreached: 0, falselyUnreached: 0, unknown: 0 };
  const open = shuffle(listChanges(protocol), seed);
  while (counts.reached + counts.unreached < pairs) {
    const change = open.pop();
    if (change === undefined) break;
    const verdicts = await readVerdicts(protocol, change, lenses);
    for (const [name, verdict] of verdicts) {
      if (verdict === "unknown") {
        counts.unknown++;
        continue;
      }
      const truth = await truths.get(name)?.(change);
      // No generated event has what the change is about.
      if (truth === undefined) continue;
      counts[verdict]++;
      if ((counts.reached + counts.unreached) % 20 === 0) report(JSON.stringify(counts));
      if (truth === (verdict === "reached")) continue;
      counts[verdict === "reached" ? "falselyReached" : "falselyUnreached"]++;
      report(`${verdict}, but it shows ${truth ? "something else" : "the same"}: ${name}: ${change.name}`);
    }
  }
  return counts;
}

/** Returns the changes in another order: kinds of changes that few fields allow come as often as others. */
function shuffle(changes: readonly ContractChange[], seed: number): ContractChange[] {
  const random = createRandom(seed);
  const groups = new Map<string, ContractChange[]>();
  for (const change of changes) groups.set(change.kind, [...(groups.get(change.kind) ?? []), change]);
  const lists = [...groups.values()].map((list) =>
    list.map((change) => ({ change, rank: random.below(1_000_000) })).sort((a, b) => a.rank - b.rank),
  );
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => (list[index] === undefined ? [] : [list[index].change])),
  )
    .flat()
    .reverse();
}
