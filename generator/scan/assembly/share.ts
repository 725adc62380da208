/** Lines that are not this thread's, as ingest/shard.ts tells them apart. */
import { PASSED } from "../layout";
import { BACKSLASH, byteAt, QUOTE, stands } from "./bytes";

/** The name of the field that tells streams apart, as JSON spells it, with a colon and the quotation mark of its value. */
let mark: i32 = 0;
let markLength: i32 = 0;

/** Says which text of the program that is. */
export function share(place: i32, length: i32): void {
  mark = place;
  markLength = length;
}

const LF: i32 = 0x0a;

/** The place of the first byte like this from `start` on, but not behind `stop`. */
function find(byte: i32, start: i32, stop: i32): i32 {
  const wanted = i8x16.splat(<i8>byte);
  for (let at = start; at < stop; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (found !== 0) return min(at + ctz(found), stop);
  }
  return stop;
}

/** The number of the share that the line from `start` to `stop` belongs to; -1 if that is doubtful. */
function ownerOf(start: i32, stop: i32, shares: i32): i32 {
  let at = find(<i32>QUOTE, start, stop);
  while (at < stop && !stands(mark, markLength, at)) at = find(<i32>QUOTE, at + 1, stop);
  let hash: u32 = 0x811c9dc5;
  for (at += markLength; at < stop; at++) {
    const byte = byteAt(at);
    if (byte === QUOTE) return hash % shares;
    if (byte < 0x20 || byte > 0x7d || byte === BACKSLASH || byte === 0x2f) return -1;
    hash = (hash ^ byte) * 0x01000193;
  }
  return -1;
}

/** Where the first line begins, from `start` on, that is not surely another's than `index`, or what follows `stop`. Leaves at PASSED how many lines come before it, and whether it is surely his. */
export function pass(start: i32, stop: i32, index: i32, shares: i32): i32 {
  let lines = 0;
  let from = start;
  let owner = -1;
  while (from < stop) {
    const end = find(LF, from, stop);
    owner = ownerOf(from, end, shares);
    if (owner < 0 || owner === index) break;
    lines++;
    from = end + 1;
  }
  store<i32>(PASSED, lines);
  store<i32>(PASSED, owner === index ? 1 : 0, 4);
  return from;
}
