import type { StreamState } from "./stream-rule.js";

/** What a refused value may have said about a stream. */
export interface Refusal {
  /** True if an event may be missing without a gap in the numbers. */
  readonly isGap: boolean;
  /** The index of the value if it may be an event whose number is missing. */
  readonly index: number | undefined;
}

/** What a stream knows of refused values. */
export interface RefusalState {
  /** The number of refused values before the last event of this stream. */
  refusals: number;
  /** What the refused values of this stream after its last event may have said. */
  refusal: Refusal | undefined;
}

/** A stream, and what it knows of refused values. */
type RefusableStream = RefusalState & Pick<StreamState, "key" | "events">;

/** The refused values of all streams. */
interface Refusals {
  /** The number of refused values so far. */
  readonly count: number;
  /** Adds a value of a stream that has had events, or else of the stream with this key, or of an unknown one without a key. */
  add(refusal: Refusal, stream: RefusableStream | undefined, key: string | undefined): void;
  /** Returns what was refused since the last call for the stream. */
  take(stream: RefusableStream): Refusal;
}

/** Creates an empty collection. */
export function createRefusals(): Refusals {
  let count = 0;
  /** The values of `count` after the last gap in all streams, and after the last value without a stream. */
  let lastGap = 0;
  let lastUnplaced = 0;
  let unplaced: { readonly index: number | undefined; readonly key: string | undefined } | undefined;
  return {
    get count() {
      return count;
    },
    add(refusal, stream, key) {
      count++;
      if (stream) {
        const { isGap = false, index } = stream.refusal ?? {};
        stream.refusal = { isGap: refusal.isGap || isGap, index: refusal.index ?? index };
        return;
      }
      if (refusal.isGap && key === undefined) lastGap = count;
      lastUnplaced = count;
      unplaced = { index: refusal.index, key };
    },
    take(stream) {
      const { refusal, refusals: seen, key, events } = stream;
      stream.refusals = count;
      stream.refusal = undefined;
      const isNew = events === 0 || seen < lastUnplaced;
      const mayBeHere = isNew && (unplaced?.key === undefined || unplaced.key === key);
      return {
        isGap: refusal?.isGap === true || seen < lastGap,
        index: refusal?.index ?? (mayBeHere ? unplaced?.index : undefined),
      };
    },
  };
}
