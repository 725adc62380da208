/** Runs a fuzz case for each message of fuzz.ts, and answers with its faults. */
import { createFuzzCase } from "./fuzz-case.js";
import { createProcessRunner, runCase, runInProcess } from "./run-case.js";

/** A case to run: within the worker, or as a process of `command`. */
export interface Task {
  readonly seed: number;
  readonly number: number;
  readonly command?: readonly string[] | undefined;
}

/** The faults of a case. */
export interface Answer {
  readonly faults: readonly string[];
}

let unhandled: string[] = [];
process.on("unhandledRejection", (error) => unhandled.push(`unhandled rejection: ${error}`));

process.on("message", async ({ seed, number, command }: Task) => {
  unhandled = [];
  const one = await createFuzzCase(seed, number);
  // As a process of its own, a server would not end.
  const run = command && !one.argv.includes("serve") ? createProcessRunner(command) : runInProcess;
  const faults = await runCase(one, run).catch((error: Error) => [`the run threw: ${error.stack}`]);
  // Node reports unhandled rejections before it runs functions of setImmediate.
  setImmediate(() => process.send?.({ faults: [...faults, ...unhandled] } satisfies Answer));
});
