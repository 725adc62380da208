/**
 * Detects an id that events of two threads have, where an id must not occur in two streams. Each thread checks the ids of
 * its own streams, and reports the hashes of all ids that it reads.
 */
import type { IdMemory } from "../stream/id-memory.js";

/** The hashes of the ids that one thread read in one generation: a part of the inputs that is the same for all threads. */
export interface IdBatch {
  readonly protocol: string;
  /** The number of the generation, from 0. */
  readonly generation: number;
  readonly hashes: Float64Array;
}

/** An id memory that also collects the hashes of ids. */
interface CollectingIds<Id> {
  readonly ids: IdMemory<Id>;
  /** Returns the hashes of the ids since the last call. */
  takeHashes(): Float64Array;
}

/** Wraps an id memory. `readId` returns the text of an id. */
export function collectIdHashes<Id>(
  ids: IdMemory<Id>,
  readId: (id: Id) => string | undefined,
): CollectingIds<Id> {
  let hashes: number[] = [];
  return {
    ids: {
      remember(stream, id, content) {
        hashes.push(hashId(readId(id) ?? ""));
        return ids.remember(stream, id, content);
      },
      rotateGeneration: () => ids.rotateGeneration(),
    },
    takeHashes() {
      const taken = Float64Array.from(hashes);
      hashes = [];
      return taken;
    },
  };
}

/** Returns a hash of 53 bits. Two ids with equal hashes cost time, but change no finding. */
function hashId(id: string): number {
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
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
  const protocols = new Map<string, ProtocolIds>();
  return {
    add(thread, { protocol, generation, hashes }) {
      const { reached, generations } = protocols.get(protocol) ?? createProtocolIds(threadCount);
      protocols.set(protocol, { reached, generations });
      const near = [generation - 1, generation + 1].map((other) => generations.get(other));
      const own = generations.get(generation) ?? new Map<number, number>();
      generations.set(generation, own);
      for (const hash of hashes) {
        const threads = [own, ...near].map((each) => each?.get(hash) ?? thread);
        if (threads.some((each) => each !== thread)) isConflicting = true;
        own.set(hash, thread);
      }
      reached[thread] = generation;
      const oldest = Math.min(...reached) - 1;
      for (const known of generations.keys()) if (known < oldest) generations.delete(known);
    },
    hasConflict: () => isConflicting,
  };
}

interface ProtocolIds {
  /** The last generation of each thread. */
  readonly reached: number[];
  /** For each generation, the thread that read an id, by the hash of the id. */
  readonly generations: Map<number, Map<number, number>>;
}

function createProtocolIds(threadCount: number): ProtocolIds {
  return { reached: new Array<number>(threadCount).fill(-1), generations: new Map() };
}
