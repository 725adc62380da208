/** Answers an SQL query over the events of an archive, and prints the result. */
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api";
import { createViewStatements } from "../emit/sql/sql.js";
import { UsageError } from "../failure.js";
import type { Input } from "../ingest/place.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import type { ReportFormat } from "../report/report.js";
import { formatCount, sanitizeLine, sanitizeText } from "../text.js";
import type { Validators } from "../validators/protocol-validators.js";
import { type Database, streamChunks } from "./database.js";
import { ARCHIVE_TABLE, loadEvents } from "./load-events.js";

/** A query over an archive. */
interface QueryOptions {
  readonly sql: string;
  readonly inputs: readonly Input[];
  readonly validators: readonly Validators[];
  /** A message for each operand that cannot be read. */
  readonly unreadable: readonly string[];
  readonly format: ReportFormat;
  /** The maximum number of rows to print; 0 for all. */
  readonly limit: number;
  /** True if an archive may have no events. */
  readonly allowsEmpty: boolean;
}

/** Loads the events into the database, creates the views of their protocols, and prints the rows of the query. */
export async function queryArchive(database: Database, options: QueryOptions, io: Io): Promise<ExitCode> {
  const { inputs, validators, allowsEmpty, format, limit } = options;
  const loadedEvents = await loadEvents(database, inputs, validators);
  const unreadable = [...options.unreadable, ...loadedEvents.unreadable];
  for (const sentence of unreadable) io.stderr(`accrete: ${sanitizeLine(sentence)}\n`);
  if (loadedEvents.events === 0 && !allowsEmpty)
    throw new UsageError("There are no events. Use --allow-empty if that is right.");
  if (loadedEvents.others > 0)
    io.stderr(
      `accrete: ${formatCount(loadedEvents.others, "value")} of the archive ${loadedEvents.others === 1 ? "is" : "are"} not in the views: no known protocol has such events\n`,
    );
  const { connection } = database;
  const isUsed = ({ protocol }: Validators): boolean => loadedEvents.protocols.has(protocol.id);
  await createViews(connection, loadedEvents.events === 0 ? validators : validators.filter(isUsed));
  const result = await runQuery(database, options);
  if ("problem" in result) {
    io.stderr(`accrete: ${sanitizeText(result.problem)}\n`);
    return EXIT.usage;
  }
  const { columns, rows, hasMore } = result;
  if (format === "json")
    io.stdout(`[${rows.map((row) => `\n  ${formatObject(columns, row)}`).join(",")}\n]\n`);
  else io.stdout(formatTable(columns, rows));
  if (hasMore)
    io.stderr(`accrete: there are more than ${formatCount(limit, "row")} (--limit 0 prints all)\n`);
  return unreadable.length > 0 ? EXIT.usage : EXIT.ok;
}

/** Creates the views of protocols, each in its schema. The names of a single protocol need no schema. Queries can access no files. */
async function createViews(connection: DuckDBConnection, validators: readonly Validators[]): Promise<void> {
  const schemas: string[] = [];
  for (const { protocol } of validators) {
    const { schema, rawEvents, statements } = createViewStatements(protocol, "duckdb");
    const binding = `CREATE VIEW ${rawEvents} AS SELECT event, file, position FROM ${ARCHIVE_TABLE} WHERE protocol = '${protocol.id}'`;
    // Comments are most of the statements, and no query of one command needs them.
    const views = statements.filter((statement) => !statement.startsWith("COMMENT ON"));
    await connection.run([`CREATE SCHEMA ${schema}`, binding, ...views].join(";\n"));
    schemas.push(schema);
  }
  if (schemas.length === 1) await connection.run(`SET search_path = '${schemas[0]}'`);
  await connection.run("SET enable_external_access = false; SET lock_configuration = true");
}

/** A value of a row. */
type Value = Awaited<ReturnType<DuckDBResult["getRowsJson"]>>[number][number];

/** A column of the result. */
interface Column {
  readonly name: string;
  /** True if the texts of the column are JSON: numbers of any size, and JSON itself. */
  readonly isJson: boolean;
}

interface QueryResult {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Value[])[];
  /** True if the query has rows beyond the limit. */
  readonly hasMore: boolean;
}

/** Runs the query, which must be a single SELECT. If it fails, returns the lines of the error, which show the place in the query. */
async function runQuery(
  { connection, duckdb }: Database,
  { sql, limit }: QueryOptions,
): Promise<QueryResult | { readonly problem: string }> {
  try {
    const statement = await prepareQuery(connection, duckdb, sql);
    const columns = Array.from({ length: statement.columnCount }, (_, index) => {
      const type = statement.columnType(index);
      return {
        name: statement.columnName(index),
        isJson: type.alias === "JSON" || /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*)$/.test(`${type}`),
      };
    });
    const rows: (readonly Value[])[] = [];
    for await (const chunk of streamChunks(connection, sql)) {
      rows.push(...chunk.convertRows(duckdb.JsonDuckDBValueConverter));
      if (limit > 0 && rows.length > limit) return { columns, rows: rows.slice(0, limit), hasMore: true };
    }
    return { columns, rows, hasMore: false };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return { problem: `the query failed: ${error instanceof Error ? error.message : error}` };
  }
}

async function prepareQuery(
  connection: DuckDBConnection,
  { StatementType }: Database["duckdb"],
  sql: string,
): Promise<DuckDBPreparedStatement> {
  if (sql.trim() === "") throw new UsageError("--sql takes one query, and this one is empty.");
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) throw new UsageError(`--sql takes one query; there are ${statements.count}.`);
  const statement = await statements.prepare(0);
  if (statement.statementType !== StatementType.SELECT)
    throw new UsageError("--sql takes a query that only reads, such as SELECT, DESCRIBE or SUMMARIZE.");
  return statement;
}

/** Returns a row as a JSON object. Numbers and JSON keep their text, so that no digit is lost. */
function formatObject(columns: readonly Column[], row: readonly Value[]): string {
  const members = columns.map(({ name, isJson }, index) => {
    const value = row[index];
    const text = isJson && typeof value === "string" ? value : JSON.stringify(value);
    return `${JSON.stringify(name)}: ${text}`;
  });
  return `{${members.join(", ")}}`;
}

/** Returns rows as a table with aligned columns. Line ends and other invisible characters are escaped. */
function formatTable(columns: readonly Column[], rows: readonly (readonly Value[])[]): string {
  const lines = [columns.map(({ name }) => sanitizeLine(name)), ...rows.map((row) => row.map(formatCell))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? "").length)));
  const separator = widths.map((width) => "-".repeat(width));
  const [head = [], ...body] = lines;
  return [head, separator, ...body]
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

function formatCell(value: Value): string {
  if (value === null) return "";
  return sanitizeLine(typeof value === "string" ? value : JSON.stringify(value));
}
