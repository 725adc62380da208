/** Measures commands, each in a process of its own and in a temporary folder. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** One run of a command. */
export interface Measurement {
  /** Wall and processor time in seconds. */
  readonly seconds: number;
  readonly cpu: number;
  /** The peak of the memory. */
  readonly megabytes: number;
  readonly exitCode: number;
  readonly stdout: string;
}

/** Runs Node with these arguments; the process reports CPU time and memory when it ends. Throws on other exit codes, and after `timeout` milliseconds; 0 for none. */
export function measureProcess(
  folder: string,
  args: readonly string[],
  exitCodes: readonly number[] = [0],
  timeout = 0,
): Measurement {
  const report = path.join(folder, "usage.json");
  const hook = path.join(folder, "usage.mjs");
  writeFileSync(
    hook,
    `import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.resourceUsage())));`,
  );
  const start = performance.now();
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", hook, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
    timeout,
    killSignal: "SIGKILL",
  });
  const seconds = (performance.now() - start) / 1000;
  if (status === null || !exitCodes.includes(status))
    throw new Error(`${args.join(" ")} failed with ${status}: ${stderr || stdout}`.slice(0, 2000));
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(report, "utf8"));
  return {
    seconds,
    cpu: (userCPUTime + systemCPUTime) / 1e6,
    megabytes: maxRSS / 1024,
    exitCode: status,
    stdout,
  };
}

/** Fills a temporary folder, measures in it several times, and returns the median by wall time. */
export async function measureMedian<T extends { readonly seconds: number }>(
  { runs, keep }: { readonly runs: string; readonly keep: boolean },
  fill: (folder: string) => void | Promise<void>,
  measure: (folder: string) => T,
): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), "accrete-measure-"));
  try {
    await fill(folder);
    const rows = Array.from({ length: Number(runs) }, () => measure(folder));
    return rows.sort((a, b) => a.seconds - b.seconds)[Math.floor(rows.length / 2)] as T;
  } finally {
    if (keep) console.log(`kept ${folder}`);
    else rmSync(folder, { recursive: true });
  }
}

/** Prints the cases that took longer than allowed, and fails if there are any. */
export function reportSlowCases(slow: readonly string[]): void {
  if (slow.length === 0) return;
  console.error(`Too slow: ${slow.join("; ")}`);
  process.exitCode = 1;
}
