import { createLineReader } from "../ingest/line-reader.js";
import { type Input, READ_LIMITS, type Sink } from "../ingest/place.js";
import { createFullShare } from "../ingest/stream-share.js";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** Checks a message of a broker, which is one JSON text. Its place is the line with the number of the message. */
export function checkMessage(input: Input, sink: Sink, value: Uint8Array, line: number): void {
  const bytes = Buffer.alloc(value.length + 1, LF);
  bytes.set(value);
  // A text of several lines would be several events.
  for (let index = 0; index < value.length; index++)
    if (bytes[index] === LF || bytes[index] === CR) bytes[index] = SPACE;
  createLineReader(input, sink, READ_LIMITS, createFullShare(), 0, line).push(bytes);
}
