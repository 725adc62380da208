/** Scans values and checks them against the nodes of a program in one pass. */
import {
  ANY,
  ANY_OBJECT,
  ANYTHING,
  ARRAY,
  BOOLEAN,
  CELLS,
  ENUM,
  ESCAPED,
  FIELD,
  FIELDS,
  GENERATIONS,
  GROUPS,
  KIND_BITS,
  MAX_DEPTH,
  MAX_INTERNED_LENGTH,
  MAX_MEMBERS,
  MAX_NAMES,
  MEMBER,
  NAMES,
  NULL,
  NUMBER,
  OBJECT,
  OBJECT_HEAD,
  PRESENT,
  STRING,
  TYPES,
} from "../layout";
import { byteAt, COLON, COMMA, cell, isTextAt, QUOTE, skipBlanks } from "./bytes";
import { intern } from "./intern";
import { scanBoolean, scanNull, scanNumber } from "./numbers";
import { kind, scanEnum, scanString, scanStringNode, setKind } from "./strings";

/** The nesting of the value that is being scanned. */
let depth: i32 = 0;

function scanArray(start: i32, items: i32, min: i32, max: i32): i32 {
  if (depth >= MAX_DEPTH) return -1;
  let at = skipBlanks(start + 1);
  let count = 0;
  if (byteAt(at) === 0x5d) at++;
  else {
    depth++;
    while (true) {
      at = scanValue(items, at);
      if (at < 0) return -1;
      count++;
      let byte = byteAt(at);
      if (byte <= 0x20) {
        at = skipBlanks(at);
        byte = byteAt(at);
      }
      at++;
      if (byte === 0x5d) break;
      if (byte !== COMMA) return -1;
      if (byteAt(at) <= 0x20) at = skipBlanks(at);
    }
    depth--;
  }
  return count >= min && (max < 0 || count <= max) ? at : -1;
}

/** Adds the name from `start` to `end` to the `count` undeclared names of the object. Returns false if it is one of them. */
function addName(start: i32, end: i32, count: i32): bool {
  const base = NAMES + ((MAX_NAMES * depth) << 3);
  const length = end - start;
  for (let i = base; i < base + (count << 3); i += 8) {
    const other = load<i32>(i);
    if (load<i32>(i, 4) - other === length && memory.compare(other, start, length) === 0) return false;
  }
  store<i32>(base + (count << 3), start);
  store<i32>(base + (count << 3), end, 4);
  return true;
}

/** Writes the place of a member's value to FIELDS, and interns a short text if its texts occur often. */
function storeField(index: i32, start: i32, end: i32, isCommon: i32): void {
  const length = end - start - 2;
  let number = 0;
  if (isCommon !== 0 && byteAt(start) === QUOTE && kind === 0 && length <= MAX_INTERNED_LENGTH) {
    number = intern(start + 1, length);
    setKind((number + 1) << KIND_BITS);
  }
  const field = FIELDS + ((index * FIELD) << 2);
  store<i32>(field, start);
  store<i32>(field, end, 4);
  store<i32>(field, kind, 8);
  store<i32>(field, load<i32>(GENERATIONS + (number << 2)), 12);
}

