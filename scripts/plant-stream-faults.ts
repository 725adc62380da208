/**
 * Plants each fault of scripts/streams/planted-faults.ts in a copy of the sources, and runs the oracle prove-streams.ts with
 * it. A fault is caught if an answer is wrong, or if far more answers are undecided than without it. Prints a line
 * for each fault and how it was caught, and exits with 1 if one is missed.
 *
 *     npm run prove:streams:faults [-- --only TEXT]     only faults with the text in their file or name
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { applyFault, PLANTED_FAULTS, type PlantedFault } from "./streams/planted-faults.js";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });

/** Only one of so many contracts of a member is compared, unless a fault says otherwise. */
const EVERY = 6;
const SEED = 5;
/** The share of answers that a fault may leave undecided, besides those that are undecided without it. */
const MAX_UNDECIDED = 0.02;

/** The summaries of the oracle without a fault, by the sample of contracts. */
const soundSummaries = new Map<string, string>();

const copy = mkdtempSync(path.join(tmpdir(), "accrete-faults-"));
try {
  for (const name of ["generator", "scripts", "package.json", "tsconfig.json"])
    cpSync(name, path.join(copy, name), { recursive: true });
  for (const name of ["node_modules", "schemas", "fixtures"])
    symlinkSync(path.resolve(name), path.join(copy, name));
  const faults = PLANTED_FAULTS.filter(({ name, file }) => `${file}: ${name}`.includes(values.only));
  let caught = 0;
  for (const [index, fault] of faults.entries()) {
    const start = performance.now();
    const { isCaught, reason } = await plant(fault);
    if (isCaught) caught++;
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(`${index + 1} ${isCaught ? "caught" : "MISSED"} ${fault.file}: ${fault.name} (${seconds} s)`);
    console.log(`    ${reason}`);
  }
  console.log(`${caught} of ${faults.length} faults were caught.`);
  process.exitCode = faults.length > 0 && caught === faults.length ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true });
}

/** Returns whether the oracle catches a fault, and how. */
async function plant(fault: PlantedFault): Promise<{ readonly isCaught: boolean; readonly reason: string }> {
  const { file } = fault;
  const place = path.join(copy, "generator", file);
  const text = readFileSync(place, "utf8");
  writeFileSync(place, applyFault(fault, text));
  const { wrong, summary } = await runOracle(fault);
  writeFileSync(place, text);
  if (wrong !== undefined) return { isCaught: true, reason: wrong };
  const sample = JSON.stringify([fault.member, fault.every]);
  const sound = soundSummaries.get(sample) ?? (await runOracle(fault)).summary;
  soundSummaries.set(sample, sound);
  const further = countUndecided(summary) - countUndecided(sound);
  const isCaught = further > MAX_UNDECIDED;
  return { isCaught, reason: isCaught ? `far more undecided answers: ${summary}` : summary };
}

/** Returns the share of undecided answers. A fault that stops the oracle with an exception has no summary, and is missed. */
function countUndecided(summary: string): number {
  const [, answers, undecided] = /(\d+) answers .* (\d+) undecided/.exec(summary) ?? [];
  return Number(undecided ?? 0) / Number(answers ?? 1);
}

/** The result of the oracle. */
interface OracleResult {
  /** The first wrong answer. The oracle is stopped at it. */
  readonly wrong?: string;
  readonly summary: string;
}

/** Runs the oracle in the copy. */
async function runOracle({ member, every = EVERY }: PlantedFault): Promise<OracleResult> {
  const sample = ["--member", member, "--every", String(every), "--seed", String(SEED)];
  const oracle = spawn(process.execPath, ["--import", "tsx", "scripts/prove-streams.ts", ...sample], {
    cwd: copy,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise((resolve) => oracle.on("exit", resolve));
  let summary = "";
  for await (const line of createInterface({ input: oracle.stdout })) {
    if (line.startsWith("WRONG: ")) {
      oracle.kill();
      await exit;
      return { wrong: line.slice("WRONG: ".length), summary };
    }
    summary = line;
  }
  await exit;
  return { summary };
}
