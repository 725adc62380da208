/** Pseudo-random numbers that depend only on the words that they are asked for. */
import { hashText } from "../hash.js";
import { type FaultSetting, optionOf } from "./fault.js";

/** Returns a number from 0 up to 1. */
export function drawShare(...words: readonly (string | number)[]): number {
  // The finalizer of MurmurHash3 moves the hashes of similar words far apart.
  let hash = hashText(words.join("\u0000"));
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns a whole number from 0 to `limit` - 1. */
export function draw(limit: number, ...words: readonly (string | number)[]): number {
  return Math.floor(drawShare(...words) * limit);
}

/**
 * Whether an index is drawn: one of each window of `every` indexes. The answer does not depend on other answers, so
 * that it can be given for a stream without end.
 */
export function isDrawn(index: number, every: number, ...words: readonly (string | number)[]): boolean {
  const window = Math.floor(index / every);
  return index % every === draw(every, window, ...words);
}

/** Whether a fault happens at an index of the run with this key: one that its setting lists, or a drawn one. */
export function isPlace(setting: FaultSetting, seed: number, key: string, index: number): boolean {
  if (setting.at) return setting.at.includes(index);
  return isDrawn(index, optionOf(setting, "every"), seed, setting.fault, key);
}
