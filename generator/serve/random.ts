/** Numbers that look random and depend on nothing but what they are asked for. */
import { hashText } from "../hash.js";

/** A number from 0 up to 1 that these words determine. */
export function chance(...words: readonly (string | number)[]): number {
  // The finalizer of MurmurHash3 moves the hashes of similar words far apart.
  let hash = hashText(words.join("\u0000"));
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A whole number from 0 below `end` that these words determine. */
export function pick(end: number, ...words: readonly (string | number)[]): number {
  return Math.floor(chance(...words) * end);
}

/**
 * Whether position `at` is one of the drawn ones: one in each window of `every` positions, at a place that the words
 * determine. It is told without looking at the others, so that a stream without end can be asked.
 */
export function drawn(at: number, every: number, ...words: readonly (string | number)[]): boolean {
  const window = Math.floor(at / every);
  return at % every === pick(every, window, ...words);
}
