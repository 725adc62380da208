/** Bytes of the text, and cells of the program. */
import { CELLS, TEXTS } from "../layout";

export const QUOTE: u32 = 0x22;
export const BACKSLASH: u32 = 0x5c;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const MINUS: u32 = 0x2d;

export function byteAt(at: i32): u32 {
  return load<u8>(at);
}

export function cell(index: i32): i32 {
  return load<i32>(CELLS + (index << 2));
}

export function blank(from: i32): i32 {
  let at = from;
  for (let byte = byteAt(at); byte === 0x20 || byte === 0x09 || byte === 0x0d; byte = byteAt(at)) at++;
  return at;
}

/** Whether the text of that place and length stands at `at`. What follows it in memory can be read, too. */
export function stands(place: i32, length: i32, at: i32): bool {
  let text = TEXTS + place;
  let rest = length;
  while (rest >= 8) {
    if (load<u64>(text) !== load<u64>(at)) return false;
    text += 8;
    at += 8;
    rest -= 8;
  }
  if (rest === 0) return true;
  const shift = <u64>((8 - rest) << 3);
  return load<u64>(text) << shift === load<u64>(at) << shift;
}
