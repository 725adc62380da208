/** Copies the events of an archive into a table, with the protocol and the place of each. */
import { createProtocolFinder } from "../conform/find-protocol.js";
import { UsageError } from "../failure.js";
import { createEventReader } from "../ingest/event-reader.js";
import { createEnvelopeTextReader, type Input, type Sink } from "../ingest/place.js";
import { describeReadError, readInput, readNothing } from "../ingest/read-input.js";
import { createFullShare } from "../ingest/stream-share.js";
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { createRowFinder } from "../rows/find-row.js";
import { readPosition } from "../stream/stream-key.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";
import { type Database, describeDatabaseError } from "./database.js";

/** The table that `loadEvents` creates. */
export const ARCHIVE_TABLE = "main.archive";

/** The events of an archive. */
interface LoadedEvents {
  /** The ids of the protocols that have events. */
  readonly protocols: ReadonlySet<string>;
  readonly events: number;
  /** The number of values that are not events of a protocol. The table does not have them. */
  readonly others: number;
  /** A message for each input that could not be read to its end. */
  readonly unreadable: readonly string[];
}

/** Creates the table of the archive, with a row for each event. */
export async function loadEvents(
  database: Database,
  inputs: readonly Input[],
  validators: readonly Validators[],
): Promise<LoadedEvents> {
  const table = await createTable(database);
  const protocols = new Set<string>();
  const counts = { events: 0, others: 0 };
  const readText = createEnvelopeTextReader();
  const findEvent = createEventFinder(validators);
  const sink: Sink = {
    discriminators: listDiscriminators(validators),
    acceptValue(value, place) {
      const locatedEvent = findEvent(value);
      if (locatedEvent === undefined) {
        counts.others++;
        return;
      }
      const { protocol, event, isRow } = locatedEvent;
      counts.events++;
      protocols.add(protocol);
      const text = isRow ? JSON.stringify(event) : readText(place);
      table.add({ protocol, event: text, file: place.input.name, position: place.line });
    },
    reportUnreadable: () => {
      counts.others++;
    },
  };
  const unreadable = await readInputs(inputs, sink);
  table.close();
  return { protocols, ...counts, unreadable };
}

/** Reads inputs to their ends. Returns a message for each one that fails. */
async function readInputs(inputs: readonly Input[], sink: Sink): Promise<readonly string[]> {
  const unreadable: string[] = [];
  for (const input of inputs) {
    try {
      const reader = createEventReader(input, sink, createFullShare());
      await readInput(input, input.open?.() ?? readNothing(), reader, () => {});
    } catch (error) {
      const reason = describeReadError(error);
      if (reason === undefined) throw error;
      unreadable.push(`cannot read ${input.name}: ${reason}`);
    }
  }
  return unreadable;
}

/** An event and its protocol. */
interface LocatedEvent {
  readonly protocol: string;
  readonly event: JsonObject;
  /** True if the event is part of a row, so that its text is not the text of the value. */
  readonly isRow: boolean;
}

/** Returns a function that finds the event of a value. Most events are of the same protocol as the one before. */
function createEventFinder(allValidators: readonly Validators[]): (value: Json) => LocatedEvent | undefined {
  const findRow = createRowFinder(allValidators.map((validators) => ({ validators })));
  const findProtocol = createProtocolFinder(allValidators);
  let last: Validators | undefined;
  return (value) => {
    const row = findRow(value, undefined);
    if (row !== undefined) {
      const { found, result } = row;
      if (result.kind !== "mapped") return undefined;
      return { protocol: found.validators.protocol.id, event: result.event, isRow: true };
    }
    if (!isObject(value)) return undefined;
    last = findProtocol(value, last) ?? last;
    if (last === undefined) return undefined;
    const { envelope, stream } = last.protocol;
    const hasType = typeof getOwn(value, envelope.discriminator) === "string";
    if (!hasType && readPosition(stream, value).stream === undefined) return undefined;
    return { protocol: last.protocol.id, event: value, isRow: false };
  };
}

/** A row of the table. */
interface ArchiveRow {
  readonly protocol: string;
  readonly event: string;
  readonly file: string;
  readonly position: number;
}

/** The most rows of a chunk of DuckDB, and the characters after which a chunk is passed on. */
const MAX_CHUNK_ROWS = 2048;
const CHUNK_LENGTH = 2 ** 22;

/** Creates the empty table. Rows are passed to DuckDB in chunks, because single rows take several times as long. */
async function createTable({
  connection,
  duckdb,
}: Database): Promise<{ add(row: ArchiveRow): void; close(): void }> {
  await connection.run(
    `CREATE TABLE ${ARCHIVE_TABLE}(protocol VARCHAR, event VARCHAR, file VARCHAR, position BIGINT)`,
  );
  const appender = await connection.createAppender("archive", "main");
  const types = [duckdb.VARCHAR, duckdb.VARCHAR, duckdb.VARCHAR, duckdb.BIGINT];
  let rows: ArchiveRow[] = [];
  let length = 0;
  const flush = (): void => {
    if (rows.length === 0) return;
    const chunk = duckdb.DuckDBDataChunk.create(types, rows.length);
    chunk.setColumns([
      rows.map(({ protocol }) => protocol),
      rows.map(({ event }) => event),
      rows.map(({ file }) => file),
      rows.map(({ position }) => BigInt(position)),
    ]);
    tryAppend(() => appender.appendDataChunk(chunk));
    rows = [];
    length = 0;
  };
  return {
    add(row) {
      rows.push(row);
      length += row.event.length;
      if (rows.length >= MAX_CHUNK_ROWS || length >= CHUNK_LENGTH) flush();
    },
    close() {
      flush();
      tryAppend(() => appender.closeSync());
    },
  };
}

/** Throws a usage error if the table has no more space. */
function tryAppend(append: () => void): void {
  try {
    append();
  } catch (error) {
    throw new UsageError(`The events could not be loaded for the query: ${describeDatabaseError(error)}.`);
  }
}
