/**
 * Reads broken inputs until one crashes `accrete validate`, hangs it or makes it use much memory. Then scans broken lines
 * until the scanner recognises one that parsing would refuse or read differently.
 *
 *     tsx scripts/fuzz-reading.ts [--mutations 100000] [--values 10000] [--lines 100000] [--seed 1]
 */
import { parseArgs } from "node:util";
import { createRandom } from "../generator/random.js";
import { createMutatedStream, createStrangeValues, damageBytes } from "../test/ingest/reading-fuzz.js";
import { isRecognised, OWN_SUBJECTS, readFixtureLines } from "../test/scan/alike.js";
import { validateOperands } from "../test/validate/operands.js";

const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "100000" },
    values: { type: "string", default: "10000" },
    lines: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
  },
});

const seed = Number(values.seed);
const next = createRandom(seed).below;
let [slowest, findings, unreadable, peakMemory] = [0, 0, 0, 0];
const start = performance.now();
for (let count = 1; count <= Number(values.mutations); count++) {
  const bytes = createMutatedStream(next);
  const before = performance.now();
  try {
    const read = await validateOperands(["-"], bytes);
    findings += read.findings.length;
    unreadable += read.unreadable.length;
  } catch (error) {
    console.error(`Input ${count} of seed ${seed} crashes:\n${bytes.toString("base64")}`);
    throw error;
  }
  slowest = Math.max(slowest, performance.now() - before);
  peakMemory = Math.max(peakMemory, process.memoryUsage().rss);
  if (count % 10_000 === 0)
    console.log(`${count} inputs, ${((performance.now() - start) / 1000).toFixed(0)} s`);
}
const strange = createStrangeValues(Number(values.values), seed);
const { events, invalid } = await validateOperands(["-"], strange.join("\n"), { profile: "reader" });
console.log(
  `${values.mutations} broken inputs: ${findings} findings, ${unreadable} unreadable; slowest ${slowest.toFixed(0)} ms, ` +
    `at most ${(peakMemory / 1e6).toFixed(0)} MB resident.\n${strange.length} strange values: ${events} events, ${invalid} invalid.`,
);

const subjects = OWN_SUBJECTS.map((subject) => ({
  subject,
  validLines: readFixtureLines(subject.protocol).map((line) => Buffer.from(line)),
}));
let recognised = 0;
for (let count = 0; count < Number(values.lines); count++) {
  const { subject, validLines } = subjects[next(subjects.length)] as (typeof subjects)[number];
  if (isRecognised(subject, damageBytes(validLines[next(validLines.length)] as Buffer, next))) recognised++;
}
console.log(
  `${values.lines} broken lines: ${recognised} recognised, all of them events with these very fields.`,
);
