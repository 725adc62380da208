import type { Stream as Contract } from "../protocol/protocol.js";
import type { StreamState } from "./stream-rule.js";

/** An open stream, or one that has ended and is kept in case something still comes for it. */
export interface Stream extends StreamState {
  /** How much of the input had been lost when its last event came. */
  losses: number;
  /** Whether its terminal event was there, and it has not begun anew. */
  ended: boolean;
  /** Whether it was reported as too large. */
  limited: boolean;
  /** Whether it had ended when the checker aged. */
  aged: boolean;
}

/** The streams that are remembered. */
export interface OpenStreams {
  /** The stream of that key; one that begins with this event if it is not known. */
  find(key: string, sequence: number | undefined): Stream;
  /** Lets a stream be forgotten once `finished` others have ended after it. */
  finish(stream: Stream): void;
  reopen(stream: Stream): void;
  /** Forgets streams, and returns how many of them had not ended. */
  evict(keys: readonly string[]): number;
  /** Something of that stream was lost, or of any if no key is given. */
  markGap(key?: string): void;
  /** Whether something of the stream was lost since this was asked last. */
  hasGapSinceLastEvent(stream: Stream): boolean;
  /** Forgets the streams that had ended when this was called before, and returns their keys. */
  age(): readonly string[];
  clear(): void;
  /** Every stream that is remembered. */
  all(): readonly Stream[];
}

/** A stream that nothing is known of. */
export function blankStream(): Stream {
  const flags = { ended: false, limited: false, aged: false };
  return { key: "", epoch: 0, known: 0, mark: 0, events: 0, slots: [], losses: 0, ...flags };
}

/** No streams yet. `close` is called for each stream before it is forgotten, once. */
export function openStreams(
  { sequence: field, first }: Partial<Contract>,
  { slots, finished: most }: { readonly slots: number; readonly finished: number },
  close: (stream: Stream) => void,
): OpenStreams {
  const live = new Map<string, Stream>();
  const finished = new Map<string, Stream>();
  let last: Stream | undefined;
  let losses = 0;

  const begin = (key: string, sequence: number | undefined): Stream => {
    const whole = field !== undefined && first !== undefined && sequence === first;
    const empty = new Array<unknown>(slots).fill(undefined);
    const stream = { ...blankStream(), key, epoch: whole ? 0 : 1, slots: empty, losses };
    live.set(key, stream);
    return stream;
  };
  const drop = (stream: Stream): void => {
    close(stream);
    live.delete(stream.key);
    finished.delete(stream.key);
    if (last === stream) last = undefined;
  };
  return {
    find(key, sequence) {
      if (last?.key !== key) last = live.get(key) ?? finished.get(key) ?? begin(key, sequence);
      return last;
    },
    finish(stream) {
      stream.ended = true;
      if (live.delete(stream.key)) finished.set(stream.key, stream);
      if (finished.size <= most) return;
      const [oldest] = finished.values();
      if (oldest) drop(oldest);
    },
    reopen(stream) {
      stream.ended = false;
      stream.aged = false;
      if (finished.delete(stream.key)) live.set(stream.key, stream);
    },
    evict(keys) {
      const before = live.size;
      for (const key of keys) {
        const stream = live.get(key) ?? finished.get(key);
        if (stream) drop(stream);
      }
      return before - live.size;
    },
    markGap(key) {
      if (key === undefined) losses++;
      const stream = key === undefined ? undefined : (live.get(key) ?? finished.get(key));
      if (stream) stream.losses = -1;
    },
    hasGapSinceLastEvent(stream) {
      if (stream.losses === losses) return false;
      stream.losses = losses;
      return true;
    },
    age() {
      const old = [...finished.values()].filter((stream) => stream.aged);
      for (const stream of old) drop(stream);
      for (const stream of finished.values()) stream.aged = true;
      return old.map(({ key }) => key);
    },
    clear() {
      for (const stream of [...finished.values(), ...live.values()]) drop(stream);
    },
    all: () => [...finished.values(), ...live.values()],
  };
}
