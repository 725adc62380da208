/**
 * Writes hecate/v1 events as JSON Lines, for benchmarks and for trying tools out: interleaved agent runs, the same for
 * the same seed. Memory stays flat at any size. A MB is 1,000,000 bytes; the file ends with the line that reaches it.
 *
 *     tsx scripts/make-corpus.ts --mb 100 --seed 1 --out runs.jsonl [--faults drop,duplicate,reorder,corrupt,unknown]
 *
 * With faults, about one line in 1,000 is hit; how many of each kind is printed.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { corpus } from "./corpus/corpus.js";
import { FAULTS, type FaultName, faulty } from "./corpus/faults.js";

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

function number(name: "mb" | "seed"): number {
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

const size = number("mb") * 1e6;
const seed = number("seed");
const counts = new Map<FaultName, number>();
const file = openSync(out, "w");
let [written, events] = [0, 0];
let chunk: string[] = [];
let length = 0;
const flush = (): void => {
  writeSync(file, chunk.join(""));
  chunk = [];
  length = 0;
};
for (const line of faulty(corpus(seed), names.filter(isFault), seed, counts, 1 / 1000)) {
  if (written >= size) break;
  chunk.push(line, "\n");
  written += Buffer.byteLength(line) + 1;
  length += line.length;
  events++;
  if (length > 1 << 20) flush();
}
flush();
closeSync(file);
const faults = [...counts].map(([name, count]) => `, ${count} × ${name}`).join("");
console.log(`${out}: ${events} events, ${written} bytes${faults}`);
