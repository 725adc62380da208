/** Yields live streams as bytes and pauses, each piece only when the connection can take it. */
import { type Delivery, indexAfter, type Log } from "./log.js";
import { frameOf, type WireFormat } from "./wire-formats.js";

/** One thing that the server does on a connection: it sends bytes, waits, or breaks the connection. */
export type Piece =
  | Uint8Array
  /** Waits for some milliseconds. */
  | { readonly pause: number }
  /** Breaks the connection. */
  | "cut";

/** The wire faults of one stream. They have no state, so that the same connection fails in the same way again. */
export interface WireFaults {
  /** Returns the index of the first entry that is sent on a connection whose cursor points to entry `start`. */
  firstIndex(start: number): number;
  /** Returns the pieces that send the frame of entry `index` on a connection whose cursor points to entry `start`. */
  pieces(frame: Buffer, index: number, start: number): Iterable<Piece>;
}

/** A request for a live stream. */
export interface StreamSource {
  readonly log: Log;
  /** The cursor of the client. */
  readonly after: number | undefined;
  readonly isWanted: (entry: Delivery) => boolean;
  readonly format: WireFormat;
  readonly faults: WireFaults | undefined;
  /** Bytes that are sent at once, at least. */
  readonly batch: number;
  /** Milliseconds without an event after which a comment is sent. */
  readonly heartbeat: number;
  /** Milliseconds after which the client is told to reconnect. */
  readonly retry: number;
}

const HEARTBEAT = Buffer.from(": heartbeat\n\n");

/** Whether the stream has ended and has no more events for this client. */
export function hasEnded({ log, after, isWanted }: StreamSource): boolean {
  if (!log.isFinished()) return false;
  return !log.entries.slice(indexAfter(log, after)).some(isWanted);
}

/** Yields a stream until its log is finished or `signal` is aborted, with a comment whenever no event comes for a while. */
export async function* streamPieces(source: StreamSource, signal: AbortSignal): AsyncGenerator<Piece> {
  const { log, after, faults, heartbeat, retry } = source;
  yield Buffer.from(`retry: ${retry}\n\n`);
  const start = indexAfter(log, after);
  let index = after === undefined || !faults ? start : faults.firstIndex(start);
  while (!signal.aborted) {
    while (index < log.entries.length && !signal.aborted)
      if (faults) yield* applyWireFaults(source, faults, index++, start);
      else {
        const batch = joinFrames(source, index);
        index = batch.end;
        if (batch.bytes.length > 0) yield batch.bytes;
      }
    if (signal.aborted || (log.isFinished() && index >= log.entries.length)) return;
    if (!(await log.waitForChange(heartbeat, signal)) && !signal.aborted) yield HEARTBEAT;
  }
}

/** Yields the pieces that send one entry with faults; none if the client does not want the entry. */
function* applyWireFaults(
  { log, isWanted, format }: StreamSource,
  faults: WireFaults,
  index: number,
  start: number,
): Generator<Piece> {
  const entry = log.entries[index];
  if (entry && isWanted(entry)) yield* faults.pieces(frameOf(format, entry), index, start);
}

/** Joins at least one frame from `index` on, up to the size of a batch. */
function joinFrames(
  { log, isWanted, format, batch }: StreamSource,
  index: number,
): { readonly bytes: Buffer; readonly end: number } {
  const frames: Buffer[] = [];
  let [end, length] = [index, 0];
  while (end < log.entries.length && length < batch) {
    const entry = log.entries[end++];
    if (!entry || !isWanted(entry)) continue;
    const frame = frameOf(format, entry);
    frames.push(frame);
    length += frame.length;
  }
  return { bytes: Buffer.concat(frames), end };
}
