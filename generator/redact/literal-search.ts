import { getItem } from "../get-item.js";
/** Searches bytes for many short literals at once, much faster than one regular expression with all of them. */

/** Literals that are searched for, in lower case and of at least three ASCII characters. Letters match in both cases. */
export interface LiteralGroup {
  readonly literals: readonly string[];
  /** True if no letter or digit may stand before the literal. */
  readonly beginsWord: boolean;
  /** True if no letter or digit may stand after it. */
  readonly endsWord: boolean;
}

/** One literal, with the bit of its group. */
interface Entry extends Pick<LiteralGroup, "beginsWord" | "endsWord"> {
  readonly bytes: Uint8Array;
  readonly bit: number;
  /** The index of the three characters that are searched for. */
  readonly anchor: number;
}

/** Pairs of characters that are common in texts and in the names of fields, the most common one first. */
const COMMON_PAIRS =
  "id re er on in te at an th he en nd ti es as ed un oo sk al si ar st or to nt io de le ro me ch ur pe ne co om ic ra ce li ma se da au ut cu oc ec ex sa _i sh".split(
    " ",
  );

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** The bit that distinguishes the cases of a letter. */
const CASE = 0x20;

/**
 * Creates a search for at most 31 groups in UTF-8. It returns the groups whose literals stand from `start` to `stop`: bit
 * `n` stands for the group at index `n`. The text may be JSON: an escaped character, which ends with a letter or a digit,
 * also counts as the beginning of a word. Literals with an escaped character are not found.
 */
export function createLiteralSearch(
  groups: readonly LiteralGroup[],
): (bytes: Uint8Array, start: number, stop: number) => number {
  const entries = groups.flatMap(({ literals, beginsWord, endsWord }, index) =>
    literals.map((text): Entry => {
      const anchor = chooseAnchor(text);
      return { bytes: Buffer.from(text), beginsWord, endsWord, bit: 1 << index, anchor };
    }),
  );
  // The literals with the same characters at their anchors, and the number of their list by them. List 0 is empty.
  const lists: Entry[][] = [[]];
  const listNumbers = new Uint8Array(2 ** 15);
  for (const entry of entries) {
    const prefix = numberPrefix(entry.bytes, entry.anchor);
    listNumbers[prefix] ||= lists.push([]) - 1;
    lists[listNumbers[prefix] ?? 0]?.push(entry);
  }
  const isInPrefix = listPairsOfPrefixes(entries);
  let pairsOfBuffer: Uint16Array = new Uint16Array(0);
  return (bytes, start, stop) => {
    const { buffer, byteOffset } = bytes;
    if (pairsOfBuffer.buffer !== buffer) pairsOfBuffer = new Uint16Array(buffer, 0, buffer.byteLength >> 1);
    const pairs = pairsOfBuffer;
    let found = 0;
    // Only the pairs at even places of the buffer are read, because a prefix contains two pairs, one after the other.
    const last = stop - 3;
    const lastPair = (byteOffset + stop) >> 1;
    for (let pair = (byteOffset + start + 1) >> 1; pair < lastPair; pair++) {
      if (isInPrefix[pairs[pair] ?? 0] === 0) continue;
      const at = 2 * pair - byteOffset;
      for (let from = at > start ? at - 1 : at; from <= at && from <= last; from++) {
        const number = listNumbers[numberPrefix(bytes, from)] ?? 0;
        if (number > 0) found |= matchEntries(getItem(lists, number), bytes, start, stop, from);
      }
    }
    return found;
  };
}

/** Returns the index of the three characters of a literal whose pairs are rarest together. */
function chooseAnchor(literal: string): number {
  const costs = Array.from({ length: literal.length - 2 }, (_, at) =>
    [at, at + 1].reduce((sum, start) => sum + getPairCost(literal.slice(start, start + 2)), 0),
  );
  return costs.indexOf(Math.min(...costs));
}

function getPairCost(pair: string): number {
  const rank = COMMON_PAIRS.indexOf(pair);
  return rank < 0 ? 0 : COMMON_PAIRS.length - rank;
}

/** Returns the bits of the literals whose anchors stand at `at`, from `start` to `stop`. */
function matchEntries(
  entries: readonly Entry[],
  bytes: Uint8Array,
  start: number,
  stop: number,
  at: number,
): number {
  let found = 0;
  for (const entry of entries)
    if (isLiteralAt(entry, bytes, start, stop, at - entry.anchor)) found |= entry.bit;
  return found;
}

/** Returns a number for the three bytes at `at`. It is the same for letters of both cases, and for some other bytes. */
function numberPrefix(bytes: Uint8Array, at: number): number {
  return (((bytes[at] ?? 0) & 31) << 10) | (((bytes[at + 1] ?? 0) & 31) << 5) | ((bytes[at + 2] ?? 0) & 31);
}

/** Returns a table in which each pair of bytes that a prefix contains has a 1. Its index is the pair as this machine reads it. */
function listPairsOfPrefixes(entries: readonly Entry[]): Uint8Array {
  const table = new Uint8Array(2 ** 16);
  const pair = new Uint8Array(2);
  const number = new Uint16Array(pair.buffer);
  for (const { bytes, anchor } of entries)
    for (const at of [anchor, anchor + 1])
      for (const first of listCases(bytes[at] ?? 0))
        for (const second of listCases(bytes[at + 1] ?? 0)) {
          pair.set([first, second]);
          table[number[0] ?? 0] = 1;
        }
  return table;
}

function listCases(byte: number): readonly number[] {
  return isLetter(byte) ? [byte, byte ^ CASE] : [byte];
}

/** Returns whether a literal stands at `at`, within `start` and `stop`. */
function isLiteralAt(
  { bytes: literal, beginsWord, endsWord }: Entry,
  bytes: Uint8Array,
  start: number,
  stop: number,
  at: number,
): boolean {
  const end = at + literal.length;
  if (at < start || end > stop) return false;
  if (beginsWord && at > start && isAlphanumeric(bytes[at - 1] ?? 0) && !hasEscapeBefore(bytes, at))
    return false;
  if (endsWord && end < stop && isAlphanumeric(bytes[end] ?? 0)) return false;
  for (let i = 0; i < literal.length; i++) {
    const byte = literal[i] ?? 0;
    const other = bytes[at + i] ?? 0;
    if (byte !== other && !(byte === (other | CASE) && isLetter(byte))) return false;
  }
  return true;
}

function isLetter(byte: number): boolean {
  const letter = byte | CASE;
  return letter >= 0x61 && letter <= 0x7a;
}

function isAlphanumeric(byte: number): boolean {
  return isLetter(byte) || (byte >= 0x30 && byte <= 0x39);
}

/** Returns whether an escaped character of JSON may end before `at`, such as `\n` or `\u2014`. */
function hasEscapeBefore(bytes: Uint8Array, at: number): boolean {
  return bytes[at - 2] === BACKSLASH || (bytes[at - 6] === BACKSLASH && bytes[at - 5] === LETTER_U);
}
