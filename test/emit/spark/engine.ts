/** Runs queries over the generated views on Spark, in a process of its own. */
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import {
  type RawEvents,
  type Row,
  readSchemaName,
  readStatements,
  type Views,
  writeRows,
} from "../sql/engine.js";

/** A running Spark. */
export interface SparkEngine {
  /** Creates views; see `openDuckdb`. */
  openViews(protocol: Protocol, events: RawEvents, isPartial?: boolean): Promise<Views>;
  /** Runs a statement or a query. */
  run(sql: string): Promise<readonly Row[]>;
  stop(): void;
}

/** Settings of Spark for large tables; its own in `views.py` are for small ones. */
export const LARGE_TABLES: readonly string[] = [
  "spark.driver.memory=8g",
  "spark.driver.extraJavaOptions=-XX:+UseParallelGC",
  "spark.sql.shuffle.partitions=16",
  "spark.sql.codegen.wholeStage=true",
  "spark.sql.codegen.factoryMode=FALLBACK",
];

/** Starts Spark with a Python that has pyspark, and with settings such as `spark.driver.memory=4g`. Its tables are in `folder`. */
export function startSpark(python: string, folder: string, settings: readonly string[] = []): SparkEngine {
  const script = path.resolve("test/emit/spark/views.py");
  const program = spawn(python, [script, path.join(folder, "warehouse"), ...settings], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, SPARK_LOCAL_IP: "127.0.0.1" },
  });
  const answers = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const run = async (sql: string): Promise<readonly Row[]> => {
    program.stdin.write(`${JSON.stringify(sql)}\n`);
    // The Java machine writes its warnings, such as "[12.3s][warning]…", to the same output.
    let answer: string | undefined;
    do answer = (await answers.next()).value;
    while (answer !== undefined && !answer.startsWith("{"));
    if (answer === undefined) throw new Error("Spark ended.");
    const { rows, problem } = JSON.parse(answer);
    if (problem !== undefined) throw new Error(`${problem}\n${sql}`);
    return rows;
  };
  let files = 0;
  return {
    async openViews(protocol, events, isPartial = false) {
      const schema = readSchemaName(protocol, "spark");
      const file = path.join(folder, `${files++}.json`);
      writeRows(file, events, (row) => JSON.stringify(row));
      const statements = readStatements(protocol, "spark").filter(
        (statement) =>
          !isPartial ||
          /^CREATE \S+ \S+ VIEW \S+`(events|deliveries|streams|violations|\w+_spans)`/.test(statement),
      );
      const table = `${schema}.raw_events (event STRING, file STRING, position BIGINT)`;
      await run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await run(`CREATE SCHEMA ${schema}`);
      await run(`CREATE TABLE ${table} USING json LOCATION '${file}'`);
      for (const statement of statements) await run(statement);
      await run(`USE ${schema}`);
      return { schema, quote: (name) => `\`${name.replaceAll("`", "``")}\``, query: run };
    },
    run,
    stop: () => void program.kill(),
  };
}
