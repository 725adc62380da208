/** Pseudo-random numbers that depend only on the words that they are drawn with. */
import { hashText } from "../hash.js";
import { type FaultSetting, readOption } from "./fault.js";

/** Words that determine a drawn number. */
export type Words = readonly (string | number)[];

/** Returns a number from 0 up to 1. */
export function drawFraction(...words: Words): number {
  // The finalizer of MurmurHash3 moves the hashes of similar words far apart.
  let hash = hashText(words.join("\u0000"));
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns a whole number from 0 to `limit` - 1. */
export function drawNumber(limit: number, ...words: Words): number {
  return Math.floor(drawFraction(...words) * limit);
}

/**
 * Returns whether an index is drawn: one of each window of `every` indexes. The answer does not depend on other answers, so
 * that it can be given for a stream without end.
 */
export function isDrawn(index: number, every: number, ...words: Words): boolean {
  const window = Math.floor(index / every);
  return index % every === drawNumber(every, window, ...words);
}

/** Returns whether a fault happens at an index of the run with this key: one that its setting lists, or a drawn one. */
export function isFaultPlace(setting: FaultSetting, seed: number, key: string, index: number): boolean {
  if (setting.at) return setting.at.includes(index);
  return isDrawn(index, readOption(setting, "every"), seed, setting.fault, key);
}
