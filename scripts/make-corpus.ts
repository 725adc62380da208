/**
 * Writes hecate/v1 events as JSON Lines, for benchmarks and for trying tools out: interleaved agent runs that depend on
 * the seed only. The memory does not grow with the size. A MB is 1,000,000 bytes; the file ends with the line that reaches the size.
 *
 *     tsx scripts/make-corpus.ts --mb 100 --seed 1 --out runs.jsonl [--faults drop,duplicate,reorder,corrupt,unknown]
 *
 * With faults, about one line in 1,000 has one; the script prints how many of each kind.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { generateCorpus } from "./corpus/corpus.js";
import { FAULTS, type FaultName, injectFaults } from "./corpus/faults.js";

const { values } = parseArgs({
  options: {
    mb: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    out: { type: "string" },
    faults: { type: "string", default: "" },
  },
});

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function readNumber(name: "mb" | "seed"): number {
  const value = Number(values[name]);
  if (values[name] === "" || !Number.isFinite(value) || value < 0)
    fail(`--${name} must be a number that is not negative, not ${values[name]}.`);
  return value;
}

const isFault = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);
const names = values.faults.split(",").filter((name) => name !== "");
for (const name of names)
  if (!isFault(name)) fail(`There is no fault ${name}; there are ${Object.keys(FAULTS).join(", ")}.`);
const { out } = values;
if (out === undefined) fail("Say where to write to: --out FILE.");

const size = readNumber("mb") * 1e6;
const seed = readNumber("seed");
const counts = new Map<FaultName, number>();
const file = openSync(out, "w");
let [written, events] = [0, 0];
let chunk = "";
const flush = (): void => {
  writeSync(file, chunk);
  chunk = "";
};
for (const line of injectFaults(generateCorpus(seed), names.filter(isFault), seed, counts, 1 / 1000)) {
  if (written >= size) break;
  chunk += `${line}\n`;
  written += Buffer.byteLength(line) + 1;
  events++;
  if (chunk.length > 1 << 20) flush();
}
flush();
closeSync(file);
const faults = [...counts].map(([name, count]) => `, ${count} × ${name}`).join("");
console.log(`${out}: ${events} events, ${written} bytes${faults}`);
