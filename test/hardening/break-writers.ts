/** Breaks the disk under a command that changes files, at one step in each run. */
import { utimesSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { LOCK } from "../../generator/output/lock.js";
import { type Outcome, runAccrete } from "../commands/run-in-process.js";
import { breakDisk, CLEANUP_STEPS, type DiskFault, type DiskSteps } from "./broken-disk.js";
import { listDifferences, readContents, resetFolder, type Writer } from "./writers.js";

/** Runs the writer below `root` with the disk broken at about `maxSteps` of its steps. Returns the faults that it finds. */
export async function breakWriter(root: string, writer: Writer, maxSteps: number): Promise<string[]> {
  const home = cwd();
  try {
    resetFolder(root, writer.files);
    chdir(root);
    return await breakEach(root, writer, maxSteps);
  } finally {
    chdir(home);
  }
}

async function breakEach(root: string, writer: Writer, maxSteps: number): Promise<string[]> {
  const before = readContents(root);
  const complete = await run(writer, Number.POSITIVE_INFINITY, "fails");
  const after = readContents(root);
  if (complete.exitCode !== 0 || before.size === after.size)
    return [`${writer.name} does nothing: ${JSON.stringify(complete)}`];
  const found: string[] = [];
  const stride = Math.max(1, complete.steps / maxSteps);
  for (let at = 0; at < complete.steps; at += stride)
    for (const diskFault of ["fails", "dies"] as const) {
      resetFolder(root, writer.files);
      const got = await run(writer, Math.floor(at), diskFault);
      const faults = [
        ...(diskFault === "fails" ? findFaults(got, readContents(root), before, after) : []),
        ...(/unexpected error/.test(got.stderr) ? [got.stderr] : []),
        ...(await runAgain(root, writer, after)),
      ];
      const title = `${writer.name}, ${got.broken} ${diskFault} (${Math.floor(at)} of ${complete.steps})`;
      found.push(...faults.map((fault) => `${title}: ${fault}`));
    }
  return found;
}

async function run({ argv }: Writer, at: number, diskFault: DiskFault): Promise<Outcome & DiskSteps> {
  const restoreDisk = breakDisk(at, diskFault);
  let outcome: Outcome;
  let taken: DiskSteps = { steps: 0, broken: undefined };
  try {
    outcome = await runAccrete(argv);
  } finally {
    taken = restoreDisk();
  }
  return { ...outcome, ...taken };
}

type Contents = ReturnType<typeof readContents>;

/** Returns the differences to the files after a complete run, or before it if the run failed, and a wrong message. */
function findFaults(
  { exitCode, stderr, broken = "" }: Outcome & DiskSteps,
  left: Contents,
  before: Contents,
  after: Contents,
): string[] {
  const seen = CLEANUP_STEPS.includes(broken) ? removePrivateFiles(left) : left;
  const faults = listDifferences(seen, exitCode === 0 ? after : before);
  if (exitCode !== 0 && !/^accrete: .*no space is left/.test(stderr)) faults.push(`it printed ${stderr}`);
  return faults;
}

/** Runs the command again, after all locks have expired. Returns the differences to the files of a complete run. */
export async function runAgain(root: string, { argv }: Writer, after: Contents): Promise<string[]> {
  const past = Date.now() / 1000 - 6;
  for (const file of readContents(root).keys())
    if (path.basename(file) === LOCK) utimesSync(path.join(root, file), past, past);
  const { stdout, stderr } = await runAccrete(argv, "", { isRunning: (pid) => pid === process.pid });
  return listDifferences(readContents(root), after).map(
    (fault) => `run again: ${fault} (${stdout}${stderr})`,
  );
}

function removePrivateFiles(files: Contents): Contents {
  return new Map([...files].filter(([file]) => !/(^|\/)\.accrete[-.]/.test(file)));
}
