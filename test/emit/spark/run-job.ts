/** Runs the Spark job of hecate/v1 on this machine, with executors that are processes of their own. */
import { spawn, spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { emitSpark } from "../../../generator/emit/spark/spark.js";
import type { Profile } from "../../../generator/schema/readings.js";
import { PROTOCOLS } from "../fixtures.js";

/** A job and the machines that it runs on. */
interface SparkJob {
  /** An empty folder for the output and for the files of Spark. */
  readonly folder: string;
  readonly archive: string;
  /** The command line that stands for `accrete`. */
  readonly command: string;
  /** The folder of the protocols as the executors see it; by default that of this project. */
  readonly schemas?: string;
  readonly profile?: Profile;
  /** The number of executors; without executors, Spark does all in one process. */
  readonly workers: number;
  /** By default as the job chooses. */
  readonly partitions?: number;
  /** The memory of an executor, in MiB. */
  readonly memory: number;
  /** Settings of Spark, such as `spark.ui.enabled=false`. */
  readonly settings: readonly string[];
  /** A command line that runs Spark, for example to measure it. */
  readonly launcher?: readonly string[];
}

/** The result of a job. */
export interface SparkRun {
  /** The folder of the findings and statistics. */
  readonly output: string;
  readonly log: string;
  readonly exitCode: number | null;
}

/** Runs the job with the Spark that is installed for a Python interpreter. */
export async function runSparkJob(python: string, job: SparkJob): Promise<SparkRun> {
  const { folder, archive, command, workers, partitions, memory, settings, launcher = [] } = job;
  const { schemas = path.resolve("schemas"), profile = "reader" } = job;
  const protocol = PROTOCOLS.find(({ id }) => id === "hecate/v1");
  const [file] = protocol ? emitSpark(protocol) : [];
  const script = path.join(folder, "audit.py");
  writeFileSync(script, file?.content ?? "");
  linkSparkHome(python, folder);
  const output = path.join(folder, "output");
  const [program = "", ...parameters] = [
    ...[...launcher, path.join(folder, "bin/spark-submit"), "--driver-memory", "512m"],
    ...["--master", workers === 0 ? "local[2]" : `local-cluster[${workers},1,${memory}]`],
    ...["--executor-memory", `${memory}m`],
    ...settings.flatMap((setting) => ["--conf", setting]),
    ...[script, "--command", command, "--schemas", schemas, "--profile", profile],
    ...(partitions === undefined ? [] : ["--partitions", String(partitions)]),
    ...["--output", output, archive],
  ];
  const submit = spawn(program, parameters, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, SPARK_HOME: folder, PYSPARK_PYTHON: python, SPARK_LOCAL_IP: "127.0.0.1" },
  });
  const [log, exitCode] = await Promise.all([
    text(submit.stderr),
    new Promise<number | null>((resolve) => submit.on("close", resolve)),
  ]);
  return { output, log, exitCode };
}

/** Links the parts of Spark into a folder. Executors keep their files and logs in the folder `work` of the home of Spark. */
function linkSparkHome(python: string, folder: string): void {
  const program = "import pyspark; print(*pyspark.__path__)";
  const home = spawnSync(python, ["-c", program], { encoding: "utf8" }).stdout.trim();
  for (const name of ["bin", "jars", "python"]) symlinkSync(path.join(home, name), path.join(folder, name));
}
