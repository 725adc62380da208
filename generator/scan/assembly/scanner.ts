/**
 * Checks JSON texts against a program, byte by byte, without making values of them. An accepted text is one JSON value in
 * valid spelling (RFC 8259) that its node admits, with no name twice in one object and no number that JavaScript might
 * round. A text that is not accepted may have all of these properties too.
 *
 * AssemblyScript, like all of this folder. `npm run scanner` compiles it into ../scanner-wasm.ts.
 */

import { TYPE_HASH, TYPE_NUMBER, TYPE_SLOTS, TYPE_TABLE } from "../layout";
import { byteAt, COLON, COMMA, isTextAt, OPEN_BRACE, QUOTE, skipBlanks } from "./bytes";
import { scanString } from "./strings";
import { enterObject, scanAnything, scanProgram } from "./values";

export { rememberId, rotateIds } from "./ids";
export { measure } from "./measure";
export { setShardField, skipOtherShards } from "./shards";

/** The name of the discriminator, as JSON spells it. */
let discriminator: i32 = 0;
let discriminatorLength: i32 = 0;
/** The place of the discriminator in the event before, relative to the start of the event. */
let lastPlace: i32 = 0;
/** The greatest distance from that place at which the next discriminator is searched. */
const AROUND: i32 = 24;

/** Sets the name of the discriminator, which is a text of the program. */
export function setDiscriminator(place: i32, length: i32): void {
  discriminator = place;
  discriminatorLength = length;
}

/**
 * Returns the end of the event that begins at `start`; -1 if it was not accepted, -2 if its type is not in the table. Writes
 * the hash of its type to TYPE_HASH, and the number of the type to TYPE_NUMBER.
 */
export function scanEvent(start: i32): i32 {
  const likely = guessType(start);
  const end = likely < 0 ? -1 : scanTyped(start, likely);
  if (end !== -1) return end;
  const at = findType(start);
  if (at < 0 || at === likely) return -1;
  return scanTyped(start, at);
}

/** Scans an event, the name of whose type begins at `at`. Returns the same as `scanEvent`. */
function scanTyped(start: i32, at: i32): i32 {
  let hash: u32 = 0x811c9dc5;
  let letter = at;
  for (let byte = byteAt(letter); byte !== QUOTE && byte >= 0x20; byte = byteAt(++letter))
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

/** Adds the type with that hash to the table, with its node and its number. */
export function addType(hash: u32, node: i32, number: i32): void {
  let slot = hash & (TYPE_SLOTS - 1);
  while (load<i32>(TYPE_TABLE + slot * 12, 8) !== 0) slot = (slot + 1) & (TYPE_SLOTS - 1);
  store<u32>(TYPE_TABLE + slot * 12, hash);
  store<i32>(TYPE_TABLE + slot * 12, node, 4);
  store<i32>(TYPE_TABLE + slot * 12, number + 1, 8);
}

/** Returns the place where the name of the type probably begins, near the place where it began in the event before; or -1. */
function guessType(start: i32): i32 {
  const before = start + lastPlace;
  if (isDiscriminator(before)) return findTextAfterColon(before + discriminatorLength);
  for (let at = max(start + 1, before - AROUND); at <= before + AROUND; at++)
    if (isDiscriminator(at)) {
      lastPlace = at - start;
      return findTextAfterColon(at + discriminatorLength);
    }
  return -1;
}

function isDiscriminator(at: i32): bool {
  return byteAt(at) === QUOTE && isTextAt(discriminator, discriminatorLength, at);
}

/** Returns the place of the first character of the string after the colon at `from`, both perhaps after blanks; or -1. */
function findTextAfterColon(from: i32): i32 {
  let at = skipBlanks(from);
  if (byteAt(at) !== COLON) return -1;
  at = skipBlanks(at + 1);
  return byteAt(at) === QUOTE ? at + 1 : -1;
}

/** Returns the place where the name of the type begins, which it searches among the members of the object at `start`; or -1. */
function findType(start: i32): i32 {
  if (byteAt(start) !== OPEN_BRACE) return -1;
  enterObject();
  let at = skipBlanks(start + 1);
  while (byteAt(at) === QUOTE) {
    if (isDiscriminator(at)) {
      lastPlace = at - start;
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
