/** Runs a fuzz case for each message of fuzz.ts, and answers with its faults. */
import { combineSeeds, createRandom } from "../../generator/random.js";
import { createFuzzCase } from "./fuzz-case.js";
import type { InputKind } from "./input-cases.js";
import { createProcessRunner, runCase, runInProcess } from "./run-case.js";

/** A case to run: a command line in a hostile project, or an input of a kind. */
export interface Task {
  readonly kind?: InputKind | undefined;
  readonly seed: number;
  readonly number: number;
  /** Runs a command line as a process of this command, not within the worker. */
  readonly command?: readonly string[] | undefined;
}

/** The faults of a case. */
export interface Answer {
  readonly faults: readonly string[];
}

let unhandled: string[] = [];
process.on("unhandledRejection", (error) => unhandled.push(`unhandled rejection: ${error}`));

process.on("message", async (task: Task) => {
  unhandled = [];
  const faults = await runTask(task).catch((error: Error) => [`the run threw: ${error.stack}`]);
  // Node reports unhandled rejections before it runs functions of setImmediate.
  setImmediate(() => process.send?.({ faults: [...faults, ...unhandled] } satisfies Answer));
});

async function runTask({ kind, seed, number, command }: Task): Promise<string[]> {
  if (kind !== undefined) {
    const { INPUT_CASES } = await import("./input-cases.js");
    return INPUT_CASES[kind](createRandom(combineSeeds(seed, number)));
  }
  const one = await createFuzzCase(seed, number);
  // As a process of its own, a command that waits for a signal would not end.
  const waits = ["serve", "monitor"].some((name) => one.argv.includes(name));
  const run = command && !waits ? createProcessRunner(command) : runInProcess;
  return runCase(one, run);
}
