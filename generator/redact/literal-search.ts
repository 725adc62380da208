import { getItem } from "../get-item.js";
/** Searches bytes for many short literals at once, much faster than one regular expression with all of them. */

/** The most groups that a search tells apart. */
export const MAX_GROUPS = 31;

/** Literals that are searched for. They have at least three bytes in UTF-8. */
export interface LiteralGroup {
  /** In lower case, unless `matchesCase` is true. */
  readonly literals: readonly string[];
  /** True if the case of letters matters. */
  readonly matchesCase?: boolean;
  /** True if no letter or digit may stand before the literal. */
  readonly beginsWord: boolean;
  /** True if no letter or digit may stand after it. */
  readonly endsWord: boolean;
  /** The least number of letters, digits, `_` and `-` after the literal. */
  readonly least?: number;
  /** True if `.`, `%` and the signs of base64 count, too. */
  readonly isWide?: boolean;
  /** True if a letter or a digit must stand before the literal, and one after it and the control sequence that it begins. */
  readonly isInWord?: boolean;
}

/** One literal, with the bit of its group. */
interface Entry extends Pick<LiteralGroup, "beginsWord" | "endsWord"> {
  readonly bytes: Uint8Array;
  readonly matchesCase: boolean;
  readonly least: number;
  readonly isWide: boolean;
  readonly isInWord: boolean;
  readonly bit: number;
  /** The index of the three characters that are searched for. */
  readonly anchor: number;
}

/** Pairs of characters that are common in texts and in the names of fields, the most common one first. */
const COMMON_PAIRS =
  "re at on in st te ta en id _i er he es nt se t_ ve kq de as ed un n_ nd th to ch io ev qp co ea or ru ol ur ti si ex k_ pe ma an al ro sk me pm oo ns ce it ca le et ec ty nc ng em am oc el yp fi ue rs rn ss ne ar sc tr l_ ha rr ad ge rt is ut ll tu da na eq ts pa ac qu cu ri im cc d_ pr po li om ou ct mp ke la no _a lo ot xt t. vt _v be us of a_ .t _c do il e. so ra ef lt um ck cr lu l. op ul di pu fa s. va sh os .s ep fr mi pl ki ms fo mg js _m qq ap ag nl ic mf ie od ly if ls .. bl ld mj sa ok by tp ds e_ ow dg pt mh ee nu np ov su _t mb yt bu wr wo ay go ni ew ai hi pp iv je .j ud gt mo nn".split(
    " ",
  );

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const LETTER_M = 0x6d;
const LETTER_K = 0x4b;
const PERCENT = 0x25;
const SEMICOLON = 0x3b;
const BRACKET = 0x5b;
const BLANK = 0x20;
const EQUALS_SIGN = 0x3d;
/** The bit that distinguishes the cases of a letter. */
const CASE = 0x20;

/**
 * Creates a search in UTF-8. It returns the groups whose literals stand from `start` to `stop`: bit `n` stands for the
 * groups at the index `n`, `n + MAX_GROUPS` and so on. The text may be JSON: an escaped character, which ends with a letter
 * or a digit, also counts as the beginning of a word, and so do a percent-encoded one and a code of a terminal. Literals with
 * an escaped character are not found.
 */
export function createLiteralSearch(
  groups: readonly LiteralGroup[],
): (bytes: Uint8Array, start: number, stop: number) => number {
  const entries = groups.flatMap((group, index) =>
    group.literals.map((text): Entry => {
      const {
        beginsWord,
        endsWord,
        matchesCase = false,
        least = 0,
        isWide = false,
        isInWord = false,
      } = group;
      const bytes = Buffer.from(text);
      const bit = 1 << (index % MAX_GROUPS);
      return {
        bytes,
        beginsWord,
        endsWord,
        matchesCase,
        least,
        isWide,
        isInWord,
        bit,
        anchor: chooseAnchor(bytes),
      };
    }),
  );
  // The literals with the same characters at their anchors, and the number of their list by them. List 0 is empty.
  const lists: Entry[][] = [[]];
  const listNumbers = new Uint16Array(2 ** 15);
  for (const entry of entries) {
    const prefix = numberPrefix(entry.bytes, entry.anchor);
    listNumbers[prefix] ||= lists.push([]) - 1;
    lists[listNumbers[prefix] ?? 0]?.push(entry);
  }
  const placesInPrefix = listPairsOfPrefixes(entries);
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
      const places = placesInPrefix[pairs[pair] ?? 0] ?? 0;
      if (places === 0) continue;
      const at = 2 * pair - byteOffset;
      if ((places & SECOND) !== 0 && at > start) {
        const number = listNumbers[numberPrefix(bytes, at - 1)] ?? 0;
        if (number > 0) found |= matchEntries(getItem(lists, number), bytes, start, stop, at - 1);
      }
      if ((places & FIRST) !== 0 && at <= last) {
        const number = listNumbers[numberPrefix(bytes, at)] ?? 0;
        if (number > 0) found |= matchEntries(getItem(lists, number), bytes, start, stop, at);
      }
    }
    return found;
  };
}

