/** Opens databases of DuckDB, an optional dependency that reads and writes Parquet and answers SQL. */

import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { importOptional, UsageError } from "../failure.js";
import type { TemporaryFolder } from "./temporary-folder.js";

/** A database in a temporary folder. */
export interface Database {
  readonly connection: DuckDBConnection;
  readonly duckdb: typeof import("@duckdb/node-api");
  close(): void;
}

/** A database that is opened when it is first needed. */
export interface DatabaseHolder {
  /**
   * Opens the database, or returns the open one.
   * @throws UsageError if DuckDB is not installed; `purpose` completes "DuckDB is needed to …".
   */
  open(reason: { readonly purpose: string }): Promise<Database>;
  close(): void;
}

/** Creates a holder of a database that holds at most `memory` bytes in memory, and the rest in `folder`. */
export function createDatabaseHolder(memory: number, folder: TemporaryFolder): DatabaseHolder {
  let database: Database | undefined;
  return {
    async open({ purpose }) {
      database ??= await openDatabase(memory, folder, purpose);
      return database;
    },
    close: () => database?.close(),
  };
}

/** Opens an empty database. See `DatabaseHolder`. */
async function openDatabase(memory: number, folder: TemporaryFolder, purpose: string): Promise<Database> {
  const duckdb = await importDuckdb(purpose);
  const file = path.join(folder.getPath(), "audit.duckdb");
  try {
    return await connect(duckdb, file, { memory_limit: `${memory}B`, temp_directory: folder.getPath() });
  } catch (error) {
    throw new UsageError(`DuckDB cannot be used to ${purpose}: ${describeDatabaseError(error)}.`);
  }
}

/** Opens an empty database that writes no files. */
export async function openMemoryDatabase(memory: number): Promise<Database> {
  const duckdb = await importDuckdb("read Parquet files");
  const database = await connect(duckdb, ":memory:", { memory_limit: `${memory}B`, temp_directory: "" });
  // DuckDB does not count the texts of the rows that it reads ahead. So it reads one chunk ahead.
  await database.connection.run("SET streaming_buffer_size = '1KB'");
  return database;
}

async function connect(
  duckdb: Database["duckdb"],
  file: string,
  settings: { readonly [name: string]: string },
): Promise<Database> {
  const instance = await duckdb.DuckDBInstance.create(file, {
    ...settings,
    // Extensions would be downloaded. JSON and Parquet are part of the package.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  // Otherwise times have the time zone of the machine.
  await connection.run("SET TimeZone = 'UTC'");
  return {
    connection,
    duckdb,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/**
 * Loads DuckDB.
 * @throws UsageError if it is not installed; `purpose` completes "DuckDB is needed to …".
 */
export function importDuckdb(purpose: string): Promise<typeof import("@duckdb/node-api")> {
  return importOptional(
    () => import("@duckdb/node-api"),
    `DuckDB is needed to ${purpose}. Install it: npm install --save-dev @duckdb/node-api`,
  );
}

/**
 * Runs a query and yields its result in chunks, so that it is never whole in memory.
 * @throws the error of DuckDB if the query fails, also after some chunks.
 */
export async function* streamChunks(
  connection: DuckDBConnection,
  query: string,
): AsyncGenerator<DuckDBDataChunk> {
  // A result that fails after its first chunk ends like a whole one. Only its transaction tells that it failed.
  await connection.run("BEGIN TRANSACTION");
  try {
    const result = await connection.stream(query);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      yield chunk;
    }
    await connection.run("SELECT 1").catch(() => throwFailure(connection, query));
  } finally {
    await connection.run("ROLLBACK");
  }
}

/** Throws the error of a query that has failed, which DuckDB tells only if the whole query is run again. */
async function throwFailure(connection: DuckDBConnection, query: string): Promise<never> {
  await connection.run("ROLLBACK; BEGIN TRANSACTION");
  await connection.run(`SELECT bit_xor(hash(result)) FROM query(${quoteLiteral(query)}) AS result`);
  throw new Error("DuckDB could not read the result to its end. Raise --memory.");
}

/** The functions of DuckDB in C. */
export type Bindings = typeof import("@duckdb/node-bindings");

/** Loads the functions that `importDuckdb` is built on. */
export function loadBindings(): Bindings {
  const api = createRequire(import.meta.url).resolve("@duckdb/node-api");
  return createRequire(api)("@duckdb/node-bindings");
}

/** Returns a text as an SQL literal. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns a name as an SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Describes an error of DuckDB: that no space or memory is left, or its first line, which says what is wrong. */
export function describeDatabaseError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/No space left on device|failed to offload data block/.test(text)) {
    const [, file] = /file "([^"]+)"/.exec(text) ?? [];
    const temporary = tmpdir();
    return file === undefined || path.resolve(file).startsWith(path.join(temporary, "/"))
      ? `no space is left in ${temporary}; set TMPDIR to a folder with more space`
      : `no space is left in ${path.dirname(file)}`;
  }
  const [firstLine = ""] = text.split("\n");
  return /^Out of Memory Error/.test(text)
    ? `it needs more memory; raise --memory (${firstLine})`
    : firstLine;
}
