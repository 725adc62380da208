/** Scans strings: finds their ends, their escapes and wide characters, and checks them against the program. */
import {
  ACCEPTS,
  BEGINNING_CELL,
  BEGINNINGS,
  DEAD,
  ESCAPED,
  FIRST_POSITIONS,
  MAX_POSITIONS,
  MAX_STATES,
  NEXT,
  PATTERNS,
  POSITION_BYTES,
  POSITION_CELL,
  POSITION_MASKS,
  POSITIONS,
  STEP,
  STRING_HEAD,
  STRING_MAX,
  STRING_MIN,
  STRING_PATTERN_COUNT,
  WIDE,
} from "../layout";
import {
  BACKSLASH,
  byteAt,
  cell,
  isTextAt,
  LETTER_B,
  LETTER_F,
  LETTER_N,
  LETTER_R,
  LETTER_T,
  LETTER_U,
  QUOTE,
  SLASH,
} from "./bytes";

/** Computes a step of an automaton; DEAD if there is none. */
declare function extend(automaton: i32, state: i32, byte: i32): i32;

/** Returns 1 if the string from `start` to `end`, quotation marks included, matches a pattern. */
declare function test(pattern: i32, start: i32, end: i32, bits: i32): i32;

/** The bits WIDE and ESCAPED of the string that was read last. */
export let stringBits: i32 = 0;

/** The value of `stringBits` for a string without escapes and without wide characters. */
export const PLAIN: i32 = 0;

/** Returns the end of a string whose first character is at `from`. Looks at sixteen bytes at a time. */
export function scanString(from: i32): i32 {
  let at = from;
  let bits = 0;
  const quotes = i8x16.splat(0x22);
  const slashes = i8x16.splat(0x5c);
  const blanks = i8x16.splat(0x20);
  while (true) {
    const piece = v128.load(at);
    const stops = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(piece, quotes), i8x16.eq(piece, slashes)), i8x16.lt_u(piece, blanks)),
    );
    const wide = i8x16.bitmask(piece);
    if (stops === 0) {
      if (wide !== 0) bits |= WIDE;
      at += 16;
      continue;
    }
    const first = ctz(stops);
    if ((wide & ((1 << first) - 1)) !== 0) bits |= WIDE;
    at += first;
    const byte = byteAt(at++);
    if (byte === QUOTE) {
      stringBits = bits;
      return at;
    }
    if (byte !== BACKSLASH) return -1;
    bits |= ESCAPED;
    at = skipEscape(at);
    if (at < 0) return -1;
  }
}

/** Returns the address after an escape whose letter is at `at`; -1 if the escape is not valid. */
function skipEscape(at: i32): i32 {
  const letter = byteAt(at);
  if (letter === QUOTE || letter === BACKSLASH || letter === SLASH) return at + 1;
  if (
    letter === LETTER_B ||
    letter === LETTER_F ||
    letter === LETTER_N ||
    letter === LETTER_R ||
    letter === LETTER_T
  )
    return at + 1;
  if (letter !== LETTER_U) return -1;
  for (let i = 1; i <= 4; i++) if (!isHex(byteAt(at + i))) return -1;
  return at + 5;
}

