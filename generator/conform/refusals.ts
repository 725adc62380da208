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

/** What all streams know of refused values. */
export interface RefusalCounts {
  /** The number of refused values so far. */
  count: number;
  /** The values of `count` after the last gap in all streams, and after the last value without a stream. */
  lastGap: number;
  lastUnplaced: number;
  /** The last value without a stream. */
  unplaced?: { readonly index?: number | undefined; readonly key?: string | undefined } | undefined;
}

/** The refused values of all streams. */
interface Refusals {
  /** The number of refused values so far. */
  readonly count: number;
  /** Adds a value of a stream that has had events, or else of the stream with this key, or of an unknown one without a key. */
  add(refusal: Refusal, stream: RefusableStream | undefined, key: string | undefined): void;
  /** Returns what was refused since the last call for the stream. */
  take(stream: RefusableStream): Refusal;
}

/** Returns the counts before any value was refused. */
export function createRefusalCounts(): RefusalCounts {
  return { count: 0, lastGap: 0, lastUnplaced: 0 };
}

/** Creates a collection that keeps its counts in `counts`. */
export function createRefusals(counts: RefusalCounts): Refusals {
  return {
    get count() {
      return counts.count;
    },
    add(refusal, stream, key) {
      counts.count++;
      if (stream) {
        const { isGap = false, index } = stream.refusal ?? {};
        stream.refusal = { isGap: refusal.isGap || isGap, index: refusal.index ?? index };
        return;
      }
      if (refusal.isGap && key === undefined) counts.lastGap = counts.count;
      counts.lastUnplaced = counts.count;
      counts.unplaced = { index: refusal.index, key };
    },
    take(stream) {
      const { refusal, refusals: seen, key, events } = stream;
      const { lastGap, lastUnplaced, unplaced } = counts;
      stream.refusals = counts.count;
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
