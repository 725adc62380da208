/** Writes findings to a Parquet file, for archives with more findings than a terminal can show. */
import { renameSync, rmSync } from "node:fs";
import type { DuckDBAppender } from "@duckdb/node-api";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import type { Io } from "../io.js";
import { type Database, describeDatabaseError, quoteLiteral } from "./database.js";

/** Collects findings in a table of the database. */
export interface FindingTable {
  add(finding: Finding): void;
  /** Removes all findings. */
  clear(): Promise<void>;
  /** Writes the findings to a Parquet file, sorted by file and line. A file of this name is replaced as a whole, or kept. */
  write(file: string): Promise<void>;
}

/** The columns of the table, each with its type and the value of a finding. */
const COLUMNS: readonly {
  readonly name: string;
  readonly type: "VARCHAR" | "BIGINT";
  read(finding: Finding): string | number | undefined;
}[] = [
  { name: "file", type: "VARCHAR", read: ({ at }) => at.file },
  { name: "line", type: "BIGINT", read: ({ at }) => at.line },
  { name: "column", type: "BIGINT", read: ({ at }) => at.column },
  { name: "pointer", type: "VARCHAR", read: ({ at }) => at.pointer },
  { name: "rule", type: "VARCHAR", read: ({ rule }) => rule },
  { name: "severity", type: "VARCHAR", read: ({ severity }) => severity },
  { name: "message", type: "VARCHAR", read: ({ message }) => message },
  { name: "hint", type: "VARCHAR", read: ({ hint }) => hint },
];

/** Creates an empty table. */
export async function createFindingTable(
  { connection }: Database,
  { onInterrupt }: Pick<Io, "onInterrupt">,
): Promise<FindingTable> {
  const columns = COLUMNS.map(({ name, type }) => `"${name}" ${type}`);
  await connection.run(`CREATE TABLE findings(${columns.join(", ")})`);
  const appender = await connection.createAppender("findings");
  /** The first error. After it, nothing is added, because the file would be incomplete. */
  let failure: unknown;
  const tryAll = async (use: () => unknown): Promise<void> => {
    if (failure !== undefined) return;
    try {
      await use();
    } catch (error) {
      failure = error;
    }
  };
  return {
    add(finding) {
      void tryAll(() => {
        for (const { read } of COLUMNS) appendValue(appender, read(finding));
        appender.endRow();
      });
    },
    clear: () =>
      tryAll(() => {
        appender.flushSync();
        return connection.run("DELETE FROM findings");
      }),
    async write(file) {
      const query = 'SELECT * FROM findings ORDER BY file, line, "column"';
      const unfinished = `${file}.new`;
      const remove = (): void => rmSync(unfinished, { force: true });
      const keep = onInterrupt?.(remove);
      await tryAll(async () => {
        appender.flushSync();
        await connection.run(`COPY (${query}) TO ${quoteLiteral(unfinished)} (FORMAT parquet)`);
        renameSync(unfinished, file);
      });
      keep?.();
      if (failure !== undefined) remove();
      if (failure !== undefined)
        throw new UsageError(
          `The findings could not be written to ${file}: ${describeDatabaseError(failure)}`,
        );
    },
  };
}

function appendValue(appender: DuckDBAppender, value: string | number | undefined): void {
  if (value === undefined) appender.appendNull();
  else if (typeof value === "string") appender.appendVarchar(value);
  else appender.appendBigInt(BigInt(value));
}
