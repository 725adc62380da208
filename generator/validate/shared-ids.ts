/**
 * Detects an id that events of two threads have, where an id must not occur in two streams. Each thread checks the ids of
 * its own streams, and reports the hashes of all ids that it reads.
 */
import { getItem } from "../get-item.js";
import type { IdMemory } from "../stream/id-memory.js";

/** The hashes of the ids that one thread read in one generation: a part of the inputs that is the same for all threads. */
export interface IdBatch {
  readonly protocol: string;
  /** The number of the generation, from 0. */
  readonly generation: number;
  /** The hashes, in ascending order. */
  readonly hashes: Float64Array;
}

/** An id memory that also collects the hashes of ids. */
interface IdCollector<Id> {
  readonly ids: IdMemory<Id>;
  /** Returns the hashes of the ids since the last call. */
  takeHashes(): Float64Array;
}

/** Wraps an id memory. `readId` returns the text of an id. */
export function collectIdHashes<Id>(
  ids: IdMemory<Id>,
  readId: (id: Id) => string | undefined,
): IdCollector<Id> {
  let hashes = new Float64Array(1024);
  let count = 0;
  return {
    ids: {
      remember(stream, id, content) {
        if (count === hashes.length) {
          const largerArray = new Float64Array(2 * count);
          largerArray.set(hashes);
          hashes = largerArray;
        }
        hashes[count] = hashId(readId(id) ?? "");
        count++;
        return ids.remember(stream, id, content);
      },
      rotateGeneration: () => ids.rotateGeneration(),
    },
    takeHashes() {
      const takenHashes = hashes.slice(0, count).sort();
      count = 0;
      return takenHashes;
    },
  };
}

/** Returns a hash of 53 bits. Different ids with equal hashes cost time, but change no finding. */
function hashId(id: string): number {
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b) + index;
  }
  return (one >>> 0) * 2 ** 21 + (other >>> 11);
}

/** Compares the ids of several threads. */
interface SharedIds {
  /** Adds the ids of a thread. The generations of a thread come in their order. */
  add(thread: number, batch: IdBatch): void;
  /** Returns whether two threads read the same id within the generations that one thread remembers. */
  hasConflict(): boolean;
}

/** Creates a comparison without ids. It keeps the generations that some thread has not reached yet, and the one before. */
export function createSharedIds(threadCount: number): SharedIds {
  let isConflicting = false;
  let batches: readonly (IdBatch & { readonly thread: number })[] = [];
  // The last generation of each thread by protocol, or -1 before the first one.
  const lastGenerations = new Map<string, number[]>();
  return {
    add(thread, batch) {
      const { protocol, generation, hashes } = batch;
      isConflicting ||= batches.some(
        (other) =>
          other.thread !== thread &&
          other.protocol === protocol &&
          Math.abs(other.generation - generation) <= 1 &&
          haveCommonNumber(other.hashes, hashes),
      );
      const generations = lastGenerations.get(protocol) ?? new Array<number>(threadCount).fill(-1);
      generations[thread] = generation;
      lastGenerations.set(protocol, generations);
      const oldest = Math.min(...generations) - 1;
      batches = [...batches, { ...batch, thread }].filter(
        (each) => each.protocol !== protocol || each.generation >= oldest,
      );
    },
    hasConflict: () => isConflicting,
  };
}

/** Returns whether two lists in ascending order have a number in common. */
function haveCommonNumber(one: Float64Array, other: Float64Array): boolean {
  let index = 0;
  let otherIndex = 0;
  while (index < one.length && otherIndex < other.length) {
    const difference = getItem(one, index) - getItem(other, otherIndex);
    if (difference === 0) return true;
    if (difference < 0) index++;
    else otherIndex++;
  }
  return false;
}
