/** A stream as pieces of bytes, pauses and cuts: what a connection sends, made while it is asked for. */
import { type Entry, indexAfter, type Log } from "./log.js";
import { frameOf, type Shape } from "./shapes.js";

/** One thing to do on a connection. */
export type Piece =
  | Uint8Array
  /** Milliseconds of silence. */
  | { readonly pause: number }
  /** The connection breaks. */
  | "cut";

/** What goes wrong on the way of one stream; pure, so that the same connection fails in the same way again. */
export interface WireFaults {
  /** Where a connection really begins that asked for entry `start` by a cursor. */
  begin(start: number): number;
  /** The pieces that the frame of entry `index` is sent in, on a connection that asked for entry `start`. */
  pieces(frame: Buffer, index: number, start: number): Iterable<Piece>;
}

/** What a stream is made of. */
export interface StreamSource {
  readonly log: Log;
  /** The cursor that the client named. */
  readonly after: number | undefined;
  readonly wanted: (entry: Entry) => boolean;
  readonly shape: Shape;
  readonly faults: WireFaults | undefined;
  readonly batch: number;
  readonly heartbeat: number;
  readonly retry: number;
}

const HEARTBEAT = Buffer.from(": heartbeat\n\n");

/** Whether the stream has ended and holds nothing more for this client. */
export function isOver({ log, after, wanted }: StreamSource): boolean {
  if (!log.finished()) return false;
  for (let index = indexAfter(log, after); index < log.entries.length; index++) {
    const entry = log.entries[index];
    if (entry && wanted(entry)) return false;
  }
  return true;
}

/** Yields the stream until its log is finished or `signal` is aborted; between events it is alive by comments. */
export async function* streamPieces(source: StreamSource, signal: AbortSignal): AsyncGenerator<Piece> {
  const { log, after, faults, heartbeat, retry } = source;
  yield Buffer.from(`retry: ${retry}\n\n`);
  const start = indexAfter(log, after);
  let index = after === undefined || !faults ? start : faults.begin(start);
  while (!signal.aborted) {
    while (index < log.entries.length && !signal.aborted)
      if (faults) yield* faultyPieces(source, faults, index++, start);
      else {
        const batch = gather(source, index);
        index = batch.end;
        if (batch.bytes.length > 0) yield batch.bytes;
      }
    if (signal.aborted || (log.finished() && index >= log.entries.length)) return;
    if (!(await log.changed(heartbeat, signal)) && !signal.aborted) yield HEARTBEAT;
  }
}

function* faultyPieces(
  { log, wanted, shape }: StreamSource,
  faults: WireFaults,
  index: number,
  start: number,
): Generator<Piece> {
  const entry = log.entries[index];
  if (entry && wanted(entry)) yield* faults.pieces(frameOf(shape, entry), index, start);
}

/** As many frames from `index` on as fit a batch, one at least, as one piece. */
function gather(
  { log, wanted, shape, batch }: StreamSource,
  index: number,
): { readonly bytes: Buffer; readonly end: number } {
  const frames: Buffer[] = [];
  let [end, length] = [index, 0];
  while (end < log.entries.length && length < batch) {
    const entry = log.entries[end++];
    if (!entry || !wanted(entry)) continue;
    const frame = frameOf(shape, entry);
    frames.push(frame);
    length += frame.length;
  }
  return { bytes: frames.length === 1 ? (frames[0] ?? Buffer.alloc(0)) : Buffer.concat(frames), end };
}
