import type { Issue } from "../runtime/runtime.js";
import type { AnyContract, KnownEventOf, UnknownEventOf } from "./contract.js";
import type { Delivery, Gap } from "./delivery.js";
import { createTracker, type TrackLimits } from "./tracker.js";

/** The options of a reader. */
export interface ReaderOptions extends TrackLimits {
  /** The numbers after which streams continue after a restart, as `cursor` returned them before. */
  readonly cursors?: Iterable<readonly [stream: string, sequence: number]>;
}

/** Facts about a value that the value does not contain. */
export interface ReadOptions {
  /**
   * The id under which the event was sent, such as the `ownId` of its SSE frame. It identifies the event if the protocol
   * has no field for ids.
   */
  readonly id?: string | undefined;
  /** Stands for the content of the event when redeliveries are compared. Pass one for all values or for none. */
  readonly digest?: string | number | undefined;
}

/** Classifies the values of a feed in the order of arrival. */
export interface Reader<Event, Unknown> {
  /**
   * Classifies a JSON value, without changing it. Never throws. Without digests the reader keeps the last events, and
   * these must not be changed.
   */
  read(value: unknown, options?: ReadOptions): Delivery<Event, Unknown>;
  /** Returns the highest number of a stream so far, after which to resume. */
  cursor(stream: string): number | undefined;
  /** Returns the keys of the remembered streams. */
  streams(): readonly string[];
  /** Returns the gaps of a stream, ascending: numbers that were skipped and did not arrive late. */
  gaps(stream: string): readonly Gap[];
  /** Forgets a stream that has ended. */
  forget(stream: string): void;
}

/** Creates a reader for the events of a contract. */
export function createReader<C extends AnyContract>(
  contract: C,
  { cursors = [], ...limits }: ReaderOptions = {},
): Reader<KnownEventOf<C>, UnknownEventOf<C>> {
  const { stream: fields } = contract;
  const { place, cursor, streams, gaps, forget } = createTracker(fields, limits, cursors);
  const read = (
    value: unknown,
    { id, digest }: ReadOptions = {},
  ): Delivery<KnownEventOf<C>, UnknownEventOf<C>> => {
    const decoded = contract.decodeEvent(value);
    if (decoded.kind === "invalid") return { kind: "invalid", value, issues: decoded.issues };
    const unsafe = findUnsafeSequence(fields?.sequence, value);
    if (unsafe !== undefined) return { kind: "invalid", value, issues: [unsafe] };
    const { event } = decoded;
    const known = decoded.kind === "known";
    return { ...place(event as object, digest, id || undefined), known, event };
  };
  return { read, cursor, streams, gaps, forget };
}

/** Returns an issue if JSON.parse may have rounded the number of an event: numbers beyond 2^53 - 1 cannot order events. */
function findUnsafeSequence(field: string | undefined, value: unknown): Issue | undefined {
  if (field === undefined) return undefined;
  const sequence = (value as { readonly [name: string]: unknown } | null)?.[field];
  if (typeof sequence !== "number" || Number.isSafeInteger(sequence)) return undefined;
  const pointer = `/${field.replace(/~/g, "~0").replace(/\//g, "~1")}`;
  const message = "must be a whole number that JavaScript can represent exactly";
  return { pointer, keyword: "safe", message, path: [field] };
}
