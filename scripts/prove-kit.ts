/**
 * The proof that the kit works, longer than the tests have time for: correct consumers pass with every seed, and each
 * planted bug is caught by the laws that its row names, and by no other.
 *
 *     tsx scripts/prove-kit.ts [seeds] [first seed] [consumer]
 *
 * With the name of a correct consumer, or its beginning, only that one is run, and no bug is planted.
 */
import { protocol as evva } from "../generated/evva/v0/index.js";
import { protocol as frames1 } from "../generated/frames/v1/index.js";
import { protocol as frames2 } from "../generated/frames/v2/index.js";
import { type Adapter, consumerCases, type KitProtocol } from "../generator/kit/index.js";
import { BrokenLaw } from "../generator/kit/observe.js";
import { BUGS } from "../test/kit/bugs.js";
import { rebuilderAdapter } from "../test/kit/consumers/rebuilder.js";
import { reducerAdapter } from "../test/kit/consumers/reducer.js";
import { plantedAdapter, withOlderRelease } from "../test/kit/planted.js";

const [seeds = 1000, first = 1] = process.argv.slice(2, 4).map(Number);
const [, , , , only] = process.argv;
const hecate = withOlderRelease();

/** Ids of the laws that a consumer breaks. */
function broken(adapter: Adapter, protocol: KitProtocol, seed: number, runs: number): string[] {
  return consumerCases(adapter, { protocol, seed, runs }).flatMap(({ id, run }) => {
    try {
      run();
      return [];
    } catch (error) {
      if (process.env.VERBOSE) console.log(String(error));
      return [error instanceof BrokenLaw ? (error.law ?? id) : id];
    }
  });
}

const correct: readonly (readonly [string, Adapter, KitProtocol])[] = [
  ["reducer, hecate/v1", reducerAdapter(hecate), hecate],
  ["rebuilder, hecate/v1", rebuilderAdapter(hecate), hecate],
  ["rebuilder, frames/v1", rebuilderAdapter(frames1), frames1],
  ["rebuilder, frames/v2", rebuilderAdapter(frames2), frames2],
  ["rebuilder, evva/v0", rebuilderAdapter(evva), evva],
];

/** Plants every bug; how many are not caught as their rows say. */
async function plantAll(): Promise<number> {
  const rows = [];
  console.log("| planted bug | caught by | as its row says |\n|---|---|---|");
  for (const bug of BUGS) {
    const caught = broken(await plantedAdapter(bug, hecate), hecate, 1, 20);
    const expected = [...bug.breaks].sort().join() === [...caught].sort().join();
    rows.push({ caught, expected });
    const verdict = expected ? "yes" : `no: ${bug.breaks.join(", ")}`;
    console.log(`| ${bug.name} | ${caught.join(", ")} | ${verdict} |`);
  }
  const single = rows.filter(({ caught }) => caught.length === 1).length;
  const missed = rows.filter(({ caught }) => caught.length === 0).length;
  console.log(`\n${rows.length} bugs, ${single} of them caught by exactly one law, ${missed} by none.`);
  return rows.filter(({ expected }) => !expected).length;
}

/** Tries correct consumers with many seeds; how many laws they are said to break. */
function clearAll(): number {
  console.log(`\n| correct consumer | seeds ${first} to ${first + seeds - 1}, false alarms |\n|---|---:|`);
  const tried = correct.filter(([name]) => name.startsWith(only ?? ""));
  const alarms = tried.map(([name, adapter, protocol]) => {
    let count = 0;
    for (let seed = first; seed < first + seeds; seed++) {
      const laws = broken(adapter, protocol, seed, 1);
      if (laws.length > 0) console.log(`${name}, seed ${seed}: ${laws.join(", ")}`);
      count += laws.length;
    }
    console.log(`| ${name} | ${count} |`);
    return count;
  });
  return alarms.reduce((sum, count) => sum + count, 0);
}

const faults = (only === undefined ? await plantAll() : 0) + clearAll();
if (faults > 0) process.exitCode = 1;
