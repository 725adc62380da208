import type { Issue } from "../runtime/runtime.js";

/** Skipped numbers: those between `after` and `before`, which are not missing themselves. */
export interface Gap {
  /** The highest number before the gap; absent if the stream starts above its first number. */
  readonly after?: number;
  readonly before: number;
}

/** The position of an event in its stream. */
export interface StreamPosition {
  /** The key of the stream, as `streamKey` returns it. */
  readonly stream: string;
  /** Absent if the protocol does not number events, or this event has no number. */
  readonly sequence?: number | undefined;
}

/** An event that arrives for the first time, with a number above all earlier ones of its stream. */
export interface FirstArrival extends StreamPosition {
  readonly gap?: Gap | undefined;
  /** Streams that were forgotten in favour of this one, because the limit `streams` is reached. */
  readonly evicted?: readonly string[] | undefined;
}

/** An event with a new id whose number is not above the cursor. It may fill a gap. */
export interface LateArrival extends StreamPosition {
  readonly sequence: number;
  /** The highest number so far. */
  readonly cursor: number;
  /** Whether its number is so old that its id may have been forgotten, so it may be a redelivery. */
  readonly forgotten: boolean;
}

/** How an accepted event relates to the earlier events of its stream. */
export type Placement =
  | ({ readonly kind: "first" } & FirstArrival)
  | ({ readonly kind: "duplicate" } & StreamPosition)
  | ({ readonly kind: "conflict" } & StreamPosition)
  | ({ readonly kind: "late" } & LateArrival);

/** The classification of one value by a reader. */
export type Delivery<Event, Unknown> =
  /** A known event that arrives for the first time. */
  | ({ readonly kind: "event"; readonly event: Event } & FirstArrival)
  /** An event of an undeclared type that arrives for the first time. Never an error. */
  | ({ readonly kind: "unknown"; readonly event: Unknown } & FirstArrival)
  /** A redelivery: the same id with the same content. Ignore it. */
  | ({ readonly kind: "duplicate"; readonly event: Event | Unknown } & StreamPosition)
  /** The id of an earlier event with other content: one of the two is wrong. */
  | ({ readonly kind: "conflict"; readonly event: Event | Unknown } & StreamPosition)
  /** A new event whose number is not above all earlier ones of its stream. */
  | ({ readonly kind: "late"; readonly event: Event | Unknown } & LateArrival)
  /** Not an event of this protocol. The reader is unchanged. */
  | { readonly kind: "invalid"; readonly value: unknown; readonly issues: readonly Issue[] };
