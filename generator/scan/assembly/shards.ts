/** Skips the lines of other threads, by the same rule as ingest/shard.ts. */
import { SKIPPED } from "../layout";
import { BACKSLASH, byteAt, isTextAt, LINE_FEED, QUOTE, SLASH, SPACE } from "./bytes";

/**
 * The address and the length of a text: the name of the field that identifies streams as a JSON string, a colon, and the
 * quotation mark of its value.
 */
let field: i32 = 0;
let fieldLength: i32 = 0;

/** Sets the name of the field, which is a text of the program. */
export function setShardField(text: i32, length: i32): void {
  field = text;
  fieldLength = length;
}

/** Returns the address of the first byte of this value from `start` on; `stop` if there is none before `stop`. */
function findByte(byte: i32, start: i32, stop: i32): i32 {
  const wanted = i8x16.splat(<i8>byte);
  for (let at = start; at < stop; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (found !== 0) return min(at + ctz(found), stop);
  }
  return stop;
}

/** Returns the number of the shard to which the line from `start` to `stop` belongs; -1 if that is uncertain. */
function findShard(start: i32, stop: i32, shards: i32): i32 {
  let at = findByte(<i32>QUOTE, start, stop);
  while (at < stop && !isTextAt(field, fieldLength, at)) at = findByte(<i32>QUOTE, at + 1, stop);
  let hash: u32 = 0x811c9dc5;
  for (at += fieldLength; at < stop; at++) {
    const byte = byteAt(at);
    if (byte === QUOTE) return hash % shards;
    if (byte < SPACE || byte > 0x7d || byte === BACKSLASH || byte === SLASH) return -1;
    hash = (hash ^ byte) * 0x01000193;
  }
  return -1;
}

/**
 * Returns the start of the first line, from `start` on, that may belong to the shard `index`; the address after `stop` if
 * there is none. Writes the number of lines before it to SKIPPED, and whether it certainly belongs to the shard.
 */
export function skipOtherShards(start: i32, stop: i32, index: i32, shards: i32): i32 {
  let lines = 0;
  let from = start;
  let owner = -1;
  while (from < stop) {
    const end = findByte(<i32>LINE_FEED, from, stop);
    owner = findShard(from, end, shards);
    if (owner < 0 || owner === index) break;
    lines++;
    from = end + 1;
  }
  store<i32>(SKIPPED, lines);
  store<i32>(SKIPPED, owner === index ? 1 : 0, 4);
  return from;
}
