/**
 * Checks JSON texts against a program, byte by byte, without creating values. An accepted text is one JSON value in valid
 * syntax (RFC 8259) that its node admits. No object has a name twice, and JavaScript rounds none of the numbers. A text that
 * is not accepted may also have all of these properties.
 *
 * This folder is written in AssemblyScript. `npm run scanner` compiles it into ../scanner-wasm.ts.
 */

import { TYPE_HASH, TYPE_NUMBER, TYPE_SLOTS, TYPE_TABLE } from "../layout";
import { byteAt, COLON, COMMA, isTextAt, OPEN_BRACE, QUOTE, skipBlanks } from "./bytes";
import { scanString } from "./strings";
import { enterObject, scanAnything, scanProgram } from "./values";

export { computeCrc } from "./checksum";
export { rememberId, rotateIds } from "./ids";
export { measure } from "./measure";
export { setShardField, skipOtherShards } from "./shards";

/** The address and the length of the name of the discriminator as a JSON string. */
let discriminator: i32 = 0;
let discriminatorLength: i32 = 0;
/** The offset of the discriminator in the event before. */
let lastOffset: i32 = 0;
/** The greatest distance from this offset at which the next discriminator is searched. */
const MAX_DISTANCE: i32 = 24;

/** Sets the name of the discriminator, which is a text of the program. */
export function setDiscriminator(text: i32, length: i32): void {
  discriminator = text;
  discriminatorLength = length;
}

/**
 * Returns the end of the event that begins at `start`; -1 if it was not accepted, -2 if its type is not in the table. Writes
 * the hash of its type to TYPE_HASH, and the number of the type to TYPE_NUMBER.
 */
export function scanEvent(start: i32): i32 {
  const guess = guessType(start);
  const end = guess < 0 ? -1 : scanEventOfType(start, guess);
  if (end !== -1) return end;
  const type = findType(start);
  if (type < 0 || type === guess) return -1;
  return scanEventOfType(start, type);
}

/** Scans an event. The name of its type begins at `type`. Returns the same as `scanEvent`. */
function scanEventOfType(start: i32, type: i32): i32 {
  let hash: u32 = 0x811c9dc5;
  let at = type;
  for (let byte = byteAt(at); byte !== QUOTE && byte >= 0x20; byte = byteAt(++at))
    hash = (hash ^ byte) * 0x01000193;
  store<u32>(TYPE_HASH, hash);
  for (let slot = hash & (TYPE_SLOTS - 1), tries = 0; tries < TYPE_SLOTS; tries++) {
    const entry = TYPE_TABLE + slot * 12;
    const number = load<i32>(entry, 8);
    if (number === 0) return -2;
    if (load<u32>(entry) === hash) {
      store<i32>(TYPE_NUMBER, number - 1);
      return scanProgram(load<i32>(entry, 4), start);
    }
    slot = (slot + 1) & (TYPE_SLOTS - 1);
  }
  return -2;
}

/** Adds the type with this hash to the table, with its node and its number. */
export function addType(hash: u32, node: i32, number: i32): void {
  let slot = hash & (TYPE_SLOTS - 1);
  while (load<i32>(TYPE_TABLE + slot * 12, 8) !== 0) slot = (slot + 1) & (TYPE_SLOTS - 1);
  store<u32>(TYPE_TABLE + slot * 12, hash);
  store<i32>(TYPE_TABLE + slot * 12, node, 4);
  store<i32>(TYPE_TABLE + slot * 12, number + 1, 8);
}

/** Searches for the name of the type near its offset in the event before. Returns its address, or -1. */
function guessType(start: i32): i32 {
  const expected = start + lastOffset;
  if (isDiscriminator(expected)) return findTextAfterColon(expected + discriminatorLength);
  for (let at = max(start + 1, expected - MAX_DISTANCE); at <= expected + MAX_DISTANCE; at++)
    if (isDiscriminator(at)) {
      lastOffset = at - start;
      return findTextAfterColon(at + discriminatorLength);
    }
  return -1;
}

function isDiscriminator(at: i32): bool {
  return byteAt(at) === QUOTE && isTextAt(discriminator, discriminatorLength, at);
}

/** Returns the address of the first character of the string after a colon, or -1. Blanks may precede both. */
function findTextAfterColon(from: i32): i32 {
  let at = skipBlanks(from);
  if (byteAt(at) !== COLON) return -1;
  at = skipBlanks(at + 1);
  return byteAt(at) === QUOTE ? at + 1 : -1;
}

/** Searches for the name of the type among the members of the object at `start`. Returns its address, or -1. */
function findType(start: i32): i32 {
  if (byteAt(start) !== OPEN_BRACE) return -1;
  enterObject();
  let at = skipBlanks(start + 1);
  while (byteAt(at) === QUOTE) {
    if (isDiscriminator(at)) {
      lastOffset = at - start;
      return findTextAfterColon(at + discriminatorLength);
    }
    const end = scanString(at + 1);
    if (end < 0) return -1;
    at = skipBlanks(end);
    if (byteAt(at) !== COLON) return -1;
    at = scanAnything(skipBlanks(at + 1));
    if (at < 0) return -1;
    at = skipBlanks(at);
    if (byteAt(at) !== COMMA) return -1;
    at = skipBlanks(at + 1);
  }
  return -1;
}
