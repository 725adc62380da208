/** Reads and compares the bytes of texts, and reads the cells of the program. */
import { CELLS, TEXTS } from "../layout";

export const QUOTE: u32 = 0x22;
export const BACKSLASH: u32 = 0x5c;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const MINUS: u32 = 0x2d;
export const OPEN_BRACKET: u32 = 0x5b;
export const CLOSE_BRACKET: u32 = 0x5d;
export const OPEN_BRACE: u32 = 0x7b;
export const CLOSE_BRACE: u32 = 0x7d;
export const SPACE: u32 = 0x20;
export const LINE_FEED: u32 = 0x0a;
export const DOT: u32 = 0x2e;
export const SLASH: u32 = 0x2f;
export const DIGIT_0: u32 = 0x30;
export const LETTER_B: u32 = 0x62;
export const LETTER_E: u32 = 0x65;
export const LETTER_F: u32 = 0x66;
export const LETTER_N: u32 = 0x6e;
export const LETTER_R: u32 = 0x72;
export const LETTER_T: u32 = 0x74;
export const LETTER_U: u32 = 0x75;

/** Returns the byte at that address. */
export function byteAt(at: i32): u32 {
  return load<u8>(at);
}

/** Returns the cell of the program with that index. */
export function cell(index: i32): i32 {
  return load<i32>(CELLS + (index << 2));
}

/** Returns the address of the first byte from `from` on that is neither a space, a tab nor a carriage return. */
export function skipBlanks(from: i32): i32 {
  let at = from;
  for (let byte = byteAt(at); byte === SPACE || byte === 0x09 || byte === 0x0d; byte = byteAt(at)) at++;
  return at;
}

/** Returns whether the `length` bytes at `at` are equal to the text of the program at `text`. */
export function isTextAt(text: i32, length: i32, at: i32): bool {
  return areSameBytes(TEXTS + text, at, length);
}

/** Returns whether `length` bytes are equal. May read up to seven bytes after them. */
export function areSameBytes(one: i32, other: i32, length: i32): bool {
  let rest = length;
  while (rest >= 8) {
    if (load<u64>(one) !== load<u64>(other)) return false;
    one += 8;
    other += 8;
    rest -= 8;
  }
  if (rest === 0) return true;
  const shift = <u64>((8 - rest) << 3);
  return load<u64>(one) << shift === load<u64>(other) << shift;
}

/** 2^64 over the golden ratio. */
const MIXER: u64 = ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;

/** Returns a hash of `length` bytes and `seed`. Its upper bits depend on all bytes. May read up to seven bytes after them. */
export function hash(start: i32, length: i32, seed: i32): u64 {
  let sum: u64 = ((<u64>seed) << 32) | length;
  for (let i = 0; i < length; i += 8) {
    const rest = length - i;
    const word = rest >= 8 ? load<u64>(start + i) : load<u64>(start + i) << (<u64>((8 - rest) << 3));
    sum = (sum ^ word) * MIXER;
    sum ^= sum >> 29;
  }
  return sum;
}
