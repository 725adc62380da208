/** Strings: their ends, what they are made of, and what a program asks of them. */

import { ACCEPTS, ESCAPED, MOST_STATES, NEXT, WIDE } from "../layout";
import { BACKSLASH, byteAt, cell, QUOTE, stands } from "./bytes";

/** Works out a step of an automaton that was not made yet; -1 if there is none. */
declare function extend(automaton: i32, state: i32, byte: i32): i32;

/** 1 if the string from `start` to `end`, quotation marks included, matches a pattern. */
declare function test(pattern: i32, start: i32, end: i32, kind: i32): i32;

/** WIDE and ESCAPED of the string that was read last. */
export let kind: i32 = 0;

/** The end of a string whose first character stands at `from`; sixteen bytes are looked at together. */
export function scanString(from: i32): i32 {
  let at = from;
  let seen = 0;
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
      if (wide !== 0) seen |= WIDE;
      at += 16;
      continue;
    }
    const first = ctz(stops);
    if ((wide & ((1 << first) - 1)) !== 0) seen |= WIDE;
    at += first;
    const byte = byteAt(at++);
    if (byte === QUOTE) {
      kind = seen;
      return at;
    }
    if (byte !== BACKSLASH) return -1;
    seen |= ESCAPED;
    at = escaped(at);
    if (at < 0) return -1;
  }
}

/** Where it goes on after an escape whose letter stands at `at`. */
function escaped(at: i32): i32 {
  const letter = byteAt(at);
  if (letter === QUOTE || letter === BACKSLASH || letter === 0x2f) return at + 1;
  // b f n r t
  if (letter === 0x62 || letter === 0x66 || letter === 0x6e || letter === 0x72 || letter === 0x74)
    return at + 1;
  if (letter !== 0x75) return -1;
  for (let i = 1; i <= 4; i++) if (!isHex(byteAt(at + i))) return -1;
  return at + 5;
}

function isHex(byte: u32): bool {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

export function strings(node: i32, start: i32): i32 {
  const end = scanString(start + 1);
  if (end < 0) return -1;
  const min = cell(node + 1);
  const max = cell(node + 2);
  const patterns = cell(node + 3);
  const length = end - start - 2;
  // With escapes, or characters of several bytes, there are fewer characters than bytes.
  if (length < min || (max >= 0 && length > max)) return -1;
  if (kind !== 0 && min > 1) return -1;
  let at = node + 4;
  for (const last = at + patterns; at < last; at++) {
    const number = cell(at);
    const isPlain = number >= 0 && kind === 0;
    if (!(isPlain ? matches(number, start + 1, end - 1) : test(number, start, end, kind) !== 0)) return -1;
  }
  const except = cell(at++);
  if (except > 0 && (kind & ESCAPED) !== 0) return -1;
  for (const last = at + 2 * except; at < last; at += 2) if (stands(cell(at), cell(at + 1), start)) return -1;
  return end;
}

function matches(automaton: i32, start: i32, end: i32): bool {
  const next = NEXT + automaton * (MOST_STATES << 8);
  let state = 0;
  for (let at = start; at < end; at++) {
    const byte = byteAt(at);
    let step = <i32>load<i16>(next + (state << 8) + (byte << 1));
    if (step === 0) step = byte < 0x7f ? extend(automaton, state, byte) : -1;
    if (step < 0) return false;
    state = step - 1;
  }
  return load<u8>(ACCEPTS + automaton * MOST_STATES + state) === 1;
}

export function among(node: i32, start: i32): i32 {
  const count = cell(node + 1);
  for (let i = 0, at = node + 2; i < count; i++, at += 2)
    if (stands(cell(at), cell(at + 1), start)) return scanString(start + 1);
  return -1;
}

/** Says of what kind the string was, if that is known better. */
export function setKind(known: i32): void {
  kind = known;
}
