/** Runs fuzz cases in a process of their own, under a watchdog: a case that hangs, crashes or hoards memory is a fault too. */
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Answer, Task } from "./fuzz-worker.js";

/** What to run. */
export interface Fuzzing {
  readonly seed: number;
  /** The number of the first case, and how many there are. */
  readonly first: number;
  readonly cases: number;
  /** Every so many-th case is run as a process of this command line. */
  readonly processes?: { readonly every: number; readonly command: readonly string[] };
  /** Seconds that a case may take. */
  readonly limit: number;
  /** Called after each case. */
  readonly report?: (number: number, faults: readonly string[], milliseconds: number) => void;
}

const MAX_MEMORY = 3e9;

/** Runs all cases; tells those with faults. */
export async function fuzz({
  seed,
  first,
  cases,
  processes,
  limit,
  report,
}: Fuzzing): Promise<Map<number, readonly string[]>> {
  const found = new Map<number, readonly string[]>();
  let worker = start();
  for (let number = first; number < first + cases; number++) {
    const command = processes && number % processes.every === 0 ? processes.command : undefined;
    const begin = performance.now();
    const { faults, ended } = await answerOf(worker, { seed, number, command }, limit);
    if (faults.length > 0) found.set(number, faults);
    report?.(number, faults, performance.now() - begin);
    if (ended) worker = start();
  }
  worker.kill();
  return found;
}

function start(): ChildProcess {
  return fork(path.join(import.meta.dirname, "fuzz-worker.ts"), {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, NO_COLOR: "1" },
  });
}

/** The worker's answer; it is ended where it gives none in time. */
function answerOf(
  worker: ChildProcess,
  task: Task,
  limit: number,
): Promise<Answer & { readonly ended: boolean }> {
  return new Promise((resolve) => {
    const settle = (faults: readonly string[], ended: boolean): void => {
      clearTimeout(timer);
      clearInterval(watch);
      worker.removeAllListeners();
      if (ended) worker.kill("SIGKILL");
      resolve({ faults, ended });
    };
    const timer = setTimeout(() => settle([`no end after ${limit} s`], true), limit * 1000);
    const watch = setInterval(() => {
      const memory = memoryOf(worker.pid);
      if (memory > MAX_MEMORY) settle([`${(memory / 1e9).toFixed(1)} GB of memory`], true);
    }, 200);
    worker.once("message", ({ faults }: Answer) => settle(faults, false));
    worker.once("exit", (code, signal) => settle([`the process ended with ${code ?? signal}`], true));
    worker.send(task);
  });
}

/** Bytes that a process has in memory; 0 where the system does not tell. */
function memoryOf(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
  } catch {
    return 0;
  }
}