/** Returns the index of the three characters of a literal whose pairs are rarest together. */
function chooseAnchor(bytes: Buffer): number {
  const literal = bytes.toString("latin1").toLowerCase();
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

/** The bits of a pair with which a prefix begins, and of one with which it ends. */
const FIRST = 1;
const SECOND = 2;

/** Returns a table of the places that each pair of bytes has in prefixes. Its index is the pair as this machine reads it. */
function listPairsOfPrefixes(entries: readonly Entry[]): Uint8Array {
  const table = new Uint8Array(2 ** 16);
  const pair = new Uint8Array(2);
  const number = new Uint16Array(pair.buffer);
  for (const { bytes, anchor, matchesCase } of entries)
    for (const [place, at] of [
      [FIRST, anchor],
      [SECOND, anchor + 1],
    ] as const)
      for (const first of matchesCase ? [bytes[at] ?? 0] : listCases(bytes[at] ?? 0))
        for (const second of matchesCase ? [bytes[at + 1] ?? 0] : listCases(bytes[at + 1] ?? 0)) {
          pair.set([first, second]);
          table[number[0] ?? 0] = (table[number[0] ?? 0] ?? 0) | place;
        }
  return table;
}

function listCases(byte: number): readonly number[] {
  return isLetter(byte) ? [byte, byte ^ CASE] : [byte];
}

/** Returns whether a literal stands at `at`, within `start` and `stop`. */
function isLiteralAt(entry: Entry, bytes: Uint8Array, start: number, stop: number, at: number): boolean {
  const { bytes: literal, beginsWord, endsWord, matchesCase, least, isWide, isInWord } = entry;
  const end = at + literal.length;
  if (at < start || end > stop) return false;
  for (let i = 0; i < literal.length; i++) {
    const byte = literal[i] ?? 0;
    const other = bytes[at + i] ?? 0;
    if (byte !== other && (matchesCase || !(byte === (other | CASE) && isLetter(byte)))) return false;
  }
  if (beginsWord && at > start && isAlphanumeric(bytes[at - 1] ?? 0) && !hasEscapeBefore(bytes, start, at))
    return false;
  if (endsWord && end < stop && isAlphanumeric(bytes[end] ?? 0)) return false;
  if (isInWord && !isInsideWord(bytes, start, stop, at, end)) return false;
  return least === 0 || hasLetters(bytes, end, stop, least, isWide);
}

function isLetter(byte: number): boolean {
  const letter = byte | CASE;
  return letter >= 0x61 && letter <= 0x7a;
}

function isAlphanumeric(byte: number): boolean {
  return isLetter(byte) || (byte >= 0x30 && byte <= 0x39);
}

/**
 * Returns whether an escaped character may end before `at`: one of JSON, such as `\n` or `\u2014`, a percent-encoded one,
 * once or twice, or the code of a colour.
 */
function hasEscapeBefore(bytes: Uint8Array, start: number, at: number): boolean {
  if (bytes[at - 2] === BACKSLASH || (bytes[at - 6] === BACKSLASH && bytes[at - 5] === LETTER_U)) return true;
  if (bytes[at - 3] === PERCENT || bytes[at - 5] === PERCENT) return true;
  const last = bytes[at - 1] ?? 0;
  if (last !== LETTER_M && last !== LETTER_K) return false;
  let before = at - 2;
  while (before > start && (isDigit(bytes[before] ?? 0) || bytes[before] === SEMICOLON)) before--;
  return bytes[before] === BRACKET;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Returns whether an invisible sequence from `at` to `end` has letters of a word before and after it. */
function isInsideWord(bytes: Uint8Array, start: number, stop: number, at: number, end: number): boolean {
  if (at === start || !isTokenLetter(bytes[at - 1] ?? 0)) return false;
  let after = end;
  if (bytes[end - 1] === BRACKET) {
    while (after < stop && (isDigit(bytes[after] ?? 0) || bytes[after] === SEMICOLON)) after++;
    after++;
  }
  return after < stop && (isTokenLetter(bytes[after] ?? 0) || bytes[after] === BACKSLASH);
}

/** Returns whether at least `least` letters of a token follow, which line breaks and other escapes may cut. */
function hasLetters(bytes: Uint8Array, from: number, stop: number, least: number, isWide: boolean): boolean {
  let count = 0;
  let isBroken = false;
  for (let at = from; at < stop; at++) {
    const byte = bytes[at] ?? 0;
    if (isWide ? isTokenLetter(byte) : isNameLetter(byte)) {
      if (++count >= least) return true;
    } else if (byte === BACKSLASH) {
      at = skipEscape(bytes, at);
      isBroken = true;
    } else if (byte === 0x0a || byte === 0x0d) isBroken = true;
    else if (
      byte < 0x80 &&
      !(byte === BLANK && isBroken) &&
      !(byte === EQUALS_SIGN && endsLine(bytes, at + 1))
    )
      return false;
  }
  return false;
}

/** Returns whether a line may end at `at`. A text of quoted-printable has `=` before that. */
function endsLine(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === BACKSLASH || bytes[at] === 0x0d || bytes[at] === 0x0a;
}

/** Returns the last byte of the escape that begins at `at`. */
function skipEscape(bytes: Uint8Array, at: number): number {
  return bytes[at + 1] === LETTER_U ? at + 5 : at + 1;
}

function isNameLetter(byte: number): boolean {
  return isAlphanumeric(byte) || byte === 0x5f || byte === 0x2d;
}

function isTokenLetter(byte: number): boolean {
  return isNameLetter(byte) || [0x2e, 0x2b, 0x2f, PERCENT, 0x3d, 0x7e].includes(byte);
}
