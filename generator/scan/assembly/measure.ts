/** Measures texts as conform/text-measure.ts does: length, bytes and the sum of the characters. */
import { MEASURED } from "../layout";
import {
  BACKSLASH,
  byteAt,
  LETTER_B,
  LETTER_F,
  LETTER_N,
  LETTER_R,
  LETTER_T,
  LETTER_U,
  LINE_FEED,
} from "./bytes";

let units: i32 = 0;
let sum: u32 = 0;
let power: u32 = 1;
/** The number of bytes of the escaped characters, minus the number of bytes of their escapes. */
let escapeDifference: i32 = 0;
/** 1 if the text contains U+FFFD. */
let replaced: i32 = 0;
/** True if the last unit was an escape for the first half of a surrogate pair. */
let isAfterHighSurrogate: bool = false;

const REPLACEMENT: u32 = 0xfffd;
/** FACTOR of conform/text-measure.ts, and its powers. */
const FACTOR: u32 = 0x9e3779b1;
const SECOND: u32 = FACTOR * FACTOR;
const THIRD: u32 = SECOND * FACTOR;
const FOURTH: u32 = THIRD * FACTOR;

/** Adds a UTF-16 unit. */
function addUnit(unit: u32): void {
  units++;
  sum = sum * FACTOR + unit;
  power *= FACTOR;
}

/**
 * Measures the string whose characters are from `start` to `end`, which must be valid. Writes its length, bytes, sum and
 * power, and 1 for U+FFFD, to MEASURED.
 */
export function measure(start: i32, end: i32): void {
  units = 0;
  sum = 0;
  power = 1;
  escapeDifference = 0;
  replaced = 0;
  isAfterHighSurrogate = false;
  let at = start;
  while (at < end) {
    const four = load<u32>(at);
    // A byte of `difference` is 0 if the character is a backslash. The second part of the condition finds such a byte, and
    // the first part finds a byte beyond ASCII. The fast path is for four characters without either.
    const difference = four ^ 0x5c5c5c5c;
    if (at + 4 <= end && ((four | ((difference - 0x01010101) & ~difference)) & 0x80808080) === 0) {
      sum =
        sum * FOURTH +
        (four & 0xff) * THIRD +
        ((four >> 8) & 0xff) * SECOND +
        ((four >> 16) & 0xff) * FACTOR +
        (four >> 24);
      power *= FOURTH;
      units += 4;
      at += 4;
      isAfterHighSurrogate = false;
      continue;
    }
    const byte = byteAt(at);
    if (byte === BACKSLASH) at = addEscape(at + 1);
    else {
      isAfterHighSurrogate = false;
      at = byte < 0x80 ? addSingleByte(byte, at) : addWideCharacter(byte, at);
    }
  }
  store<i32>(MEASURED, units);
  store<i32>(MEASURED, end - start + escapeDifference, 4);
  store<u32>(MEASURED, sum, 8);
  store<u32>(MEASURED, power, 12);
  store<i32>(MEASURED, replaced, 16);
}

/** Adds a character of ASCII. Returns the place after it. */
function addSingleByte(byte: u32, at: i32): i32 {
  addUnit(byte);
  return at + 1;
}

/** Adds a character of two to four bytes, the first of which is `byte`. Returns the place after it. */
function addWideCharacter(byte: u32, at: i32): i32 {
  const second = byteAt(at + 1) & 0x3f;
  if (byte < 0xe0) {
    addUnit(((byte & 0x1f) << 6) | second);
    return at + 2;
  }
  const third = byteAt(at + 2) & 0x3f;
  if (byte < 0xf0) {
    const unit = ((byte & 0x0f) << 12) | (second << 6) | third;
    if (unit === REPLACEMENT) replaced = 1;
    addUnit(unit);
    return at + 3;
  }
  const point = ((byte & 0x07) << 18) | (second << 12) | (third << 6) | (byteAt(at + 3) & 0x3f);
  addUnit(0xd800 + ((point - 0x10000) >> 10));
  addUnit(0xdc00 + (point & 0x3ff));
  return at + 4;
}

/** Adds the character of the escape whose letter is at `at`. Returns the place after it. */
function addEscape(at: i32): i32 {
  const letter = byteAt(at);
  if (letter !== LETTER_U) {
    isAfterHighSurrogate = false;
    addUnit(decodeEscape(letter));
    escapeDifference -= 1;
    return at + 1;
  }
  const unit =
    (decodeHexDigit(byteAt(at + 1)) << 12) |
    (decodeHexDigit(byteAt(at + 2)) << 8) |
    (decodeHexDigit(byteAt(at + 3)) << 4) |
    decodeHexDigit(byteAt(at + 4));
  // A surrogate pair takes four bytes. Three of them were counted with its first half.
  const completesPair = isAfterHighSurrogate && unit >= 0xdc00 && unit < 0xe000;
  escapeDifference += (completesPair ? 1 : countBytes(unit)) - 6;
  isAfterHighSurrogate = unit >= 0xd800 && unit < 0xdc00;
  if (unit === REPLACEMENT) replaced = 1;
  addUnit(unit);
  return at + 5;
}

/** Returns the number of bytes of a UTF-16 unit in UTF-8. */
function countBytes(unit: u32): i32 {
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

/** Returns the character of a simple escape. */
function decodeEscape(letter: u32): u32 {
  if (letter === LETTER_N) return LINE_FEED;
  if (letter === LETTER_T) return 0x09;
  if (letter === LETTER_R) return 0x0d;
  if (letter === LETTER_B) return 0x08;
  if (letter === LETTER_F) return 0x0c;
  return letter;
}

function decodeHexDigit(letter: u32): u32 {
  return letter <= 0x39 ? letter - 0x30 : (letter | 0x20) - 0x57;
}
