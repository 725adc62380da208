/** A sequence of numbers that look random and follow from a seed alone, so that a run can be repeated. */
export interface Random {
  /** Returns a number from 0 up to 1. */
  next(): number;
  /** Returns a whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** Returns a whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  /** Returns one of the items. The list must not be empty. */
  pick<T>(items: readonly T[]): T;
}

/** Returns the generator Mulberry32: 32 bits of state, fast, and good enough for test data. Each method takes one number of the sequence. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  };
}

/** Returns one seed made from several numbers. */
export function combineSeeds(...seeds: readonly number[]): number {
  return seeds.reduce((sum, seed) => (Math.imul(sum ^ seed, 0x9e3779b1) + (seed >>> 3) + 1) >>> 0, 17);
}
