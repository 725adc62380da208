/** Sorts the events of all inputs by their streams and numbers, and remembers where each came from. */
import type { DuckDBAppender, DuckDBType } from "@duckdb/node-api";
import { checkEvent } from "../conform/check-event.js";
import { createEventReader } from "../ingest/event-reader.js";
import { createEnvelopeTextReader, type Input, type Place, type Sink } from "../ingest/place.js";
import { describeReadError, readInput } from "../ingest/read-input.js";
import { createFullShare } from "../ingest/stream-share.js";
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { createRowFinder } from "../rows/find-row.js";
import { streamKey } from "../stream/stream-key.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";
import type { Database } from "./database.js";

/** The place that an event came from. */
export interface Origin {
  readonly input: Input;
  readonly line: number;
  /** The JSON pointer of the event in the JSON text of its line; empty if it is the whole text. */
  readonly pointer: string;
}

/** The events of all inputs, sorted by their streams and numbers. */
interface SortedEvents {
  /** The sorted events as JSON Lines. */
  readonly input: Input;
  /** Returns the origin of a line of `input`. It knows the lines of the stream that is being read and of the one before it. */
  findOrigin(line: number): Origin | undefined;
  /** A message for each input that could not be read to its end. */
  readonly unreadable: readonly string[];
}

/** Copies the events of all inputs into the database and returns them in order. */
export async function sortEvents(
  database: Database,
  inputs: readonly Input[],
  validators: readonly Validators[],
): Promise<SortedEvents> {
  const unreadable = await loadEvents(database, inputs, validators);
  const origins = createOriginTable(inputs);
  const open = (): AsyncGenerator<Uint8Array> => readSorted(database, origins);
  return { input: { index: 0, name: "sorted.jsonl", open }, findOrigin: origins.find, unreadable };
}

/** The columns of the table of events. `place` is the index of the input times 2^32 plus the line. */
const COLUMNS = [
  ["stream", "VARCHAR"],
  ["number", "DOUBLE"],
  ["place", "DOUBLE"],
  ["pointer", "VARCHAR"],
  ["text", "BLOB"],
] as const;

const LINES_PER_INPUT = 2 ** 32;

async function loadEvents(
  { connection, duckdb }: Database,
  inputs: readonly Input[],
  validators: readonly Validators[],
): Promise<readonly string[]> {
  await connection.run(`CREATE TABLE events(${COLUMNS.map((column) => column.join(" ")).join(", ")})`);
  const appender = await connection.createAppender("events");
  const types = COLUMNS.map(([, type]) => duckdb[type]);
  const rows = createRowBuffer(appender, types, duckdb);
  const sink = createLoadingSink(validators, rows.add);
  const unreadable: string[] = [];
  for (const input of inputs) {
    try {
      const reader = createEventReader(input, sink, createFullShare());
      await readInput(input, input.open?.() ?? emptyInput(), reader, () => {});
    } catch (error) {
      const reason = describeReadError(error);
      if (reason === undefined) throw error;
      unreadable.push(`cannot read ${input.name}: ${reason}`);
    }
  }
  rows.flush();
  appender.flushSync();
  appender.closeSync();
  return unreadable;
}

async function* emptyInput(): AsyncGenerator<Uint8Array> {}

/** One row of the table of events. */
interface EventRow {
  readonly stream: string;
  readonly number: number;
  readonly place: number;
  readonly pointer: string;
  readonly text: Uint8Array;
}

/** The most rows of a chunk of DuckDB, and the bytes after which a chunk is passed on. */
const MAX_CHUNK_ROWS = 2048;
const CHUNK_BYTES = 2 ** 22;

/** Collects rows into chunks, because passing single rows to DuckDB takes several times as long. */
function createRowBuffer(
  appender: DuckDBAppender,
  types: readonly DuckDBType[],
  duckdb: Database["duckdb"],
): { add(row: EventRow): void; flush(): void } {
  let rows: EventRow[] = [];
  let bytes = 0;
  const flush = (): void => {
    if (rows.length === 0) return;
    const chunk = duckdb.DuckDBDataChunk.create(types, rows.length);
    chunk.setColumns([
      rows.map(({ stream }) => stream),
      rows.map(({ number }) => number),
      rows.map(({ place }) => place),
      rows.map(({ pointer }) => pointer),
      rows.map(({ text }) => new duckdb.DuckDBBlobValue(text)),
    ]);
    appender.appendDataChunk(chunk);
    rows = [];
    bytes = 0;
  };
  return {
    flush,
    add(row) {
      rows.push(row);
      bytes += row.text.length;
      if (rows.length >= MAX_CHUNK_ROWS || bytes >= CHUNK_BYTES) flush();
    },
  };
}

