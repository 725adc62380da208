/**
 * Reads broken inputs until one crashes `accrete validate`, hangs it or makes it hoard memory.
 *
 *     tsx scripts/fuzz-reading.ts [--mutations 100000] [--values 10000] [--seed 1]
 */
import { parseArgs } from "node:util";
import { judge } from "../test/cli/judge.js";
import { mutated, random, strangeValues } from "../test/cli/reading-fuzz.js";

const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "100000" },
    values: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  },
});

const seed = Number(values.seed);
const next = random(seed);
let [slowest, findings, unreadable, most] = [0, 0, 0, 0];
const begin = performance.now();
for (let count = 1; count <= Number(values.mutations); count++) {
  const bytes = mutated(next);
  const before = performance.now();
  try {
    const read = await judge(["-"], bytes);
    findings += read.findings.length;
    unreadable += read.unreadable.length;
  } catch (error) {
    console.error(`Input ${count} of seed ${seed} crashes:\n${bytes.toString("base64")}`);
    throw error;
  }
  slowest = Math.max(slowest, performance.now() - before);
  most = Math.max(most, process.memoryUsage().rss);
  if (count % 10_000 === 0)
    console.log(`${count} inputs, ${((performance.now() - begin) / 1000).toFixed(0)} s`);
}
const strange = strangeValues(Number(values.values), seed);
const { events, invalid } = await judge(["-"], strange.join("\n"), { profile: "reader" });
console.log(
  `${values.mutations} broken inputs: ${findings} findings, ${unreadable} unreadable; slowest ${slowest.toFixed(0)} ms, ` +
    `at most ${(most / 1e6).toFixed(0)} MB resident.\n${strange.length} strange values: ${events} events, ${invalid} invalid.`,
);
