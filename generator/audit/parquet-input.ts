/** Reads Parquet files as JSON Lines: one line for each row. */
import type { DuckDBBlobVector, DuckDBDataChunk } from "@duckdb/node-api";
import { UnreadableInput } from "../ingest/read-input.js";
import { didYouMean } from "../nearest.js";
import { findPayloadCarrier, getEnvelopeFields } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { derivePossibleTypes } from "../schema/possible-types.js";
import { type Database, describeDatabaseError, quoteLiteral, quoteName } from "./database.js";

/** Returns whether the name of a file says that it is a Parquet file. */
export function isParquetName(name: string): boolean {
  return /\.parquet$/i.test(name);
}

/** Says where the rows of Parquet files hold events. */
export interface ParquetForm {
  readonly protocols: readonly Protocol[];
  /** The column that holds events as JSON; if undefined, the names of the columns decide. */
  readonly column: string | undefined;
}

/**
 * Yields the rows of a file as JSON Lines, each piece in a buffer of its own. The line of an event is the number of its row.
 * Throws `UnreadableInput` if the file is damaged or no column holds events.
 */
export async function* readParquetRows(
  { connection }: Database,
  file: string,
  form: ParquetForm,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const source = `read_parquet(${quoteLiteral(file)}, hive_partitioning = false)`;
  try {
    const description = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
    const columns = description.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
    const result = await connection.stream(`SELECT ${createEventExpression(columns, form)} FROM ${source}`);
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

/** A column and its type in DuckDB. */
interface Column {
  readonly name: string;
  readonly type: string;
}

/** Returns the expression of a row's event as the bytes of JSON text. */
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
  if (protocol) return `encode(${createObjectExpression(columns, protocol)})`;
  const textColumns = columns.filter(({ type }) => TEXT_TYPES.includes(type));
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

const TEXT_TYPES = ["VARCHAR", "JSON", "BLOB"];

/** Returns the expression of a column's bytes. Bytes that are not UTF-8 are left to the validation, which names the row. */
function createBytesExpression({ name, type }: Column): string {
  return type === "BLOB" ? quoteName(name) : `encode(${quoteName(name)}::VARCHAR)`;
}

function createTextExpression({ name, type }: Column): string {
  return type === "BLOB" ? `decode(${quoteName(name)})` : `${quoteName(name)}::VARCHAR`;
}

/** Returns the expression of an object with a member for each column that is not null. */
function createObjectExpression(columns: readonly Column[], protocol: Protocol): string {
  const members = columns.map((column) => {
    const name = quoteName(column.name);
    const key = quoteLiteral(`${JSON.stringify(column.name)}:`);
    return `CASE WHEN ${name} IS NOT NULL THEN ${key} || ${createMemberExpression(column, protocol)} END`;
  });
  return `'{' || concat_ws(',', ${members.join(", ")}) || '}'`;
}

/** Returns the expression of a column's value as JSON text, of a type that the envelope allows. */
function createMemberExpression({ name, type }: Column, protocol: Protocol): string {
  const column = quoteName(name);
  const allowsText = allowsTexts(name, protocol);
  if (TEXT_TYPES.includes(type) && !allowsText) return createTextExpression({ name, type });
  if (!type.startsWith("TIMESTAMP")) return `to_json(${column})::VARCHAR`;
  return allowsText
    ? `to_json(strftime(${column}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%gZ'))::VARCHAR`
    : `epoch_ms(${column})::VARCHAR`;
}

/** Returns whether a field of events may be a text. Payloads are objects. */
function allowsTexts(field: string, { envelope, events, definitions }: Protocol): boolean {
  if (events.some((event) => findPayloadCarrier(envelope, event) === field)) return false;
  const schema = getEnvelopeFields(envelope)[field];
  return schema === undefined || derivePossibleTypes(schema, definitions).has("string");
}
