/** The steps by which a disk is changed and read, whoever takes them: one of them may fail, or something be done before it. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const STEPS = {
  changes: [
    ...["mkdirSync", "mkdtempSync", "openSync", "writeFileSync", "fsyncSync", "renameSync"],
    ...["linkSync", "unlinkSync", "rmdirSync", "rmSync"],
  ],
  reads: ["readFileSync", "readdirSync", "lstatSync"],
} as const;

/** The steps that tidy up: what they leave, the next run removes. */
export const CLEANUP_STEPS: readonly string[] = ["rmdirSync", "rmSync"];

/** What happens at the step: it fails, nothing works from then on, as in a crash, or something else is done before it. */
export type DiskFault = "fails" | "dies" | (() => void);

/** How many steps there were, and which of them broke. */
export interface DiskSteps {
  readonly steps: number;
  readonly broken: string | undefined;
}

type Call = (...args: unknown[]) => unknown;

/**
 * Breaks the disk at step number `at`, counted from 0, or the first one that concerns a path with that in it. What is
 * returned makes it whole again.
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
  // A step may be made of others, which then are none.
  let inside = false;
  const halfway = (write: () => unknown): void => {
    inside = true;
    try {
      write();
    } finally {
      inside = false;
    }
  };
  for (const name of STEPS[kind]) {
    const run = functions[name] as Call;
    real.set(name, run);
    functions[name] = (...args) => {
      if (inside || (name === "openSync" && !/[wa]/.test(String(args[1])))) return run(...args);
      const isNamed = typeof at === "string" && broken === undefined && String(args[0]).includes(at);
      const here = steps++ === at || isNamed;
      if (here) broken = name;
      if (here && typeof diskFault === "function") diskFault();
      if (diskFault === "dies" ? broken !== undefined : here && diskFault === "fails") {
        if (here && name === "writeFileSync")
          halfway(() => run(args[0], String(args[1]).slice(0, 3), args[2]));
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
