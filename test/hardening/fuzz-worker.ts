/** Runs fuzz cases for fuzz.ts, one for each message, and answers with what must not be. */
import { fuzzCase } from "./fuzz-case.js";
import { asProcess, inProcess, runCase } from "./run-case.js";

/** Which case to run, and how: within the worker, or as a process of `command`. */
export interface Task {
  readonly seed: number;
  readonly number: number;
  readonly command?: readonly string[] | undefined;
}

/** What came of it. */
export interface Answer {
  readonly faults: readonly string[];
}

let unhandled: string[] = [];
process.on("unhandledRejection", (error) => unhandled.push(`unhandled rejection: ${error}`));

process.on("message", async ({ seed, number, command }: Task) => {
  unhandled = [];
  const one = await fuzzCase(seed, number);
  // A server would go on serving.
  const run = command && !one.argv.includes("serve") ? asProcess(command) : inProcess;
  const faults = await runCase(one, run).catch((error: Error) => [`the run threw: ${error.stack}`]);
  // Rejections that nobody handles are told when the event loop turns.
  setImmediate(() => process.send?.({ faults: [...faults, ...unhandled] } satisfies Answer));
});
