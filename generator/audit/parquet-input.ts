/** Reads Parquet files as JSON Lines: one line for each row. */
import type { DuckDBBlobValue } from "@duckdb/node-api";
import type { Input } from "../ingest/place.js";
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

/** The column that holds events as JSON; undefined if the columns are to be found. */
type EventColumn = string | undefined;

/**
 * Turns the file of an input into its rows. The line of an event is the number of its row.
 * Reading throws `UnreadableInput` if the file is damaged or no column holds events.
 */
export function openParquetInput(
  database: Database,
  { index, name, file = name }: Input,
  protocols: readonly Protocol[],
  column: EventColumn,
): Input {
  return { index, name, format: "lines", open: () => readRows(database, file, protocols, column) };
}

async function* readRows(
  { connection }: Database,
  file: string,
  protocols: readonly Protocol[],
  column: EventColumn,
): AsyncGenerator<Uint8Array> {
  const source = `read_parquet(${quoteLiteral(file)}, hive_partitioning = false)`;
  try {
    const description = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
    const columns = description.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
    const expression = createEventExpression(columns, protocols, column);
    const result = await connection.stream(`SELECT ${expression} FROM ${source}`);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      yield joinLines(chunk.getColumnValues(0) as (DuckDBBlobValue | null)[]);
    }
  } catch (error) {
    if (error instanceof UnreadableInput) throw error;
    throw new UnreadableInput(describeDatabaseError(error));
  }
}

const LF = 0x0a;
const SPACE = 0x20;
const LINE_END = Buffer.of(LF);
const NULL = Buffer.from("null");

/** Returns the texts of events as JSON Lines. */
function joinLines(texts: readonly (DuckDBBlobValue | null)[]): Buffer {
  const pieces: Uint8Array[] = [];
  for (const text of texts) {
    const bytes = text?.bytes ?? NULL;
    // A raw line end in JSON text is white space, and would end the line too early.
    pieces.push(bytes.includes(LF) ? bytes.map((byte) => (byte === LF ? SPACE : byte)) : bytes, LINE_END);
  }
  return Buffer.concat(pieces);
}

/** A column and its type in DuckDB. */
interface Column {
  readonly name: string;
  readonly type: string;
}

/** Returns the expression of a row's event as the bytes of JSON text. */
function createEventExpression(
  columns: readonly Column[],
  protocols: readonly Protocol[],
  column: EventColumn,
): string {
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
