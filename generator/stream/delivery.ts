import type { Issue } from "../runtime/runtime.js";

/** Numbers that were skipped: those between `after` and `before`, neither of which is missing. */
export interface Gap {
  /** The highest number before the gap; absent where the stream itself starts above its first number. */
  readonly after?: number;
  readonly before: number;
}

/** Where an event stands in its stream. */
export interface Placed {
  /** The stream's key, as `streamKey` makes it. */
  readonly stream: string;
  /** Absent where the protocol does not number events, or this event has no number. */
  readonly sequence?: number | undefined;
}

/** Seen for the first time, above everything that the stream had. */
export interface First extends Placed {
  readonly gap?: Gap | undefined;
  /** Streams that were evicted to make room for this one, because the limit `streams` is reached. */
  readonly evicted?: readonly string[] | undefined;
}

/** A new id whose sequence is not above the cursor. It may fill a gap. */
export interface Late extends Placed {
  readonly sequence: number;
  /** The highest sequence before it. */
  readonly cursor: number;
  /** Its number is so far back that its id would have been forgotten; it may be a redelivery. */
  readonly forgotten: boolean;
}

/** How an event that was accepted relates to what its stream had before. */
export type Placement =
  | ({ readonly kind: "first" } & First)
  | ({ readonly kind: "duplicate" } & Placed)
  | ({ readonly kind: "conflict" } & Placed)
  | ({ readonly kind: "late" } & Late);

/** The classification of one value by a reader. */
export type Delivery<Event, Unknown> =
  /** A known event, for the first time. */
  | ({ readonly kind: "event"; readonly event: Event } & First)
  /** An event of a type that the protocol does not declare, for the first time. Never an error. */
  | ({ readonly kind: "unknown"; readonly event: Unknown } & First)
  /** The same id with the same content again: drop it. */
  | ({ readonly kind: "duplicate"; readonly event: Event | Unknown } & Placed)
  /** The same id with other content: one of the two is wrong. */
  | ({ readonly kind: "conflict"; readonly event: Event | Unknown } & Placed)
  /** New, but not above what its stream had. */
  | ({ readonly kind: "late"; readonly event: Event | Unknown } & Late)
  /** Not an event of this protocol. The reader is unchanged. */
  | { readonly kind: "invalid"; readonly value: unknown; readonly issues: readonly Issue[] };
