/** Scans numbers and the words `null`, `true` and `false`. */
import { BOUNDS } from "../layout";
import { byteAt, DIGIT_0, DOT, LETTER_E, MINUS } from "./bytes";

/** The words `null` and `true`, and the beginning of `false`, as little-endian integers. */
const NULL_BYTES: u32 = 0x6c6c756e;
const TRUE_BYTES: u32 = 0x65757274;
const FALS_BYTES: u32 = 0x736c6166;

/** The greatest number of digits before the point. JavaScript represents every such integer exactly. */
const MAX_DIGITS: i32 = 15;

/**
 * Returns the end of a number; -1 if it is not admitted. `whole` is 1 if only integers are admitted. `bound` is the number of
 * its bounds, or -1.
 */
export function scanNumber(start: i32, whole: i32, bound: i32): i32 {
  let at = start;
  const isNegative = byteAt(at) === MINUS;
  if (isNegative) at++;
  const first = at;
  let value: i64 = 0;
  let digit = byteAt(at) - DIGIT_0;
  while (digit <= 9) {
    value = value * 10 + digit;
    digit = byteAt(++at) - DIGIT_0;
  }
  const digits = at - first;
  if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && byteAt(first) === DIGIT_0)) return -1;
  let hasFraction = false;
  if (byteAt(at) === DOT) {
    const point = at;
    digit = byteAt(++at) - DIGIT_0;
    while (digit <= 9) {
      if (digit > 0) hasFraction = true;
      digit = byteAt(++at) - DIGIT_0;
    }
    if (whole === 1 || at === point + 1) return -1;
  }
  if ((byteAt(at) | 0x20) === LETTER_E) return -1;
  if (bound < 0) return at;
  // With a fraction, the absolute value lies between two integers.
  const minSize = <f64>value;
  const maxSize = hasFraction ? minSize + 1 : minSize;
  const low = isNegative ? -maxSize : minSize;
  const high = isNegative ? -minSize : maxSize;
  return low >= load<f64>(BOUNDS + (bound << 4)) && high <= load<f64>(BOUNDS + (bound << 4) + 8) ? at : -1;
}

/** Returns the end of `null`, or -1. */
export function scanNull(start: i32): i32 {
  return load<u32>(start) === NULL_BYTES ? start + 4 : -1;
}

/** Returns the end of `true` or `false`, or -1. `allowed` is the cell of a node BOOLEAN: see layout.ts. */
export function scanBoolean(start: i32, allowed: i32): i32 {
  if (load<u32>(start) === TRUE_BYTES) return allowed & 1 ? start + 4 : -1;
  return load<u32>(start) === FALS_BYTES && byteAt(start + 4) === LETTER_E && (allowed & 2) !== 0
    ? start + 5
    : -1;
}
