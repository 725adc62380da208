/**
 * Makes each file operation of every command that changes files fail, and sends the commands signals at random steps.
 * They must leave either the old or the new state.
 *
 *     tsx scripts/fuzz-writers.ts [--faults 1000] [--signals 30] [--seed 1]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../generator/random.js";
import { breakWriter } from "../test/hardening/break-writers.js";
import { pick } from "../test/hardening/hostile.js";
import { type SignalCase, signalWriter } from "../test/hardening/signal-writers.js";
import { createWriters } from "../test/hardening/writers.js";

const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "1000" },
    signals: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
  },
});

const next = createRandom(Number(values.seed)).below;
const root = mkdtempSync(path.join(tmpdir(), "accrete-writers-"));
const all = await createWriters();
let found = 0;
const reportFaults = (faults: readonly string[]): void => {
  found += faults.length;
  for (const fault of faults) console.log(fault);
};
try {
  for (const writer of all) {
    if (values.faults !== "0") reportFaults(await breakWriter(root, writer, Number(values.faults)));
    console.log(`${writer.name}: every step broken`);
  }
  for (let count = 0; count < Number(values.signals); count++) {
    const kind = pick(["reads", "changes"] as const, next);
    const signal = pick(["SIGINT", "SIGTERM", "SIGKILL"] as const, next);
    const shot: SignalCase = { kind, at: next(kind === "reads" ? 500 : 60), signal };
    reportFaults((await signalWriter(root, pick(all, next), shot)).faults);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
console.log(`${values.signals} signals sent; ${found} faults.`);
if (found > 0) process.exitCode = 1;
