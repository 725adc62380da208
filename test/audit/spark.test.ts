/** If this fails, the Spark job finds other things in an archive than `accrete audit`, or a lost executor changes what it finds. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { writeFaultyArchive } from "../../scripts/corpus/faulty-archive.js";
import { prepareSpark } from "../emit/python/environment.js";
import { runSparkJob, type SparkRun } from "../emit/spark/run-job.js";
import { createSharedFolder } from "../folders.js";
import { getPackages } from "../package/build.js";
import { reportFindings } from "./archive.js";
import { readParquet } from "./parquet-files.js";

const python = prepareSpark();
const CLI = `${process.execPath} --import ${path.resolve("node_modules/tsx/dist/esm/index.mjs")} ${path.resolve("generator/cli.ts")}`;

const SETTINGS = [
  "spark.ui.enabled=false",
  // These processes end before better machine code would pay.
  "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1",
  "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1",
];

/** Runs the job with two executors in an empty folder. */
async function runJob(folder: string, archive: string, command: string): Promise<SparkRun> {
  const job = { workers: 2, partitions: 4, memory: 1024, settings: SETTINGS };
  const run = await runSparkJob(python ?? "", { ...job, folder, archive, command });
  // There are errors.
  expect(run.exitCode, run.log.slice(-2000)).toBe(1);
  return run;
}

/** A finding with what Spark knows of its place: the file, the stream and the number of the event. */
interface PlacedFinding {
  readonly [name: string]: unknown;
}

/** Returns the findings that the job wrote. */
async function readFindings(output: string): Promise<readonly PlacedFinding[]> {
  const rows = (await readParquet(path.join(output, "findings/*.parquet"))) as PlacedFinding[];
  return rows.map(({ rule, message, pointer, file, stream, sequence }) => ({
    ...{ rule, message: omitOffset(String(message)), pointer },
    ...{ file: path.basename(String(file)), stream, sequence },
  }));
}

/** Omits the position in the file, which Spark does not know. */
function omitOffset(message: string): string {
  return message.replace(/\(byte \d+/, "(byte");
}

/** Returns the findings of `accrete audit`, with the stream and the number that are in the text of the line. */
async function auditArchive(archive: string): Promise<readonly PlacedFinding[]> {
  const findings = await reportFindings("audit", archive, "--protocol", "hecate/v1");
  const lines = new Map<string, readonly string[]>();
  return findings.map(({ rule, message, at: { file, line, pointer } }) => {
    if (!lines.has(file)) lines.set(file, readFileSync(file, "utf8").split("\n"));
    const { run_id: stream = "", sequence = null } = parseObject(lines.get(file)?.[line - 1] ?? "");
    return { rule, message: omitOffset(message), pointer, file: path.basename(file), stream, sequence };
  });
}

function parseObject(line: string): { readonly [name: string]: unknown } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

function sortFindings(findings: readonly PlacedFinding[]): readonly string[] {
  return findings.map((finding) => JSON.stringify(finding)).sort();
}

/** Returns the number of lines of each type and day, with those that are not JSON. */
function countLines(folder: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of readdirSync(folder))
    for (const line of readFileSync(path.join(folder, file), "utf8").trimEnd().split("\n")) {
      const { type, occurred_at: time } = parseObject(line);
      const key = JSON.stringify([
        type ?? null,
        time === undefined ? null : new Date(time as string).toISOString().slice(0, 10),
      ]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return [...counts].map(([key, count]) => `${key} ${count}`).sort();
}

describe.skipIf(python === undefined)("the Spark job on two executors", () => {
  const [archive = "", first = "", second = ""] = [1, 2, 3].map(createSharedFolder);
  const folder = path.join(archive, "2026-11");
  mkdirSync(folder);
  writeFaultyArchive({ folder, events: 20_000, files: 7, seed: 3, runsPerFault: 2 });
  const expected = auditArchive(archive);

  it.concurrent("finds what audit finds, and counts all lines", { timeout: 600_000 }, async () => {
    const { output } = await runJob(first, archive, CLI);
    expect(sortFindings(await readFindings(output))).toEqual(sortFindings(await expected));
    const rows = (await readParquet(path.join(output, "statistics/*.parquet"))) as {
      [name: string]: unknown;
    }[];
    expect(rows.map(({ type, day, events }) => `${JSON.stringify([type, day])} ${events}`).sort()).toEqual(
      countLines(folder),
    );
  });

  it.concurrent("finds the same if an executor is killed", { timeout: 600_000 }, async () => {
    const command = `${process.execPath} ${path.resolve("test/audit/kill-executor.mjs")} ${second} ${CLI}`;
    const { output, log } = await runJob(second, archive, command);
    expect(log).toMatch(/Lost executor/);
    expect(sortFindings(await readFindings(output))).toEqual(sortFindings(await expected));
  });
});

describe.skipIf(python === undefined)("the Spark job in one process", () => {
  it("runs the command of an archive that Spark unpacks", { timeout: 600_000 }, async () => {
    const folder = createSharedFolder();
    const content = createSharedFolder();
    symlinkSync(path.resolve("node_modules"), path.join(content, "node_modules"));
    cpSync(path.join(getPackages(), "accrete-cli"), path.join(content, "accrete-cli"), { recursive: true });
    const bundle = path.join(folder, "accrete.tgz");
    execFileSync("tar", ["czf", bundle, "-C", content, "."]);
    const run = await runSparkJob(python ?? "", {
      folder,
      archive: path.resolve("fixtures/hecate/v1/streams"),
      command: `${process.execPath} accrete/accrete-cli/dist/cli.js`,
      schemas: "accrete/accrete-cli/schemas",
      workers: 0,
      memory: 1024,
      settings: [...SETTINGS, `spark.archives=${bundle}#accrete`],
    });
    expect(run.exitCode, run.log.slice(-2000)).toBe(0);
    expect(await readFindings(run.output)).toEqual([]);
    expect(readdirSync(path.join(run.output, "statistics")).length).toBeGreaterThan(1);
  });
});
