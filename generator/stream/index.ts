/**
 * `accrete-client/stream`: the code that a consumer of an event feed needs in addition to the generated module of its
 * protocol. It has no dependency and runs in browsers, workers and Node.
 */
export type { Contract, KnownEventOf, StreamFields, UnknownEventOf } from "./contract.js";
export type { AcceptedEvent, Delivery, FirstArrival, Gap, LateArrival, StreamPosition } from "./delivery.js";
export {
  type ConnectionState,
  type FollowItem,
  type FollowOptions,
  follow,
  type Interruption,
} from "./follow.js";
export { createReader, type Reader, type ReaderOptions, type ReadOptions } from "./reader.js";
export { createSseParser, type SseFrame, type SseOptions, type SseParser } from "./sse-parser.js";
export { streamKey } from "./stream-key.js";
export type { TrackLimits } from "./tracker.js";
export { type Unwrapped, unwrap } from "./unwrap.js";
