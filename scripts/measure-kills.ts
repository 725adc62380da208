/**
 * Ends commands that write at random moments, with SIGKILL, SIGTERM and SIGINT. Afterwards the project must be as before or as
 * after the command, or the next command must say what was interrupted; running the command again must end as without a signal.
 * SIGTERM and SIGINT must leave nothing behind, also in the folder for temporary files.
 *
 *   npm run build && npm run measure:kills [-- --moments 100 --only rename]
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createRandom, type Random } from "../generator/random.js";
import { sha256 } from "../generator/sha256.js";

const { values } = parseArgs({
  options: {
    moments: { type: "string", default: "100" },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
  },
});
const CLI = path.resolve("dist/cli.js");
/** About as long as the commands write. */
const WRITING_MS = 300;
const SIGNALS = ["SIGKILL", "SIGTERM", "SIGKILL", "SIGINT"] as const;
const STREAM = path.resolve("fixtures/frames/v1/streams/task.jsonl");
const V1 = ["--schemas", path.resolve("schemas")];

/** Creates a protocol of several files, so that there are many moments at which a command writes. */
const IMPORT = ["import", path.resolve("schemas/frames/v1"), "--name", "notes"];

/** The commands, and those that prepare their project. */
const COMMANDS: {
  readonly [name: string]: { readonly before: readonly string[][]; readonly argv: readonly string[] };
} = {
  init: { before: [], argv: ["init", "--name", "notes"] },
  import: { before: [], argv: IMPORT },
  generate: { before: [IMPORT], argv: ["generate", "--no-cache"] },
  release: { before: [IMPORT, ["generate"]], argv: ["release", "1.0", "notes/v1"] },
  rename: { before: [IMPORT, ["generate"]], argv: ["rename", "notes", "memos"] },
  major: { before: [IMPORT, ["generate"], ["release", "1.0", "notes/v1"]], argv: ["major", "notes"] },
  upcast: { before: [], argv: ["upcast", "frames/v1", "frames/v2", STREAM, "--out", "later", ...V1] },
  redact: { before: [], argv: ["redact", STREAM, "--out", "redacted", ...V1] },
  audit: {
    before: [],
    argv: ["audit", STREAM, "--protocol", "frames/v1", "--output", "findings.parquet", ...V1],
  },
};

interface Project {
  readonly folder: string;
  /** The folder for temporary files of the commands. */
  readonly temporary: string;
}

function runCommand({ folder, temporary }: Project, argv: readonly string[]) {
  const env = { ...process.env, TMPDIR: temporary };
  return spawnSync(process.execPath, [CLI, ...argv], { cwd: folder, env, encoding: "utf8" });
}

