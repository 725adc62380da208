/** Runs queries over the generated views on Spark, in a process of its own. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { type Row, readSchemaName, readStatements, type Views } from "../sql/engine.js";

/** A running Spark. */
export interface SparkEngine {
  /** Creates views; see `openDuckdb`. */
  openViews(protocol: Protocol, lines: readonly string[], isPartial?: boolean): Promise<Views>;
  /** Runs a statement or a query. */
  run(sql: string): Promise<readonly Row[]>;
  stop(): void;
}

/** Starts Spark with a Python that has pyspark. Its tables are in `folder`. */
export function startSpark(python: string, folder: string): SparkEngine {
  const program = spawn(python, [path.resolve("test/emit/spark/views.py"), path.join(folder, "warehouse")], {
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
    async openViews(protocol, lines, isPartial = false) {
      const schema = readSchemaName(protocol, "spark");
      const file = path.join(folder, `${files++}.json`);
      const rows = lines.map((event, index) =>
        JSON.stringify({ event, file: "a.jsonl", position: index + 1 }),
      );
      writeFileSync(file, rows.join("\n"));
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
