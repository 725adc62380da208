/**
 * Measures validation in memory: parses and validates the events of a mixed hecate/v1 corpus with the generated reader and
 * with other libraries that have the same rules, and compares the times with those of JSON.parse alone (see
 * docs/performance.md). The rows take turns on blocks of a few hundred lines. The time of a row is the sum of its best times
 * of all blocks, so that other programs on the machine do not slow down single rows.
 *
 *     npm run bench
 */
import { measure } from "mitata";
import { protocol } from "../generated/hecate/v1/index.js";
import { loadSchemas } from "../generator/load/load.js";
import { createEventSchemas } from "./bench/event-schemas.js";
import { createPeers } from "./bench/peers.js";
import { generateCorpus } from "./corpus/corpus.js";
import { type FaultName, injectFaults } from "./corpus/faults.js";

const EVENTS = 8000;
/** The number of lines of one measurement. So few are done before the system interrupts the process. */
const PART = 250;
const ROUNDS = 4;

const { protocols } = await loadSchemas("schemas", ["hecate/v1"]);
const [hecate] = protocols;
if (hecate === undefined) throw new Error("schemas/hecate/v1 cannot be loaded");
const lines = take(generateCorpus(1), EVENTS);
const createAccretePeer = (profile: "reader" | "writer") => ({
  name: `accrete, decodeEvent, ${profile}`,
  accepts: (value: unknown) => protocol.decodeEvent(value, { profile }).kind === "known",
});
const validators = [
  createAccretePeer("reader"),
  createAccretePeer("writer"),
  ...createPeers(createEventSchemas(hecate)),
];

const rows = [
  createPass("line !== null"),
  ...validators.map(({ accepts }) => createPass("accepts(line)", accepts)),
];
const best = rows.map(() => new Array<number>(EVENTS / PART).fill(Number.POSITIVE_INFINITY));
for (let round = 0; round < ROUNDS; round++)
  for (let part = 0; part < EVENTS / PART; part++)
    for (const [i, pass] of rows.entries()) {
      const some = lines.slice(part * PART, (part + 1) * PART);
      const { min } = await measure(() => pass(some), { min_samples: 25, min_cpu_time: 1 });
      const times = best[i] as number[];
      times[part] = Math.min(times[part] as number, min);
    }

const [parse = Number.NaN, ...durations] = best.map(
  (times) => times.reduce((sum, time) => sum + time) / EVENTS,
);
const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
console.log(`${EVENTS} events, ${Math.round(bytes / EVENTS)} bytes each; Node ${process.versions.node}\n`);
console.log("| | × JSON.parse | ns an event | verdicts unlike accrete |\n|---|---:|---:|---:|");
console.log(`| JSON.parse alone | 1.00 | ${Math.round(parse)} | |`);
for (const [i, { name, accepts }] of validators.entries()) {
  const time = durations[i] ?? Number.NaN;
  const differing = name.startsWith("accrete") ? "" : String(countDisagreements(accepts));
  console.log(`| ${name} | ${(time / parse).toFixed(2)} | ${Math.round(time)} | ${differing} |`);
}

/**
 * Creates a function that parses every line and evaluates `question` for it. Each row has its own, so that the compiler
 * does not optimise one row by the calls of another.
 */
function createPass(
  question: string,
  accepts?: (value: unknown) => boolean,
): (lines: readonly string[]) => number {
  const loop = `let n = 0; for (const text of lines) { const line = JSON.parse(text); if (${question}) n++; } return n;`;
  return new Function("accepts", `return (lines) => { ${loop} };`)(accepts);
}

/** Returns for how many of the events, half of them with a fault, the verdict differs from that of accrete's reader. */
function countDisagreements(accepts: (value: unknown) => boolean): number {
  const names: readonly FaultName[] = ["corrupt", "unknown"];
  const [reader] = validators;
  let count = 0;
  for (const line of take(injectFaults(generateCorpus(2), names, 2, new Map(), 0.5), 2 * EVENTS)) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    if (accepts(value) !== reader?.accepts(value)) count++;
  }
  return count;
}

function take(all: Iterable<string>, count: number): string[] {
  const taken: string[] = [];
  for (const line of all) {
    if (taken.length >= count) break;
    // A flat string, as read from a file, not one that still consists of parts.
    taken.push(Buffer.from(line).toString());
  }
  return taken;
}
