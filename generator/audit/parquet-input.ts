/** Reads Parquet files as JSON Lines: one line for each row. */
import type { DuckDBBlobVector, DuckDBDataChunk, DuckDBType } from "@duckdb/node-api";
import type { Input, LineRange } from "../ingest/place.js";
import { UnreadableInput } from "../ingest/read-input.js";
import { readHead } from "../io.js";
import { didYouMean } from "../nearest.js";
import { getEnvelopeFields } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { type Database, describeDatabaseError, quoteLiteral, quoteName } from "./database.js";
import { type Column, createEventText, isBlob, isText } from "./row-json.js";

/** The first bytes of every Parquet file. */
const PARQUET_HEAD = Buffer.from("PAR1");

/** Returns whether an input is a Parquet file: by its name, or by its first bytes. */
export function isParquetFile({ name, file }: Input): boolean {
  return (
    /\.parquet$/i.test(name) ||
    (file !== undefined && PARQUET_HEAD.equals(readHead(file, PARQUET_HEAD.length)))
  );
}

/** Says where the rows of Parquet files hold events. */
export interface ParquetForm {
  readonly protocols: readonly Protocol[];
  /** The column that holds events as JSON; if undefined, the names of the columns decide. */
  readonly column: string | undefined;
}

/**
 * Yields rows of a file as JSON Lines, each piece in a buffer of its own. The line of an event is the number of its row.
 * Throws `UnreadableInput` if the file is damaged or no column holds events.
 */
export async function* readParquetRows(
  { connection }: Database,
  file: string,
  form: ParquetForm,
  lines: LineRange,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const source = `read_parquet(${quoteLiteral(escapePattern(file))}, hive_partitioning = false)`;
  try {
    const description = await connection.run(`SELECT * FROM ${source} LIMIT 0`);
    const types = description.columnTypes();
    const columns = description.columnNames().map((name, i) => ({ name, type: types[i] as DuckDBType }));
    const { first, last } = lines;
    const limit = last === Infinity ? "" : ` LIMIT ${last - first + 1}`;
    const expression = findEventExpression(columns, form);
    const result = await connection.stream(`SELECT ${expression} FROM ${source}${limit} OFFSET ${first - 1}`);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      yield joinLines(listTexts(chunk));
    }
  } catch (error) {
    if (error instanceof UnreadableInput) throw error;
    throw new UnreadableInput(describeDatabaseError(error));
  }
}

/** Returns a pattern of DuckDB that only this path matches. */
function escapePattern(file: string): string {
  return file.replace(/[*?[]/g, "[$&]");
}

const LF = 0x0a;
const SPACE = 0x20;
const NULL = Buffer.from("null");

/** Returns the bytes of the first column's blobs, without a copy of each. */
function listTexts(chunk: DuckDBDataChunk): Uint8Array[] {
  const vector = chunk.getColumnVector(0) as DuckDBBlobVector;
  return Array.from({ length: chunk.rowCount }, (_, row) => vector.getItemBytes(row) ?? NULL);
}

/** Returns the texts of events as JSON Lines. */
function joinLines(texts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = texts.length;
  for (const text of texts) length += text.length;
  const lines = Buffer.from(new ArrayBuffer(length));
  let end = 0;
  for (const bytes of texts) {
    lines.set(bytes, end);
    // A raw line end in JSON text is white space, and would end the line too early.
    if (bytes.includes(LF)) replaceLineFeeds(lines.subarray(end, end + bytes.length));
    end += bytes.length;
    lines[end++] = LF;
  }
  return lines;
}

function replaceLineFeeds(text: Buffer): void {
  for (let index = text.indexOf(LF); index !== -1; index = text.indexOf(LF, index + 1)) text[index] = SPACE;
}

/** The expressions by the columns of files, because most files of an archive have the same columns. */
const expressionsByForm = new WeakMap<ParquetForm, Map<string, string>>();

/** Returns the expression that `createEventExpression` creates, which takes as long as thousands of rows. */
function findEventExpression(columns: readonly Column[], form: ParquetForm): string {
  const expressions = expressionsByForm.get(form) ?? new Map<string, string>();
  expressionsByForm.set(form, expressions);
  const key = JSON.stringify(columns.map(({ name, type }) => [name, String(type)]));
  const expression = expressions.get(key) ?? createEventExpression(columns, form);
  expressions.set(key, expression);
  return expression;
}

/** Returns the expression of a row's event as the bytes of its JSON text. */
function createEventExpression(columns: readonly Column[], { protocols, column }: ParquetForm): string {
  const names = columns.map(({ name }) => name);
  if (column !== undefined) {
    const eventColumn = columns.find(({ name }) => name === column);
    if (eventColumn) return createBytesExpression(eventColumn);
    throw new UnreadableInput(
      `it has no column ${column}${didYouMean(column, names)} Its columns: ${names.join(", ")}`,
    );
  }
  const protocol = findProtocolOfColumns(names, protocols);
  if (protocol) return `encode(${createEventText(columns, protocol)})`;
  const textColumns = columns.filter(({ type }) => isText(type));
  const textColumn =
    textColumns.length === 1 ? textColumns[0] : textColumns.find(({ name }) => name === "event");
  if (textColumn) return createBytesExpression(textColumn);
  throw new UnreadableInput(
    `it is unclear which column holds the events; name it with --column. Its columns: ${names.join(", ")}`,
  );
}

/** Returns the protocol whose envelope declares most of the columns, of those whose events these columns can hold. */
function findProtocolOfColumns(
  names: readonly string[],
  protocols: readonly Protocol[],
): Protocol | undefined {
  const countDeclared = ({ envelope }: Protocol): number =>
    names.filter((name) => Object.hasOwn(getEnvelopeFields(envelope), name)).length;
  const [best] = protocols
    .filter(({ envelope, stream }) =>
      [envelope.discriminator, ...(stream?.key ?? [])].every((field) => names.includes(field)),
    )
    .sort((a, b) => countDeclared(b) - countDeclared(a));
  return best;
}

/** Returns the expression of a column's bytes. Bytes that are not UTF-8 are left to the validation, which names the row. */
function createBytesExpression({ name, type }: Column): string {
  return isBlob(type) ? quoteName(name) : `encode(${quoteName(name)}::VARCHAR)`;
}
