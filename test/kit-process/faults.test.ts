/** An adapter that crashes, hangs or writes nonsense must not stop the run without a sentence that says why, nor outlive it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runAccrete } from "../cli/run-in-process.js";

/** A fault of an adapter, and the output of the command. */
interface FaultCase {
  readonly fault: string;
  readonly hooks?: string;
  readonly law?: string;
  /** evva/v0 by default. */
  readonly protocol?: string;
  /** In seconds; 1 by default. */
  readonly timeout?: number;
  readonly exitCode: number;
  readonly says: string;
}

const CASES: readonly FaultCase[] = JSON.parse(readFileSync("test/cases/kit-process/faults.json", "utf8"));
const ADAPTER = path.join(import.meta.dirname, "lying-adapter.mjs");

/** Returns whether a process is running. A zombie, which its parent has not awaited, is not. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout !== "" && !stdout.startsWith("Z");
}

describe("an adapter that does one thing wrong", () => {
  it.each(CASES.map((each) => [`${each.fault} ${each.hooks ?? ""}`, each] as const))(
    "%s",
    async (
      _name,
      { fault, hooks = "", law = "never-throws", protocol = "evva/v0", timeout = 1, exitCode, says },
    ) => {
      // The shell must not keep the pipes of the adapter open.
      const command = `exec node ${ADAPTER} "${fault}" "${hooks}"`;
      const options = ["--protocol", protocol, "--law", law, "--runs", "1", "--timeout", String(timeout)];
      const outcome = await runAccrete(["kit", "--command", command, ...options]);
      expect(outcome.stdout + outcome.stderr).toContain(says);
      expect(outcome.exitCode).toBe(exitCode);
      const pids = [...outcome.stderr.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
      expect(pids).not.toEqual([]);
      await expect.poll(() => pids.filter(isRunning), { timeout: 5000 }).toEqual([]);
    },
    30_000,
  );

  it("has an exit code in each state", () => {
    expect(new Set(CASES.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 1, 2]));
  });
});
