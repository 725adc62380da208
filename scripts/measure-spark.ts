/**
 * Measures the Spark job on this machine with one and with two workers of one core each: time, processor time of all
 * processes, and the number of findings. Needs `npm run build` before, GNU time, and the Spark of test/emit/spark
 * (ACCRETE_TEST_SPARK=1 installs it).
 *
 *     npm run measure:spark [-- --mb 400]
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { readParquet } from "../test/audit/parquet-files.js";
import { prepareSpark } from "../test/emit/python/environment.js";
import { runSparkJob } from "../test/emit/spark/run-job.js";

const { values } = parseArgs({ options: { mb: { type: "string", default: "400" } } });

const root = mkdtempSync(path.join(tmpdir(), "accrete-spark-"));
try {
  const python = prepareSpark();
  if (python === undefined) throw new Error("There is no Spark.");
  const archive = path.join(root, "events.jsonl");
  const corpus = [
    "scripts/make-corpus.ts",
    "--mb",
    values.mb,
    "--faults",
    "duplicate,corrupt",
    "--out",
    archive,
  ];
  spawnSync(process.execPath, ["--import", "tsx", ...corpus], { stdio: "inherit" });
  const command = `${process.execPath} ${path.resolve("dist/cli.js")}`;
  const rows = [];
  for (const workers of [1, 2]) {
    const folder = path.join(root, String(workers));
    mkdirSync(folder);
    const launcher = ["/usr/bin/time", "--format", "used %e %U %S"];
    const job = { folder, archive, command, workers, partitions: 8, memory: 2048, settings: [], launcher };
    const { output, log, exitCode } = await runSparkJob(python, job);
    if (exitCode !== 0) throw new Error(log.slice(-2000));
    const [, seconds, user, system] = (/used (\S+) (\S+) (\S+)/.exec(log) ?? []).map(Number);
    const findings = (await readParquet(path.join(output, "findings/*.parquet"))).length;
    rows.push({ workers, seconds, processorSeconds: Number(user) + Number(system), findings });
  }
  console.table(rows);
  console.log(`${values.mb} MB; load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  rmSync(root, { recursive: true });
}
