/**
 * `accrete/stream`: what a consumer of an event feed needs besides the generated module of its protocol. No dependency;
 * runs in browsers, workers and Node alike.
 */
export type { Delivery, First, Gap, Late, Placed } from "./delivery.js";
export { createReader, type Reader, type ReaderOptions } from "./reader.js";
export { type SseFrame, type SseOptions, type SseParser, sseParser } from "./sse-parser.js";
export { streamKey } from "./stream-key.js";
export type { StreamContract, StreamProtocol } from "./stream-protocol.js";
export type { TrackLimits } from "./tracker.js";
export { type Unwrapped, unwrap } from "./unwrap.js";
