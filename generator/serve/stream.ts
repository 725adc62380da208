/** Yields live streams as bytes and pauses, each piece only when the connection can take it. */
import type { Answer, Piece } from "./answer.js";
import type { FrameMaker } from "./frames.js";
import type { Limits } from "./limits.js";
import { type Delivery, findIndexAfter, type Log } from "./log.js";
import type { WireFaults } from "./wire-faults.js";

/** A request for a live stream. */
export interface StreamRequest {
  readonly log: Log;
  /** The cursor of the client. */
  readonly after: number | undefined;
  readonly isWanted: (delivery: Delivery) => boolean;
  readonly makeFrame: FrameMaker;
  readonly faults: WireFaults | undefined;
  readonly limits: Limits;
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  vary: "accept",
};

/** Returns the answer to a request for a live stream. */
export function createStreamAnswer(request: StreamRequest): Answer {
  return {
    status: 200,
    headers: HEADERS,
    canCompress: false,
    pieces: (signal) => createPieces(request, signal),
  };
}

/** Returns whether the stream has ended and has no more events for this client. */
export function hasEnded({ log, after, isWanted }: StreamRequest): boolean {
  if (!log.isFinished()) return false;
  return !log.deliveries.slice(findIndexAfter(log, after)).some(isWanted);
}

const HEARTBEAT = Buffer.from(": heartbeat\n\n");

/** Yields a stream until its log is finished or `signal` is aborted, with a comment whenever no event comes for a while. */
async function* createPieces(request: StreamRequest, signal: AbortSignal): AsyncGenerator<Piece> {
  const { log, after, faults, limits } = request;
  yield Buffer.from(`retry: ${limits.retry}\n\n`);
  const start = findIndexAfter(log, after);
  let index = after === undefined || !faults ? start : faults.findFirstIndex(start);
  while (!signal.aborted) {
    while (index < log.deliveries.length && !signal.aborted)
      if (faults) yield* applyWireFaults(request, faults, index++, start);
      else {
        const batch = joinFrames(request, index);
        index = batch.end;
        if (batch.bytes.length > 0) yield batch.bytes;
      }
    if (signal.aborted || (log.isFinished() && index >= log.deliveries.length)) return;
    if (!(await log.waitForChange(limits.heartbeat, signal)) && !signal.aborted) yield HEARTBEAT;
  }
}

/** Yields the pieces that send one delivery with faults; none if the client does not want it. */
function* applyWireFaults(
  { log, isWanted, makeFrame }: StreamRequest,
  faults: WireFaults,
  index: number,
  start: number,
): Generator<Piece> {
  const delivery = log.deliveries[index];
  if (delivery && isWanted(delivery)) yield* faults.createPieces(makeFrame(delivery, index), index, start);
}

/** Joins at least one frame from `index` on, up to the size of a batch. */
function joinFrames(
  { log, isWanted, makeFrame, limits }: StreamRequest,
  index: number,
): { readonly bytes: Buffer; readonly end: number } {
  const frames: Buffer[] = [];
  let [end, length] = [index, 0];
  while (end < log.deliveries.length && length < limits.batch) {
    const position = end++;
    const delivery = log.deliveries[position];
    if (!delivery || !isWanted(delivery)) continue;
    const frame = makeFrame(delivery, position);
    frames.push(frame);
    length += frame.length;
  }
  return { bytes: Buffer.concat(frames), end };
}