function scanObject(node: i32, start: i32): i32 {
  if (depth >= MAX_DEPTH) return -1;
  const view = cell(node + 1);
  const count = cell(node + 2);
  const others = cell(node + 5);
  const first = node + OBJECT_HEAD;
  let present: u64 = 0;
  let undeclared = 0;
  let expected = 0;
  let at = start + 1;
  if (byteAt(at) <= 0x20) at = skipBlanks(at);
  if (byteAt(at) === 0x7d) at++;
  else {
    depth++;
    while (true) {
      if (byteAt(at) !== QUOTE) return -1;
      let index = -1;
      let candidate = expected;
      let child = others;
      let isCommon = 0;
      for (let i = 0; i < count; i++) {
        const member = first + MEMBER * candidate;
        const length = cell(member + 1);
        if (isTextAt(cell(member), length, at)) {
          index = candidate;
          at += length;
          child = cell(member + 2);
          isCommon = cell(member + 3);
          break;
        }
        if (++candidate === count) candidate = 0;
      }
      if (index < 0) {
        if (others === 0 || undeclared >= MAX_NAMES) return -1;
        const end = scanString(at + 1);
        // An escaped name may be a declared one.
        if (end < 0 || (kind & ESCAPED) !== 0 || !addName(at, end, undeclared)) return -1;
        undeclared++;
        at = end;
      } else {
        const bit: u64 = 1 << (<u64>index);
        if ((present & bit) !== 0) return -1;
        present |= bit;
        expected = index + 1 === count ? 0 : index + 1;
      }
      if (byteAt(at) !== COLON) {
        at = skipBlanks(at);
        if (byteAt(at) !== COLON) return -1;
      }
      at++;
      if (byteAt(at) <= 0x20) at = skipBlanks(at);
      const from = at;
      at = scanValue(child, at);
      if (at < 0) return -1;
      if (view >= 0) storeField(view * MAX_MEMBERS + index, from, at, isCommon);
      let byte = byteAt(at);
      if (byte <= 0x20) {
        at = skipBlanks(at);
        byte = byteAt(at);
      }
      at++;
      if (byte === 0x7d) break;
      if (byte !== COMMA) return -1;
      if (byteAt(at) <= 0x20) at = skipBlanks(at);
    }
    depth--;
  }
  const needed = load<u64>(CELLS + ((node + 3) << 2));
  if ((present & needed) !== needed) return -1;
  if (view >= 0) store<u64>(PRESENT + (view << 3), present);
  return at;
}

/** Returns the end of the value that begins at `start`; -1 if it is not valid. */
export function scanAnything(start: i32): i32 {
  const byte = byteAt(start);
  if (byte === QUOTE) return scanString(start + 1);
  if (byte === 0x7b) return scanObject(ANY_OBJECT, start);
  if (byte === 0x5b) return scanArray(start, ANYTHING, 0, -1);
  if (byte === 0x74 || byte === 0x66) return scanBoolean(start, 3);
  if (byte === 0x6e) return scanNull(start);
  return scanNumber(start, 0, -1);
}

/** Returns the index, in a node TYPES, of the node for values that begin with that byte. */
function typeIndex(byte: u32): i32 {
  if (byte === QUOTE) return 4;
  if (byte === 0x7b) return 6;
  if (byte === 0x5b) return 5;
  if (byte === 0x6e) return 1;
  return byte === 0x74 || byte === 0x66 ? 2 : 3;
}

function scanByType(node: i32, start: i32): i32 {
  const child = cell(node + typeIndex(byteAt(start)));
  return child === 0 ? -1 : scanValue(child, start);
}

function scanGroups(node: i32, start: i32): i32 {
  const held = depth;
  const end = scanValue(cell(node + 1), start);
  const groupCount = end < 0 ? 0 : cell(node + 2);
  const before = kind;
  let at = node + 3;
  for (let group = 0; group < groupCount; group++) {
    const count = cell(at);
    let admitted = false;
    for (let i = 1; i <= count && !admitted; i++) {
      depth = held;
      admitted = scanValue(cell(at + i), start) >= 0;
    }
    if (!admitted) return -1;
    at += count + 1;
  }
  depth = held;
  setKind(before);
  return end;
}

function scanValue(node: i32, start: i32): i32 {
  const byte = byteAt(start);
  switch (cell(node)) {
    case STRING:
      return byte === QUOTE ? scanStringNode(node, start) : -1;
    case NUMBER:
      return scanNumber(start, cell(node + 1), cell(node + 2));
    case ENUM:
      return scanEnum(node, start);
    case OBJECT:
      return byte === 0x7b ? scanObject(node, start) : -1;
    case ARRAY:
      return byte === 0x5b ? scanArray(start, cell(node + 3), cell(node + 1), cell(node + 2)) : -1;
    case BOOLEAN:
      return scanBoolean(start, cell(node + 1));
    case NULL:
      return scanNull(start);
    case TYPES:
      return scanByType(node, start);
    case GROUPS:
      return scanGroups(node, start);
    case ANY:
      return scanAnything(start);
    default:
      return -1;
  }
}

/** Returns the end of the event that begins at `start`; -1 if `node` does not certainly admit it. */
export function scanProgram(node: i32, start: i32): i32 {
  depth = 0;
  return scanValue(node, start);
}

/** Sets the nesting to that of the members of an event. */
export function enterObject(): void {
  depth = 1;
}
