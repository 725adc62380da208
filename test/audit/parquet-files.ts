/** Writes and reads Parquet files. */
import { DuckDBInstance } from "@duckdb/node-api";

/** Writes the rows of a query over the table `lines`, whose column `line` holds JSON texts, to a Parquet file. */
export async function writeParquet(file: string, lines: readonly string[], query: string): Promise<void> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run("CREATE TABLE lines(line VARCHAR)");
  const appender = await connection.createAppender("lines");
  for (const line of lines) {
    appender.appendVarchar(line);
    appender.endRow();
  }
  appender.closeSync();
  await connection.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`);
  connection.closeSync();
}

/** Returns the rows of all files that match a pattern. */
export async function readParquet(pattern: string): Promise<unknown[]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const result = await connection.runAndReadAll(`SELECT * FROM '${pattern}'`);
  connection.closeSync();
  return result.getRowObjectsJson();
}
