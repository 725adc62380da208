/** Replaces functions of node:fs, so that one call fails or a function runs before it. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const STEPS = {
  changes: [
    ...["mkdirSync", "mkdtempSync", "openSync", "writeFileSync", "fsyncSync", "renameSync"],
    ...["linkSync", "unlinkSync", "rmdirSync", "rmSync"],
  ],
  reads: ["readFileSync", "readdirSync", "lstatSync"],
} as const;

/** The steps that clean up. If they fail, the next run removes the files that are left. */
export const CLEANUP_STEPS: readonly string[] = ["rmdirSync", "rmSync"];

/** The step fails; all steps fail from this one on, as in a crash; or the function runs before the step. */
export type DiskFault = "fails" | "dies" | (() => void);

/** The number of steps, and the name of the broken one. */
export interface DiskSteps {
  readonly steps: number;
  readonly broken: string | undefined;
}

type Call = (...args: unknown[]) => unknown;

/**
 * Breaks the disk at step number `at`, counted from 0, or at the first step whose path contains the text `at`. The returned
 * function repairs the disk.
 */
export function breakDisk(
  at: number | string,
  diskFault: DiskFault,
  kind: keyof typeof STEPS = "changes",
): () => DiskSteps {
  const functions = fs as unknown as { [name: string]: Call };
  const real = new Map<string, Call>();
  let steps = 0;
  let broken: string | undefined;
  // A step may call other functions of node:fs, which do not count as steps.
  let isNestedStep = false;
  const runNestedSteps = (write: () => unknown): void => {
    isNestedStep = true;
    try {
      write();
    } finally {
      isNestedStep = false;
    }
  };
  for (const name of STEPS[kind]) {
    const run = functions[name] as Call;
    real.set(name, run);
    functions[name] = (...args) => {
      if (isNestedStep || (name === "openSync" && !/[wa]/.test(String(args[1])))) return run(...args);
      const isNamed = typeof at === "string" && broken === undefined && String(args[0]).includes(at);
      const isTarget = steps++ === at || isNamed;
      if (isTarget) broken = name;
      if (isTarget && typeof diskFault === "function") diskFault();
      if (diskFault === "dies" ? broken !== undefined : isTarget && diskFault === "fails") {
        if (isTarget && name === "writeFileSync")
          runNestedSteps(() => run(args[0], String(args[1]).slice(0, 3), args[2]));
        throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: name });
      }
      return run(...args);
    };
  }
  syncBuiltinESMExports();
  return () => {
    for (const [name, run] of real) functions[name] = run;
    syncBuiltinESMExports();
    return { steps, broken };
  };
}
