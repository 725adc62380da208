/** Reads Parquet files as JSON Lines: one line for each row. */
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { getItem } from "../get-item.js";
import type { Input, LineRange } from "../ingest/place.js";
import { UnreadableInput } from "../ingest/read-input.js";
import { readHead } from "../io.js";
import { didYouMean } from "../nearest.js";
import { getEnvelopeFields } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import {
  type Bindings,
  type Database,
  describeDatabaseError,
  loadBindings,
  quoteLiteral,
  quoteName,
  streamChunks,
} from "./database.js";
import { type Column, createEventText, isBlob, isNested, isText } from "./row-json.js";

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
 * Yields rows of a file as JSON Lines, in pieces with buffers of their own. The line of an event is the number of its row.
 * Lines between the ranges are blank.
 * Throws `UnreadableInput` if the file is damaged or no column holds events.
 */
export async function* readParquetRows(
  { connection }: Database,
  file: string,
  form: ParquetForm,
  lines: readonly LineRange[],
): AsyncGenerator<readonly Uint8Array[]> {
  const bindings = loadBindings();
  try {
    const description = await connection.run(`SELECT * FROM ${formatSource(file)} LIMIT 0`);
    const types = description.columnTypes();
    const columns = description.columnNames().map((name, i) => ({ name, type: getItem(types, i) }));
    const first = lines[0]?.first ?? 1;
    const last = lines.at(-1)?.last ?? Infinity;
    const line = `coalesce(${findEventExpression(columns, form)}, 'null'::BLOB) || '\\x0A'::BLOB`;
    const ranges = await splitLargeRows(connection, { file, columns, first, last });
    const hasLine = createLineFilter(lines);
    let next = first;
    for (const rows of ranges)
      for await (const chunk of streamChunks(connection, `SELECT ${line} FROM ${rows}`)) {
        const firstLine = next;
        yield copyLines(chunk, bindings, (row) => hasLine(firstLine + row));
        next += chunk.rowCount;
        // The memory of a chunk is otherwise freed when its object is collected.
        bindings.data_chunk_reset(chunk.chunk);
      }
  } catch (error) {
    if (error instanceof UnreadableInput) throw error;
    throw new UnreadableInput(describeDatabaseError(error));
  }
}

function formatSource(file: string, options = ""): string {
  return `read_parquet(${quoteLiteral(escapePattern(file))}, hive_partitioning = false${options})`;
}

/** The rows that DuckDB decodes at once, and the bytes of the texts of so many rows above which fewer are read at once. */
const ROWS_AT_ONCE = 2048;
const BYTES_AT_ONCE = 32e6;

/** The number of a row, counted from 0, which DuckDB adds to the columns of a file. */
const ROW_NUMBER = "file_row_number";