function isHex(byte: u32): bool {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

/** Returns the end of the string that begins at `start`; -1 if the node STRING does not admit it. */
export function scanStringNode(node: i32, start: i32): i32 {
  const end = scanString(start + 1);
  if (end < 0) return -1;
  const min = cell(node + STRING_MIN);
  const max = cell(node + STRING_MAX);
  const patternCount = cell(node + STRING_PATTERN_COUNT);
  const length = end - start - 2;
  // With escapes, or characters of several bytes, there are fewer characters than bytes.
  if (length < min || (max >= 0 && length > max)) return -1;
  if (stringBits !== PLAIN && min > 1) return -1;
  let at = node + STRING_HEAD;
  for (const last = at + patternCount; at < last; at++) {
    if (!matchesPattern(cell(at), start, end)) return -1;
  }
  const exceptionCount = cell(at++);
  if (exceptionCount > 0 && (stringBits & ESCAPED) !== 0) return -1;
  for (const last = at + 2 * exceptionCount; at < last; at += 2)
    if (isTextAt(cell(at), cell(at + 1), start)) return -1;
  return end;
}

/** Returns whether the string from `start` to `end`, quotation marks included, matches a pattern. */
function matchesPattern(pattern: i32, start: i32, end: i32): bool {
  // Automata and position sets are for plain strings only.
  const entry = stringBits === PLAIN ? load<i32>(PATTERNS + (pattern << 2)) : 0;
  if (entry === 0) return test(pattern, start, end, stringBits) !== 0;
  if (entry < FIRST_POSITIONS) return matchesAutomaton(entry - 1, start + 1, end - 1);
  return matchesPositions(entry - FIRST_POSITIONS, start + 1, end - start - 2);
}

/** Returns whether each of `length` bytes from `start` on is admitted at its position. */
function matchesPositions(number: i32, start: i32, length: i32): bool {
  const cell = POSITIONS + number * POSITION_CELL;
  if (length < load<i32>(cell, 32)) return false;
  const low = v128.load(cell);
  const high = v128.load(cell, 16);
  for (let at = 0; at < length; at += 16) {
    const piece = v128.load(start + at);
    const blocks = v128.and(
      i8x16.swizzle(low, v128.and(piece, i8x16.splat(15))),
      i8x16.swizzle(high, i8x16.shr_u(piece, 4)),
    );
    const place = cell + min(at, MAX_POSITIONS);
    const isAdmitted = i8x16.ne(v128.and(blocks, v128.load(place, POSITION_MASKS)), i8x16.splat(0));
    const isOnlyAdmitted = i8x16.eq(piece, v128.load(place, POSITION_BYTES));
    const admittedBits = i8x16.bitmask(v128.or(isAdmitted, isOnlyAdmitted));
    // The bits of the bytes of this piece that belong to the text.
    const textBits = length - at < 16 ? (1 << (length - at)) - 1 : 0xffff;
    if ((admittedBits & textBits) !== textBits) return false;
  }
  return true;
}

/** The number of first bytes that are cached of the text that an automaton read last. */
const CACHED_BYTES: i32 = 16;

/** Returns whether an automaton accepts the bytes from `start` to `end`. */
function matchesAutomaton(automaton: i32, start: i32, end: i32): bool {
  // A row has the steps of one state; the first one begins at STEP.
  const rows = NEXT + automaton * MAX_STATES * STEP - STEP;
  const cell = BEGINNINGS + automaton * BEGINNING_CELL;
  let row: i32 = STEP;
  let at = start;
  const stop = end - start >= CACHED_BYTES ? start + CACHED_BYTES : end;
  if (stop < end) {
    const piece = v128.load(start);
    const cachedRow = load<i32>(cell, 16);
    if (cachedRow !== 0 && !v128.any_true(v128.xor(piece, v128.load(cell)))) {
      row = cachedRow;
      at = stop;
    } else {
      row = followSteps(automaton, rows, row, at, stop);
      if (row === 0) return false;
      v128.store(cell, piece);
      store<i32>(cell, row, 16);
      at = stop;
    }
  }
  row = followSteps(automaton, rows, row, at, end);
  return row !== 0 && load<u8>(ACCEPTS + automaton * MAX_STATES + row / STEP - 1) === 1;
}

/** Returns the row after the bytes from `start` to `end`; 0 if no match is possible. */
function followSteps(automaton: i32, rows: i32, first: i32, start: i32, end: i32): i32 {
  let row = first;
  for (let at = start; at < end; at++) {
    const byte = byteAt(at);
    let step = <i32>load<u16>(rows + row + (byte << 1));
    if (step === 0) step = byte < 0x7f ? extend(automaton, row / STEP - 1, byte) : DEAD;
    if (step === DEAD) return 0;
    row = step;
  }
  return row;
}

/** Returns the end of the string that begins at `start`; -1 if the node ENUM does not list it. */
export function scanEnum(node: i32, start: i32): i32 {
  const count = cell(node + 1);
  for (let i = 0, at = node + 2; i < count; i++, at += 2)
    if (isTextAt(cell(at), cell(at + 1), start)) return scanString(start + 1);
  return -1;
}

/** Sets `stringBits`. */
export function setStringBits(bits: i32): void {
  stringBits = bits;
}
