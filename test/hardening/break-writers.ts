/** Breaks the disk under a command that changes files, at one step after the other. */
import { utimesSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { LOCK } from "../../generator/output/lock.js";
import { type Outcome, runAccrete } from "../cli/run-in-process.js";
import { breakDisk, CLEANUP_STEPS, type DiskFault, type DiskSteps } from "./broken-disk.js";
import { contents, difference, reset, type Writer } from "./writers.js";

/** Runs the writer below `root` with the disk broken at about `most` of its steps; tells everything that must not be. */
export async function breakWriter(root: string, writer: Writer, most: number): Promise<string[]> {
  const home = cwd();
  try {
    reset(root, writer.files);
    chdir(root);
    return await breakEach(root, writer, most);
  } finally {
    chdir(home);
  }
}

async function breakEach(root: string, writer: Writer, most: number): Promise<string[]> {
  const before = contents(root);
  const whole = await run(writer, Number.POSITIVE_INFINITY, "fails");
  const after = contents(root);
  if (whole.exitCode !== 0 || before.size === after.size)
    return [`${writer.name} does nothing: ${JSON.stringify(whole)}`];
  const found: string[] = [];
  const stride = Math.max(1, whole.steps / most);
  for (let at = 0; at < whole.steps; at += stride)
    for (const diskFault of ["fails", "dies"] as const) {
      reset(root, writer.files);
      const got = await run(writer, Math.floor(at), diskFault);
      const wrong = [
        ...(diskFault === "fails" ? faults(got, contents(root), before, after) : []),
        ...(/unexpected error/.test(got.stderr) ? [got.stderr] : []),
        ...(await runAgain(root, writer, after)),
      ];
      found.push(
        ...wrong.map(
          (fault) =>
            `${writer.name}, ${got.broken} ${diskFault} (${Math.floor(at)} of ${whole.steps}): ${fault}`,
        ),
      );
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

type Contents = ReturnType<typeof contents>;

function faults(
  { exitCode, stderr, broken = "" }: Outcome & DiskSteps,
  left: Contents,
  before: Contents,
  after: Contents,
): string[] {
  const seen = CLEANUP_STEPS.includes(broken) ? withoutPrivate(left) : left;
  const wrong = difference(seen, exitCode === 0 ? after : before);
  if (exitCode !== 0 && !/^accrete: .*no space is left/.test(stderr)) wrong.push(`it said ${stderr}`);
  return wrong;
}

/** What is wrong after the command was run once more, when a lock without a process counts as left behind. */
export async function runAgain(root: string, { argv }: Writer, after: Contents): Promise<string[]> {
  const past = Date.now() / 1000 - 6;
  for (const file of contents(root).keys())
    if (path.basename(file) === LOCK) utimesSync(path.join(root, file), past, past);
  const { stdout, stderr } = await runAccrete(argv, "", { isRunning: (pid) => pid === process.pid });
  return difference(contents(root), after).map((fault) => `run again: ${fault} (${stdout}${stderr})`);
}

function withoutPrivate(files: Contents): Contents {
  return new Map([...files].filter(([file]) => !/(^|\/)\.accrete[-.]/.test(file)));
}
