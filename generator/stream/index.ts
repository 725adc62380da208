/**
 * `accrete/stream`: the code that a consumer of an event feed needs in addition to the generated module of its protocol. It
 * has no dependency and runs in browsers, workers and Node.
 */
export type { Delivery, FirstArrival, Gap, LateArrival, StreamPosition } from "./delivery.js";
export { createReader, type Reader, type ReaderOptions } from "./reader.js";
export { createSseParser, type SseFrame, type SseOptions, type SseParser } from "./sse-parser.js";
export { streamKey } from "./stream-key.js";
export type { StreamContract, StreamProtocol } from "./stream-protocol.js";
export type { TrackLimits } from "./tracker.js";
export { type Unwrapped, unwrap } from "./unwrap.js";
