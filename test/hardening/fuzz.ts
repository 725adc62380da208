/** Runs fuzz cases in a worker process, which is stopped if a case hangs, crashes or uses too much memory. */
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Answer, Task } from "./fuzz-worker.js";
import type { InputKind } from "./input-cases.js";

/** The cases to run. */
export interface Fuzzing {
  /** The kind of input; command lines in hostile projects if it is left out. */
  readonly kind?: InputKind | undefined;
  readonly seed: number;
  /** The number of the first case, and how many there are. */
  readonly first: number;
  readonly cases: number;
  /** Every case whose number is a multiple of `every` runs as a process of `command`. */
  readonly processes?: { readonly every: number; readonly command: readonly string[] };
  /** Seconds that a case may take. */
  readonly limit: number;
  /** No case is started after these milliseconds. */
  readonly duration?: number;
  /** Called after each case. */
  readonly report?: (number: number, faults: readonly string[], milliseconds: number) => void;
}

const MAX_MEMORY = 3e9;

/** Runs all cases. Returns the faults by the number of the case. */
export async function runFuzzCases({
  kind,
  seed,
  first,
  cases,
  processes,
  limit,
  duration = Number.POSITIVE_INFINITY,
  report,
}: Fuzzing): Promise<Map<number, readonly string[]>> {
  const found = new Map<number, readonly string[]>();
  let worker = startWorker();
  const end = performance.now() + duration;
  for (let number = first; number < first + cases && performance.now() < end; number++) {
    const command = processes && number % processes.every === 0 ? processes.command : undefined;
    const start = performance.now();
    const { faults, ended } = await requestAnswer(worker, { kind, seed, number, command }, limit);
    if (faults.length > 0) found.set(number, faults);
    report?.(number, faults, performance.now() - start);
    if (ended) worker = startWorker();
  }
  worker.kill();
  return found;
}

function startWorker(): ChildProcess {
  return fork(path.join(import.meta.dirname, "fuzz-worker.ts"), {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, NO_COLOR: "1" },
  });
}

/** Runs a case in the worker. Ends the worker if it does not answer in time. */
function requestAnswer(
  worker: ChildProcess,
  task: Task,
  limit: number,
): Promise<Answer & { readonly ended: boolean }> {
  return new Promise((resolve) => {
    const finish = (faults: readonly string[], ended: boolean): void => {
      clearTimeout(timer);
      clearInterval(memoryTimer);
      worker.removeAllListeners();
      if (ended) worker.kill("SIGKILL");
      resolve({ faults, ended });
    };
    const timer = setTimeout(() => finish([`no end after ${limit} s`], true), limit * 1000);
    const memoryTimer = setInterval(() => {
      const memory = readMemory(worker.pid);
      if (memory > MAX_MEMORY) finish([`${(memory / 1e9).toFixed(1)} GB of memory`], true);
    }, 200);
    worker.once("message", ({ faults }: Answer) => finish(faults, false));
    worker.once("exit", (code, signal) => finish([`the process ended with ${code ?? signal}`], true));
    worker.send(task);
  });
}

/** Returns the bytes that a process has in memory; 0 if the system does not provide the number. */
function readMemory(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
  } catch {
    return 0;
  }
}
