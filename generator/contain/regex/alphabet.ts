/**
 * Divides characters into classes, each with a readable representative. Two characters of one class belong to exactly the
 * same sets of all automata, so a search needs to try only one of them.
 */
import type { CharSet } from "refa";
import { includesSorted } from "../binary-search.js";
import type { Budget } from "../budget.js";

/** Characters that no automaton of the question distinguishes. */
export interface CharClass {
  /** A member of the class: a readable one, if the class has one. */
  readonly char: number;
  /** True if the class contains lone surrogates only. Not all programs can read them from JSON text. */
  readonly onlySurrogates: boolean;
}

/** A class with the readability of its member: 0 is the most readable. */
interface RankedClass extends CharClass {
  readonly rank: number;
}

/** Characters that are easy to read, the easiest first. */
const READABLE = [
  ...[..."abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. :/@+,;=#!?*~%&'()[]{}<>|^`$\"\\"],
  "é",
  "α",
  "я",
  "中",
  "😀",
].map((char) => char.codePointAt(0) ?? 0);

/**
 * Returns the classes into which the sets divide the code points, the most readable first. Each character in `separate` is a
 * class of its own.
 */
export function partitionAlphabet(
  sets: readonly CharSet[],
  separate: ReadonlySet<number>,
  budget: Budget,
): readonly CharClass[] {
  const classes = new Map<string, RankedClass>();
  const starts = findBoundaries(sets, separate);
  budget.spend(1 + ((starts.length * (sets.length + 1)) >> 4));
  const membership = sets.map(createCharacterTest);
  for (let i = 0; i < starts.length; i++) {
    const low = starts[i] ?? 0;
    const high = (starts[i + 1] ?? 0x110000) - 1;
    const key = separate.has(low) ? `${low}` : membership.map((has) => (has(low) ? "+" : "-")).join("");
    const member = chooseReadableMember(low, high);
    const knownClass = classes.get(key);
    if (!knownClass || member.rank < knownClass.rank) classes.set(key, member);
  }
  return [...classes.values()].sort((a, b) => a.rank - b.rank);
}

/** Returns a function that tests whether a set contains a character. */
export function createCharacterTest(set: CharSet): (char: number) => boolean {
  return (char) => includesSorted(set.ranges, ({ min, max }) => Number(min > char) - Number(max < char));
}

function findBoundaries(sets: readonly CharSet[], separate: ReadonlySet<number>): readonly number[] {
  // Readable characters and surrogates never share an interval with the rest.
  const starts = new Set([0, 0x20, 0x7f, 0xa1, 0xd800, 0xe000]);
  for (const set of sets) {
    for (const { min, max } of set.ranges) {
      starts.add(min);
      if (max < 0x10ffff) starts.add(max + 1);
    }
  }
  for (const char of separate) starts.add(char).add(char + 1);
  starts.delete(0x110000);
  return [...starts].sort((a, b) => a - b);
}

function chooseReadableMember(low: number, high: number): RankedClass {
  const readableIndex = READABLE.findIndex((char) => char >= low && char <= high);
  const onlySurrogates = low >= 0xd800 && high <= 0xdfff;
  if (readableIndex >= 0)
    return { char: READABLE[readableIndex] ?? low, onlySurrogates, rank: readableIndex };
  return { char: low, onlySurrogates, rank: onlySurrogates ? 0x200000 : 1000 + low };
}
