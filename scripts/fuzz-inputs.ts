/**
 * Runs commands on projects with hostile contents until one crashes, hangs, writes where it should not or leaves
 * something half done. One case in fifty is a process of its own. `--limit` is the number of seconds after which a case
 * counts as hanging. With `--kind`, the cases are inputs of one kind in place of projects: bytes, sse, decode, kit, bombs or
 * http. With `--minutes`, the run ends after this time.
 *
 *     tsx scripts/fuzz-inputs.ts [--cases 10000] [--seed 1] [--first 0] [--limit 120] [--kind sse] [--minutes 60]
 *     tsx scripts/fuzz-inputs.ts --seed 1 --show 4711      prints one case and its result
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { runFuzzCases } from "../test/hardening/fuzz.js";
import { createFuzzCase } from "../test/hardening/fuzz-case.js";
import type { InputKind } from "../test/hardening/input-cases.js";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    first: { type: "string", default: "0" },
    limit: { type: "string", default: "120" },
    kind: { type: "string" },
    minutes: { type: "string" },
    show: { type: "string" },
  },
});

const seed = Number(values.seed);
const cli = path.join(import.meta.dirname, "../generator/cli.ts");
const command = [process.execPath, "--import", import.meta.resolve("tsx"), cli];

/** Prints the command and the changed files of a case. */
async function printCase(number: number): Promise<void> {
  const { argv, changed, files } = await createFuzzCase(seed, number);
  console.log(`accrete ${argv.map((word) => JSON.stringify(word.slice(0, 200))).join(" ")}`);
  for (const file of changed) console.log(`${file}:\n${String(files[file]).slice(0, 4000)}`);
}

const first = Number(values.show ?? values.first);
const kind = values.kind as InputKind | undefined;
if (values.show !== undefined && kind === undefined) await printCase(first);
const start = performance.now();
let slowest = 0;
let count = 0;
const found = await runFuzzCases({
  kind,
  seed,
  first,
  cases:
    values.show !== undefined
      ? 1
      : values.minutes === undefined
        ? Number(values.cases)
        : Number.POSITIVE_INFINITY,
  ...(values.minutes !== undefined && { duration: Number(values.minutes) * 60_000 }),
  limit: Number(values.limit),
  processes: { every: 50, command },
  report: (number, faults, milliseconds) => {
    slowest = Math.max(slowest, milliseconds);
    for (const fault of faults) console.log(`case ${number} of seed ${seed}: ${fault}`);
    if (++count % 1000 === 0)
      console.log(`${count} cases, ${((performance.now() - start) / 1000).toFixed(0)} s`);
  },
});
console.log(`${count} cases, ${found.size} with faults; the slowest took ${(slowest / 1000).toFixed(1)} s.`);
if (found.size > 0) process.exitCode = 1;
