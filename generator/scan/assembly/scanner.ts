/**
 * Checks JSON texts against a program, byte by byte, without making values of them. What it accepts is one JSON value in
 * valid spelling (RFC 8259) that its node admits, with no name twice in one object and no number that JavaScript might not
 * hold; what it does not accept may be all of that just the same.
 *
 * AssemblyScript, as all of this folder, compiled by `npm run scanner` into ../scanner-wasm.ts.
 */

import { HASH, TYPE, TYPE_SLOTS, TYPE_TABLE } from "../layout";
import { blank, byteAt, COLON, COMMA, QUOTE, stands } from "./bytes";
import { scanString } from "./strings";
import { anything, enter, scan } from "./values";

export { ageIds, meetId } from "./ids";
export { measure } from "./measure";
export { pass, share } from "./share";

/** The name of the discriminator, as JSON spells it. */
let mark: i32 = 0;
let markLength: i32 = 0;
/** Where it stood in the event before. */
let habit: i32 = 0;
const AROUND: i32 = 24;

/** Says which text of the program is the name of the field that names the type. */
export function discriminate(place: i32, length: i32): void {
  mark = place;
  markLength = length;
}

/** Leaves the hash of the event's type at HASH, and its number at TYPE. Where the event ends that begins at `start`; -1 if it was not accepted, -2 if its type is not known. */
export function scanEvent(start: i32): i32 {
  const likely = likelyType(start);
  const end = likely < 0 ? -1 : scanTyped(start, likely);
  if (end !== -1) return end;
  const at = typeAt(start);
  if (at < 0 || at === likely) return -1;
  return scanTyped(start, at);
}

/** The same, if the type begins at `at`. */
function scanTyped(start: i32, at: i32): i32 {
  let hash: u32 = 0x811c9dc5;
  let letter = at;
  for (let byte = byteAt(letter); byte !== QUOTE && byte >= 0x20; byte = byteAt(++letter))
    hash = (hash ^ byte) * 0x01000193;
  store<u32>(HASH, hash);
  for (let slot = hash & (TYPE_SLOTS - 1), tries = 0; tries < TYPE_SLOTS; tries++) {
    const entry = TYPE_TABLE + slot * 12;
    const number = load<i32>(entry, 8);
    if (number === 0) return -2;
    if (load<u32>(entry) === hash) {
      store<i32>(TYPE, number - 1);
      return scan(load<i32>(entry, 4), start);
    }
    slot = (slot + 1) & (TYPE_SLOTS - 1);
  }
  return -2;
}

/** Makes `number` the number of the type with that hash, and `node` its node. */
export function learn(hash: u32, node: i32, number: i32): void {
  let slot = hash & (TYPE_SLOTS - 1);
  while (load<i32>(TYPE_TABLE + slot * 12, 8) !== 0) slot = (slot + 1) & (TYPE_SLOTS - 1);
  store<u32>(TYPE_TABLE + slot * 12, hash);
  store<i32>(TYPE_TABLE + slot * 12, node, 4);
  store<i32>(TYPE_TABLE + slot * 12, number + 1, 8);
}

/** Where the type's first character seems to stand, because it stood there or near it in the event before; or -1. */
function likelyType(start: i32): i32 {
  const before = start + habit;
  if (isMark(before)) return textAfter(before + markLength);
  for (let at = max(start + 1, before - AROUND); at <= before + AROUND; at++)
    if (isMark(at)) {
      habit = at - start;
      return textAfter(at + markLength);
    }
  return -1;
}

function isMark(at: i32): bool {
  return byteAt(at) === QUOTE && stands(mark, markLength, at);
}

/** Where the first character of a string stands after a colon that follows here, with blanks or without; or -1. */
function textAfter(from: i32): i32 {
  let at = blank(from);
  if (byteAt(at) !== COLON) return -1;
  at = blank(at + 1);
  return byteAt(at) === QUOTE ? at + 1 : -1;
}

/** Where the type's first character stands among the members of the object that begins at `start`; or -1. */
function typeAt(start: i32): i32 {
  if (byteAt(start) !== 0x7b) return -1;
  enter();
  let at = blank(start + 1);
  while (byteAt(at) === QUOTE) {
    if (isMark(at)) {
      habit = at - start;
      return textAfter(at + markLength);
    }
    const end = scanString(at + 1);
    if (end < 0) return -1;
    at = blank(end);
    if (byteAt(at) !== COLON) return -1;
    at = anything(blank(at + 1));
    if (at < 0) return -1;
    at = blank(at);
    if (byteAt(at) !== COMMA) return -1;
    at = blank(at + 1);
  }
  return -1;
}
