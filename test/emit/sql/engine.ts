/** Runs queries over the generated views on DuckDB. */
import { closeSync, openSync, writeSync } from "node:fs";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { DialectName } from "../../../generator/emit/sql/dialects.js";
import { emitSql } from "../../../generator/emit/sql/sql.js";
import type { OutputFile, Protocol } from "../../../generator/protocol/protocol.js";

/** A row, whose values are texts, numbers, truth values, null, or lists of them. */
export type Row = { readonly [column: string]: unknown };

/** A row of the table that the views read. */
export interface RawEvent {
  readonly event: string;
  readonly file: string;
  readonly position: number;
}

/** The events that views are over. Lines without a place are those of one file. */
export type RawEvents = Iterable<string | RawEvent>;

/** Yields the rows of events. */
export function* createRows(events: RawEvents): Generator<RawEvent> {
  let position = 0;
  for (const event of events) {
    position++;
    yield typeof event === "string" ? { event, file: "a.jsonl", position } : event;
  }
}

/** The characters of rows that are written at once. */
const CHUNK_LENGTH = 2 ** 22;

/** Writes the texts of rows to a file. Together they may be longer than a text can be. */
export function writeRows(file: string, events: RawEvents, format: (row: RawEvent) => string): void {
  const descriptor = openSync(file, "w");
  let chunk = "";
  for (const row of createRows(events)) {
    chunk += `${format(row)}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    writeSync(descriptor, chunk);
    chunk = "";
  }
  writeSync(descriptor, chunk);
  closeSync(descriptor);
}

/** An engine with the views of one protocol over events. Queries need not name the schema. */
export interface Views {
  /** The quoted name of the schema, and the function that quotes names. */
  readonly schema: string;
  quote(name: string): string;
  query(sql: string): Promise<readonly Row[]>;
}

/** The generated files of each protocol. To make them takes longer than most queries. */
const filesByProtocol = new WeakMap<Protocol, readonly OutputFile[]>();

/** Returns the generated file of a dialect. */
export function readContent(protocol: Protocol, dialect: DialectName): string {
  const files = filesByProtocol.get(protocol) ?? emitSql(protocol);
  filesByProtocol.set(protocol, files);
  return files.find(({ path }) => path.endsWith(`/${dialect}.sql`))?.content ?? "";
}

/** Returns the statements of a generated file. Each ends with a semicolon at the end of its line, as the head of the file states. */
export function readStatements(protocol: Protocol, dialect: DialectName): readonly string[] {
  return readContent(protocol, dialect)
    .replace(/^--.*\n/gm, "")
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/** Returns the quoted name of the schema of a protocol, which the head of the generated file contains. */
export function readSchemaName(protocol: Protocol, dialect: DialectName): string {
  return /CREATE SCHEMA IF NOT EXISTS (.*);/.exec(readContent(protocol, dialect))?.[1] ?? "";
}

const instance = await DuckDBInstance.create(":memory:");

/** Opens views on DuckDB in this process. With `isPartial`, only those that do not belong to an event type. */
export const openDuckdb = async (
  protocol: Protocol,
  lines: readonly string[],
  isPartial = false,
): Promise<Views> => {
  const connection = await instance.connect();
  const schema = readSchemaName(protocol, "duckdb");
  await connection.run(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  await createRawEvents(connection, `${schema}.raw_events`, lines);
  const statements = readStatements(protocol, "duckdb").filter(
    (statement) =>
      !isPartial ||
      /^CREATE \S+ \S+ VIEW \S+"(events|deliveries|streams|violations|\w+_spans)"/.test(statement),
  );
  await connection.run(statements.join(";\n"));
  await connection.run(`SET search_path = ${schema.replaceAll('"', "'")}`);
  return {
    schema,
    quote: (name) => `"${name.replaceAll('"', '""')}"`,
    query: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as unknown as Row[],
  };
};

async function createRawEvents(
  connection: DuckDBConnection,
  table: string,
  lines: readonly string[],
): Promise<void> {
  await connection.run(`CREATE TABLE ${table}(event VARCHAR, file VARCHAR, position BIGINT)`);
  const rows = JSON.stringify(lines.map((event, index) => ({ event, position: index + 1 })));
  await connection.run(
    `INSERT INTO ${table} SELECT row.event, 'a.jsonl', row.position FROM (
       SELECT unnest(from_json($1::JSON, '[{"event":"VARCHAR","position":"BIGINT"}]')) AS row)`,
    [rows],
  );
}