/** Returns the hash of each file. What a writer keeps for itself does not count. */
function describeFiles(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${path.sep}.accrete-`));
  return files
    .sort()
    .map((file) => `${path.relative(folder, file)} ${sha256(readFileSync(file)).toString("hex")}`)
    .join("\n");
}

function listLeftovers(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /(?:^|[/\\])(?:\.accrete-[^/\\]*|[^/\\]*\.parquet\.new)$/.test(name));
}

/** Starts a command and ends it at a random moment. Every second time, the moment is one at which it writes. */
async function interruptCommand(
  { folder, temporary }: Project,
  argv: readonly string[],
  {
    signal,
    random,
    seconds,
    waits,
  }: { signal: NodeJS.Signals; random: Random; seconds: number; waits: boolean },
): Promise<void> {
  const child = spawn(process.execPath, [CLI, ...argv], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary },
    stdio: "ignore",
  });
  let isRunning = true;
  const end = new Promise<void>((resolve) =>
    child.once("exit", () => {
      isRunning = false;
      resolve();
    }),
  );
  const isWriting = (): boolean => {
    try {
      return existsSync(path.join(folder, ".accrete-lock")) || listLeftovers(folder).length > 0;
    } catch {
      // The command removed a folder while it was read.
      return true;
    }
  };
  if (waits) {
    while (isRunning && !isWriting()) await nextTurn();
    await sleep(random.next() * WRITING_MS);
  } else await sleep(random.next() * seconds * 1000);
  child.kill(signal);
  await end;
}

/** What became of a command at all moments. */
interface Counts {
  old: number;
  finished: number;
  explained: number;
  recovered: number;
  readonly faults: string[];
}

async function measureCommand(name: string, moments: number): Promise<Counts> {
  const { before, argv } = COMMANDS[name] ?? { before: [], argv: [] };
  const root = mkdtempSync(path.join(tmpdir(), "accrete-kills-"));
  const random = createRandom(Number(values.seed));
  const createProject = (label: string): Project => {
    const project = { folder: path.join(root, label), temporary: path.join(root, `${label}-tmp`) };
    for (const each of Object.values(project)) {
      rmSync(each, { recursive: true, force: true });
      mkdirSync(each);
    }
    return project;
  };
  try {
    const template = createProject("template");
    for (const each of before) runCommand(template, each);
    const old = describeFiles(template.folder);
    const whole = createProject("whole");
    cpSync(template.folder, whole.folder, { recursive: true });
    const start = performance.now();
    runCommand(whole, argv);
    const seconds = (performance.now() - start) / 1000;
    const finished = describeFiles(whole.folder);
    const counts: Counts = { old: 0, finished: 0, explained: 0, recovered: 0, faults: [] };
    if (old === finished) throw new Error(`${name} changes nothing`);
    for (let moment = 0; moment < moments; moment++) {
      const project = createProject("project");
      cpSync(template.folder, project.folder, { recursive: true });
      const signal = SIGNALS[moment % SIGNALS.length] ?? "SIGKILL";
      await interruptCommand(project, argv, { signal, random, seconds, waits: moment % 8 >= 4 });
      checkProject(project, { argv, old, finished, signal }, counts);
    }
    return counts;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Checks a project after a command was ended, runs the command again, and adds the results to `counts`. */
function checkProject(
  project: Project,
  expected: { argv: readonly string[]; old: string; finished: string; signal: NodeJS.Signals },
  counts: Counts,
): void {
  const { argv, old, finished, signal } = expected;
  const files = describeFiles(project.folder);
  const leftovers = listLeftovers(project.folder);
  const temporary = readdirSync(project.temporary);
  if (signal !== "SIGKILL" && leftovers.length + temporary.length > 0)
    counts.faults.push(`${signal} leaves ${[...leftovers, ...temporary].join(", ")}`);
  if (files === old) counts.old++;
  else if (files === finished) counts.finished++;
  else {
    const { stderr } = runCommand(project, ["lint"]);
    if (stderr.includes(`\`accrete ${argv[0]}`) && stderr.includes("was interrupted")) counts.explained++;
    else counts.faults.push(`${signal}: nobody explains a mix of old and new files`);
  }
  const { stderr } = runCommand(project, argv);
  const isWhole = describeFiles(project.folder) === finished;
  const remaining = listLeftovers(project.folder);
  if (isWhole && remaining.length === 0) counts.recovered++;
  else
    counts.faults.push(
      `${signal}: the command ends ${isWhole ? `with ${remaining.join(", ")}` : "differently"} when it is run again: ${stderr}`,
    );
}

if (!existsSync(CLI)) throw new Error("dist/cli.js is missing. Run `npm run build` first.");
console.log("| command | moments | as before | finished | explained | recovered | faults |");
console.log("|---|---:|---:|---:|---:|---:|---:|");
let faultCount = 0;
for (const name of Object.keys(COMMANDS).filter((each) => each.includes(values.only))) {
  const moments = Number(values.moments);
  const { old, finished, explained, recovered, faults } = await measureCommand(name, moments);
  console.log(
    `| ${name} | ${moments} | ${old} | ${finished} | ${explained} | ${recovered} | ${faults.length} |`,
  );
  for (const fault of new Set(faults)) console.error(`${name}: ${fault}`);
  faultCount += faults.length;
}
if (faultCount > 0) process.exitCode = 1;
