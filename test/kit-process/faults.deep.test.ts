/** If this fails, an adapter that crashes, hangs or writes nonsense stops the run without a reason, or still runs after it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";

/** A fault of an adapter, and the output of the command. */
interface FaultCase {
  readonly fault: string;
  readonly hooks?: string;
  readonly law?: string;
  /** evva/v0 by default. */
  readonly protocol?: string;
  /** In seconds; 30 by default, which no adapter that answers needs. */
  readonly timeout?: number;
  readonly exitCode: number;
  readonly says: string;
}

const CASES: readonly FaultCase[] = JSON.parse(readFileSync("test/cases/kit-process/faults.json", "utf8"));
const ADAPTER = path.join(import.meta.dirname, "lying-adapter.mjs");

/** Returns whether a process is running. A zombie, which its parent has not awaited, is not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    // Only Linux has this file.
    return (error as NodeJS.ErrnoException).code === "ENOENT" && process.platform !== "linux";
  }
}

/** Runs `accrete kit` against the adapter, and checks the message, the exit code and that no process is left. */
async function checkFault(
  { fault, hooks = "", law = "never-throws", protocol = "evva/v0", timeout = 30, exitCode, says }: FaultCase,
  { expect }: Pick<TestContext, "expect">,
): Promise<void> {
  // The shell must not keep the pipes of the adapter open.
  const command = `exec node ${ADAPTER} "${fault}" "${hooks}"`;
  const options = ["--protocol", protocol, "--law", law, "--runs", "1", "--timeout", String(timeout)];
  const outcome = await runAccrete(["kit", "--command", command, ...options]);
  expect(outcome.stdout + outcome.stderr).toContain(says);
  expect(outcome.exitCode).toBe(exitCode);
  const pids = [...outcome.stderr.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
  expect(pids).not.toEqual([]);
  await expect.poll(() => pids.filter(isRunning), { timeout: 10_000 }).toEqual([]);
}

const toRow = (each: FaultCase) => [`${each.fault} ${each.hooks ?? ""}`, each] as const;
const isSilent = ({ timeout }: FaultCase): boolean => timeout !== undefined;

describe("an adapter that does one thing wrong", () => {
  it.for(CASES.filter((each) => !isSilent(each)).map(toRow))("%s", ([, each], context) =>
    checkFault(each, context),
  );

  // The tests only wait until the time is over.
  it.concurrent.for(CASES.filter(isSilent).map(toRow))("%s", ([, each], context) =>
    checkFault(each, context),
  );

  it("has an exit code in each state", () => {
    expect(new Set(CASES.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 1, 2]));
  });
});