/** Creates a sink that adds a row for every value. A value without a number keeps its place behind the value before it. */
function createLoadingSink(validators: readonly Validators[], addRow: (row: EventRow) => void): Sink {
  const readText = createEnvelopeTextReader();
  const locateEvent = createEventLocator(validators);
  let last: Pick<EventRow, "stream" | "number"> = { stream: "", number: 0 };
  const add = (place: Place, text: Uint8Array): void =>
    addRow({
      ...last,
      place: place.input.index * LINES_PER_INPUT + place.line,
      pointer: place.pointer,
      text,
    });
  return {
    discriminators: listDiscriminators(validators),
    acceptValue(value, place) {
      last = locateEvent(value, last);
      // A value of a document can have several lines, and its text must become one line.
      add(place, Buffer.from(readText(place).replace(/[\r\n]/g, " ")));
    },
    reportUnreadable: (_findings, place) => add(place, place.readBytes?.() ?? Buffer.from(place.text())),
  };
}

/** Returns a function that finds the stream and the number of a value, or those of the value before it. */
function createEventLocator(
  all: readonly Validators[],
): (value: Json, last: Pick<EventRow, "stream" | "number">) => Pick<EventRow, "stream" | "number"> {
  const findRow = createRowFinder(all.map((validators) => ({ validators })));
  let assumed: Validators | undefined;
  return (value, last) => {
    const row = findRow(value, undefined);
    const event = row?.result.kind === "mapped" ? row.result.event : value;
    if (!isObject(event)) return last;
    assumed = row?.found.validators ?? findValidators(event, all, assumed);
    const fields = assumed?.protocol.stream;
    if (assumed === undefined || fields === undefined) return last;
    const stream = `${assumed.protocol.id}\n${streamKey(fields, event)}`;
    const number = fields.sequence === undefined ? 0 : getOwn(event, fields.sequence);
    if (typeof number === "number") return { stream, number };
    return { stream, number: stream === last.stream ? last.number : 0 };
  };
}

/** Returns the validators of the protocol that an event belongs to. Most events belong to that of the event before. */
function findValidators(
  event: JsonObject,
  all: readonly Validators[],
  last: Validators | undefined,
): Validators | undefined {
  if (all.length === 1) return all[0];
  if (last?.decodeEvent(event).kind === "known") return last;
  const context = { protocols: all, profile: "reader", assumed: last?.protocol.id } as const;
  const { protocol } = checkEvent(event, context, () => ({ file: "", pointer: "" }));
  return all.find(({ protocol: { id } }) => id === protocol) ?? last;
}

/** Yields the sorted events as JSON Lines, and adds the place of each line before it yields the line. */
async function* readSorted(
  { connection }: Database,
  origins: Pick<OriginTable, "addLines">,
): AsyncGenerator<Uint8Array> {
  const result = await connection.stream(
    "SELECT stream, place, pointer, text FROM events ORDER BY stream, number, rowid",
  );
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    const [streams, places, pointers, texts] = chunk.getColumns() as [
      string[],
      number[],
      string[],
      { readonly bytes: Uint8Array }[],
    ];
    origins.addLines(streams, places, pointers);
    yield Buffer.concat(texts.flatMap(({ bytes }) => [bytes, LINE_END]));
  }
}

const LINE_END = Buffer.from("\n");

/** The places of the sorted lines that may still be reported. */
interface OriginTable {
  /** Adds the next lines, after all lines before them were read. */
  addLines(streams: readonly string[], places: readonly number[], pointers: readonly string[]): void;
  find(line: number): Origin | undefined;
}

/** Creates an empty table. It forgets the lines of every stream that has ended. */
function createOriginTable(inputs: readonly Input[]): OriginTable {
  let origins: { readonly place: number; readonly pointer: string }[] = [];
  let firstLine = 1;
  /** The stream of the last line, and the index of its first line in `origins`. */
  let lastStream: string | undefined;
  let lastStreamStart = 0;
  return {
    addLines(streams, places, pointers) {
      // The last stream ends when the next one begins, and its findings are about lines that were added before.
      if (lastStreamStart > 0) origins = origins.slice(lastStreamStart);
      firstLine += lastStreamStart;
      lastStreamStart = 0;
      for (const [index, stream] of streams.entries()) {
        if (stream !== lastStream) lastStreamStart = origins.length;
        lastStream = stream;
        origins.push({ place: places[index] ?? 0, pointer: pointers[index] ?? "" });
      }
    },
    find(line) {
      const origin = origins[line - firstLine];
      const input = origin && inputs[Math.floor(origin.place / LINES_PER_INPUT)];
      return input && { input, line: origin.place % LINES_PER_INPUT, pointer: origin.pointer };
    },
  };
}
