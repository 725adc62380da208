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

/** An event with a new id whose number is not above the cursor. It may fill a gap. Show it like a new one. */
export interface LateArrival extends StreamPosition {
  readonly sequence: number;
  /** The highest number so far. */
  readonly cursor: number;
  /** True if its number is so old that its id may have been forgotten, so it may be a redelivery. */
  readonly forgotten: boolean;
}

/** The position of an accepted event among the earlier events of its stream. */
export type Placement =
  | ({ readonly kind: "new" } & FirstArrival)
  | ({ readonly kind: "duplicate" } & StreamPosition)
  | ({ readonly kind: "conflict" } & StreamPosition)
  | ({ readonly kind: "late" } & LateArrival);

/** An accepted event. `known` distinguishes events of declared types from those that a newer writer sends. */
export type AcceptedEvent<Event, Unknown> =
  | { readonly known: true; readonly event: Event }
  | { readonly known: false; readonly event: Unknown };

/**
 * The classification of one value by a reader. Show events of the kinds `new` and `late`, and ignore the kind
 * `duplicate`. The event of a `conflict` has the id of an earlier event and other content: one of the two is wrong. An
 * `invalid` value is not an event of this protocol and leaves the reader unchanged.
 */
export type Delivery<Event, Unknown> =
  | (AcceptedEvent<Event, Unknown> & Placement)
  | { readonly kind: "invalid"; readonly value: unknown; readonly issues: readonly Issue[] };
