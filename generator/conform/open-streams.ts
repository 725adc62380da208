import type { Stream as Contract } from "../protocol/protocol.js";
import { createRefusals, type Refusal, type RefusalCounts, type RefusalState } from "./refusals.js";
import type { StreamState } from "./stream-rule.js";

/** An open stream, or one that has ended and is remembered because more events may arrive for it. */
export interface Stream extends StreamState, RefusalState {
  /** True if the stream was reported as too large. */
  isLimitReported: boolean;
  /** True if the stream had ended at the last call of `evictEnded`. */
  isEvictable: boolean;
  /** By the index of an event before which numbers are missing: a refused value that may be one of them. */
  suspects?: Map<number, number> | undefined;
}

/** The streams that are remembered. */
export interface OpenStreams {
  /** Returns the stream of a key, and creates it if it is unknown. `sequence` is the number of the event. */
  find(key: string, sequence: number | undefined): Stream;
  /** Marks a stream as ended. It is forgotten once `finished` other streams have ended after it. */
  finish(stream: Stream): void;
  /** Marks an ended stream as open again. */
  reopen(stream: Stream): void;
  /**
   * Forgets streams. Those that had not ended are not closed, because the rest of them may come. Returns how many of them had
   * not ended.
   */
  evict(keys: readonly string[]): number;
  /** Ends and forgets a stream. */
  end(key: string): void;
  /** Remembers a refused value: for a stream, or for all streams without a key. */
  refuse(refusal: Refusal, key?: string): void;
  /** Returns whether a value was refused since the last call for the stream. */
  hasRefusal(stream: Stream): boolean;
  /** Returns what was refused since the last call for the stream. */
  takeRefusal(stream: Stream): Refusal;
  /** Forgets the streams that had ended before the previous call. Returns their keys. */
  evictEnded(): readonly string[];
  clear(): void;
  list(): readonly Stream[];
}

/** Returns a stream without events. */
export function createStream(): Stream {
  const flags = { hasEnded: false, isLimitReported: false, isEvictable: false };
  return {
    key: "",
    epoch: 0,
    completeEpoch: 0,
    index: 0,
    events: 0,
    slots: [],
    refusals: 0,
    refusal: undefined,
    ...flags,
  };
}

/**
 * Creates a collection. `slots` is the number of slots of each stream, `finished` the greatest number of remembered
 * streams that have ended. `close` is called once for each stream that ends, before it is forgotten. `initial` has the streams that are
 * remembered at first; the collection keeps its refusals up to date.
 */
export function createOpenStreams(
  { sequence: field, first }: Partial<Contract>,
  { slots, finished: maxFinished }: { readonly slots: number; readonly finished: number },
  close: (stream: Stream) => void,
  initial: { readonly streams: readonly Stream[]; readonly refusals: RefusalCounts },
): OpenStreams {
  const live = new Map<string, Stream>();
  const finished = new Map<string, Stream>();
  for (const stream of initial.streams) (stream.hasEnded ? finished : live).set(stream.key, stream);
  let last: Stream | undefined;
  const refusals = createRefusals(initial.refusals);

  const lookUp = (key: string): Stream | undefined => live.get(key) ?? finished.get(key);
  const begin = (key: string, sequence: number | undefined): Stream => {
    const isFirst = field !== undefined && first !== undefined && sequence === first;
    const empty = new Array<unknown>(slots).fill(undefined);
    const stream = { ...createStream(), key, epoch: isFirst ? 0 : 1, slots: empty, refusals: refusals.count };
    live.set(key, stream);
    return stream;
  };
  const drop = (stream: Stream): void => {
    live.delete(stream.key);
    finished.delete(stream.key);
    if (last === stream) last = undefined;
  };
  const forget = (stream: Stream): void => {
    close(stream);
    drop(stream);
  };
  return {
    find(key, sequence) {
      if (last?.key !== key) last = lookUp(key) ?? begin(key, sequence);
      return last;
    },
    finish(stream) {
      stream.hasEnded = true;
      if (live.delete(stream.key)) finished.set(stream.key, stream);
      if (finished.size <= maxFinished) return;
      const [oldest] = finished.values();
      if (oldest) forget(oldest);
    },
    reopen(stream) {
      stream.hasEnded = false;
      stream.isEvictable = false;
      if (finished.delete(stream.key)) live.set(stream.key, stream);
    },
    evict(keys) {
      const openCount = live.size;
      for (const stream of keys.map(lookUp)) if (stream) (stream.hasEnded ? forget : drop)(stream);
      return openCount - live.size;
    },
    end(key) {
      const stream = lookUp(key);
      if (stream) forget(stream);
    },
    refuse: (refusal, key) => refusals.add(refusal, key === undefined ? undefined : lookUp(key), key),
    hasRefusal: (stream) => stream.refusals !== refusals.count,
    takeRefusal: refusals.take,
    evictEnded() {
      const old = [...finished.values()].filter(({ isEvictable }) => isEvictable);
      for (const stream of old) forget(stream);
      for (const stream of finished.values()) stream.isEvictable = true;
      return old.map(({ key }) => key);
    },
    clear() {
      for (const stream of [...finished.values(), ...live.values()]) forget(stream);
    },
    list: () => [...finished.values(), ...live.values()],
  };
}