/** The rows of a file from the line `first` to the line `last`. */
interface RowRange {
  readonly file: string;
  readonly columns: readonly Column[];
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the sources of queries that give the rows one after the other: one source, or several if the texts of rows are so large
 * that the memory for as many as DuckDB decodes at once would have no bound.
 */
async function splitLargeRows(connection: DuckDBConnection, range: RowRange): Promise<readonly string[]> {
  const { file, columns, first, last } = range;
  const limit = last === Infinity ? "" : ` LIMIT ${last - first + 1}`;
  const whole = [`${formatSource(file)}${limit} OFFSET ${first - 1}`];
  const texts = columns.filter(({ type }) => isText(type) || isBlob(type));
  if (texts.length === 0 || columns.some(({ name }) => name === ROW_NUMBER)) return whole;
  const source = formatSource(file, `, ${ROW_NUMBER} = true`);
  const lengths = texts.map((column) => `coalesce(octet_length(${createBytesExpression(column)}), 0)`);
  const bytes = `(${lengths.join(" + ")})`;
  const sums = `SELECT sum(${bytes}) AS bytes FROM ${source} GROUP BY ${ROW_NUMBER} // ${ROWS_AT_ONCE}`;
  const largest = await connection.runAndReadAll(`SELECT max(bytes)::DOUBLE FROM (${sums})`);
  if (Number(largest.getRows()[0]?.[0] ?? 0) <= BYTES_AT_ONCE) return whole;
  const sources: string[] = [];
  let [start, row, size] = [first - 1, first - 1, 0];
  const addSource = (): void => {
    if (row > start) sources.push(`${source} WHERE ${ROW_NUMBER} >= ${start} AND ${ROW_NUMBER} < ${row}`);
    [start, size] = [row, 0];
  };
  const query = `SELECT ${bytes}::DOUBLE FROM ${formatSource(file)}${limit} OFFSET ${first - 1}`;
  for await (const chunk of streamChunks(connection, query))
    for (const length of chunk.getColumnValues(0)) {
      if (size + Number(length) > BYTES_AT_ONCE || row - start === ROWS_AT_ONCE) addSource();
      size += Number(length);
      row++;
    }
  addSource();
  return sources;
}

/** Returns a function that returns whether a line is in one of the ranges. It must be called with increasing numbers. */
function createLineFilter(ranges: readonly LineRange[]): (line: number) => boolean {
  let index = 0;
  return (line) => {
    while (line > (ranges[index]?.last ?? Infinity)) index++;
    return line >= (ranges[index]?.first ?? Infinity);
  };
}

/** Returns a pattern of DuckDB that only this path matches. */
function escapePattern(file: string): string {
  return file.replace(/[*?[]/g, "[$&]");
}

const LF = 0x0a;
const SPACE = 0x20;

/** The bytes of a text in a vector of DuckDB: its length, and then the text, or its first four bytes and its address. */
const TEXT_BYTES = 16;
const LENGTH_BYTES = 4;
const ADDRESS_OFFSET = 8;
const MAX_SHORT_LENGTH = TEXT_BYTES - LENGTH_BYTES;

/**
 * Returns the lines of the first column of a chunk, in pieces. Rows without `isWanted` become blank lines. Most lines are next to
 * each other in the memory of DuckDB. They are copied at once, because a copy of each line would take half as long as its
 * validation.
 */
function copyLines(
  { chunk, rowCount }: DuckDBDataChunk,
  bindings: Bindings,
  isWanted: (row: number) => boolean,
): readonly Uint8Array[] {
  const texts = bindings.vector_get_data(bindings.data_chunk_get_vector(chunk, 0), rowCount * TEXT_BYTES);
  const view = new DataView(texts.buffer, texts.byteOffset, texts.length);
  const getLength = (row: number): number => view.getUint32(row * TEXT_BYTES, true);
  // An address has at most 48 bits, so that the number is exact.
  const getAddress = (row: number): number =>
    view.getUint32(row * TEXT_BYTES + ADDRESS_OFFSET, true) +
    view.getUint32(row * TEXT_BYTES + ADDRESS_OFFSET + 4, true) * 2 ** 32;
  const isShort = (row: number): boolean => getLength(row) <= MAX_SHORT_LENGTH;
  const copyBytes = (row: number, length: number): Uint8Array => {
    const start = row * TEXT_BYTES;
    // `slice` of a buffer would not copy.
    if (isShort(row))
      return Uint8Array.from(texts.subarray(start + LENGTH_BYTES, start + LENGTH_BYTES + length));
    const pointer = texts.byteOffset + start + ADDRESS_OFFSET;
    return bindings.get_data_from_pointer(texts.buffer as ArrayBuffer, pointer, length);
  };
  const pieces: Uint8Array[] = [];
  for (let row = 0; row < rowCount; ) {
    const first = row;
    while (row < rowCount && !isWanted(row)) row++;
    if (row > first) {
      pieces.push(new Uint8Array(row - first).fill(LF));
      continue;
    }
    let length = 0;
    const ends: number[] = [];
    do {
      length += getLength(row++);
      ends.push(length);
    } while (
      row < rowCount &&
      isWanted(row) &&
      !isShort(first) &&
      !isShort(row) &&
      getAddress(row) === getAddress(first) + length
    );
    const piece = copyBytes(first, length);
    replaceLineFeeds(piece, ends);
    pieces.push(piece);
  }
  return pieces;
}

/** Replaces the line feeds of lines but the last. They are white space of JSON texts, and would end lines too early. */
function replaceLineFeeds(lines: Uint8Array, ends: readonly number[]): void {
  let index = -1;
  for (const end of ends) {
    index = lines.indexOf(LF, index + 1);
    for (; index < end - 1; index = lines.indexOf(LF, index + 1)) lines[index] = SPACE;
  }
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
    if (eventColumn && isNested(eventColumn.type))
      throw new UnreadableInput(
        `its column ${column} does not hold texts, but values of type ${eventColumn.type}`,
      );
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
