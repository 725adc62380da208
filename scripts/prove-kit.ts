/**
 * The proof that the kit works, longer than the tests have time for: correct consumers pass with every seed, and each
 * planted bug is caught by the laws that its row names, and by no other.
 *
 *     tsx scripts/prove-kit.ts [seeds] [first seed]
 */
import { protocol as evva } from "../generated/evva/v0/index.js";
import { protocol as frames1 } from "../generated/frames/v1/index.js";
import { protocol as frames2 } from "../generated/frames/v2/index.js";
import { type Adapter, consumerCases, type KitProtocol } from "../generator/kit/index.js";
import { BUGS } from "../test/kit/bugs.js";
import { rebuilderAdapter } from "../test/kit/consumers/rebuilder.js";
import { reducerAdapter } from "../test/kit/consumers/reducer.js";
import { plantedAdapter, withOlderRelease } from "../test/kit/planted.js";

const [seeds = 1000, first = 1] = process.argv.slice(2).map(Number);
const hecate = withOlderRelease();

/** Ids of the laws that a consumer breaks. */
function broken(adapter: Adapter, protocol: KitProtocol, seed: number, runs: number): string[] {
  return consumerCases(adapter, { protocol, seed, runs }).flatMap(({ id, run }) => {
    try {
      run();
      return [];
    } catch (error) {
      if (process.env.VERBOSE) console.log(String(error));
      return [id];
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

let faults = 0;
console.log("| planted bug | caught by | as its row says |\n|---|---|---|");
for (const bug of BUGS) {
  const caught = broken(await plantedAdapter(bug, hecate), hecate, 1, 20);
  const expected = [...bug.breaks].sort().join() === [...caught].sort().join();
  if (!expected) faults++;
  console.log(
    `| ${bug.name} | ${caught.join(", ")} | ${expected ? "yes" : `no: ${bug.breaks.join(", ")}`} |`,
  );
}

console.log(`\n| correct consumer | seeds ${first} to ${first + seeds - 1}, false alarms |\n|---|---:|`);
for (const [name, adapter, protocol] of correct) {
  let alarms = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const laws = broken(adapter, protocol, seed, 1);
    if (laws.length > 0) console.log(`${name}, seed ${seed}: ${laws.join(", ")}`);
    alarms += laws.length;
  }
  faults += alarms;
  console.log(`| ${name} | ${alarms} |`);
}
if (faults > 0) process.exitCode = 1;
