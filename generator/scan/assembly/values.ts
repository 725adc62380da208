/** Scans values and checks them against the nodes of a program in one pass. */
import {
  ANY,
  ANY_OBJECT,
  ANYTHING,
  ARRAY,
  ARRAY_ITEMS,
  ARRAY_MAX,
  ARRAY_MIN,
  BOOLEAN,
  CELLS,
  ENUM,
  ESCAPED,
  FIELD,
  FIELDS,
  GENERATIONS,
  GROUP_COUNT,
  GROUPS,
  GROUPS_HEAD,
  GROUPS_NODE,
  KIND_BITS,
  MAX_DEPTH,
  MAX_INTERNED_LENGTH,
  MAX_MEMBERS,
  MAX_NAMES,
  MEMBER,
  MEMBER_IS_COMMON,
  MEMBER_NAME_LENGTH,
  MEMBER_NODE,
  NAMES,
  NOTHING,
  NULL,
  NUMBER,
  OBJECT,
  OBJECT_HEAD,
  OBJECT_MEMBER_COUNT,
  OBJECT_REQUIRED,
  OBJECT_UNDECLARED,
  OBJECT_VIEW,
  PRESENT,
  STRING,
  TYPES,
} from "../layout";
import {
  byteAt,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  cell,
  isTextAt,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  skipBlanks,
} from "./bytes";
import { intern } from "./intern";
import { scanBoolean, scanNull, scanNumber } from "./numbers";
import { PLAIN, scanEnum, scanString, scanStringNode, setStringBits, stringBits } from "./strings";

/** The nesting of the value that is being scanned. */
let depth: i32 = 0;

/** Returns the end of the array that begins at `start`; -1 if it is not admitted. `max` is -1 if there is no limit. */
function scanArray(start: i32, items: i32, min: i32, max: i32): i32 {
  if (depth >= MAX_DEPTH) return -1;
  let at = skipBlanks(start + 1);
  let count = 0;
  if (byteAt(at) === CLOSE_BRACKET) at++;
  else {
    depth++;
    while (true) {
      at = scanValue(items, at);
      if (at < 0) return -1;
      count++;
      let byte = byteAt(at);
      if (byte <= SPACE) {
        at = skipBlanks(at);
        byte = byteAt(at);
      }
      at++;
      if (byte === CLOSE_BRACKET) break;
      if (byte !== COMMA) return -1;
      if (byteAt(at) <= SPACE) at = skipBlanks(at);
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

/**
 * Writes the place of a member's value to FIELDS, and interns a short text if its texts occur often. Also writes the
 * generation of the number of the interned text; the number is 0 if the text is not interned.
 */
function storeField(index: i32, start: i32, end: i32, isCommon: i32): void {
  const length = end - start - 2;
  let internedNumber = 0;
  if (isCommon !== 0 && byteAt(start) === QUOTE && stringBits === PLAIN && length <= MAX_INTERNED_LENGTH) {
    internedNumber = intern(start + 1, length);
    setStringBits((internedNumber + 1) << KIND_BITS);
  }
  const field = FIELDS + ((index * FIELD) << 2);
  store<i32>(field, start);
  store<i32>(field, end, 4);
  store<i32>(field, stringBits, 8);
  store<i32>(field, load<i32>(GENERATIONS + (internedNumber << 2)), 12);
}

/** Returns the end of the object that begins at `start`; -1 if the node OBJECT does not admit it. */
function scanObject(node: i32, start: i32): i32 {
  if (depth >= MAX_DEPTH) return -1;
  const view = cell(node + OBJECT_VIEW);
  const count = cell(node + OBJECT_MEMBER_COUNT);
  const undeclaredNode = cell(node + OBJECT_UNDECLARED);
  const firstMember = node + OBJECT_HEAD;
  /** The members that the object has, as bits. */
  let present: u64 = 0;
  let undeclaredCount = 0;
  /** The index of the member that probably comes next. */
  let expected = 0;
  let at = start + 1;
  if (byteAt(at) <= SPACE) at = skipBlanks(at);
  if (byteAt(at) === CLOSE_BRACE) at++;
  else {
    depth++;
    while (true) {
      if (byteAt(at) !== QUOTE) return -1;
      let index = -1;
      let candidate = expected;
      let child = undeclaredNode;
      let isCommon = 0;
      for (let i = 0; i < count; i++) {
        const member = firstMember + MEMBER * candidate;
        const length = cell(member + MEMBER_NAME_LENGTH);
        if (isTextAt(cell(member), length, at)) {
          index = candidate;
          at += length;
          child = cell(member + MEMBER_NODE);
          isCommon = cell(member + MEMBER_IS_COMMON);
          break;
        }
        if (++candidate === count) candidate = 0;
      }
      if (index < 0) {
        if (undeclaredNode === NOTHING || undeclaredCount >= MAX_NAMES) return -1;
        const end = scanString(at + 1);
        // An escaped name may be a declared one.
        if (end < 0 || (stringBits & ESCAPED) !== 0 || !addName(at, end, undeclaredCount)) return -1;
        undeclaredCount++;
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
      if (byteAt(at) <= SPACE) at = skipBlanks(at);
      const from = at;
      at = scanValue(child, at);
      if (at < 0) return -1;
      if (view >= 0) storeField(view * MAX_MEMBERS + index, from, at, isCommon);
      let byte = byteAt(at);
      if (byte <= SPACE) {
        at = skipBlanks(at);
        byte = byteAt(at);
      }
      at++;
      if (byte === CLOSE_BRACE) break;
      if (byte !== COMMA) return -1;
      if (byteAt(at) <= SPACE) at = skipBlanks(at);
    }
    depth--;
  }
  const required = load<u64>(CELLS + ((node + OBJECT_REQUIRED) << 2));
  if ((present & required) !== required) return -1;
  if (view >= 0) store<u64>(PRESENT + (view << 3), present);
  return at;
}

/** Returns the end of the value that begins at `start`; -1 if it is not valid. */
export function scanAnything(start: i32): i32 {
  const byte = byteAt(start);
  if (byte === QUOTE) return scanString(start + 1);
  if (byte === OPEN_BRACE) return scanObject(ANY_OBJECT, start);
  if (byte === OPEN_BRACKET) return scanArray(start, ANYTHING, 0, -1);
  if (byte === LETTER_T || byte === LETTER_F) return scanBoolean(start, 3);
  if (byte === LETTER_N) return scanNull(start);
  return scanNumber(start, 0, -1);
}

/** Returns the index, in a node TYPES, of the node for values that begin with this byte. */
function findTypeIndex(byte: u32): i32 {
  if (byte === QUOTE) return 4;
  if (byte === OPEN_BRACE) return 6;
  if (byte === OPEN_BRACKET) return 5;
  if (byte === LETTER_N) return 1;
  return byte === LETTER_T || byte === LETTER_F ? 2 : 3;
}

function scanByType(node: i32, start: i32): i32 {
  const child = cell(node + findTypeIndex(byteAt(start)));
  return child === NOTHING ? -1 : scanValue(child, start);
}

/**
 * Returns the end of the value if the node and one node of each group admit it; -1 otherwise. The depth and the string bits
 * are those of the first scan, because the trials of the groups change them.
 */
function scanGroups(node: i32, start: i32): i32 {
  const depthBefore = depth;
  const end = scanValue(cell(node + GROUPS_NODE), start);
  const groupCount = end < 0 ? 0 : cell(node + GROUP_COUNT);
  const bitsBefore = stringBits;
  let at = node + GROUPS_HEAD;
  for (let group = 0; group < groupCount; group++) {
    const count = cell(at);
    let isAdmitted = false;
    for (let i = 1; i <= count && !isAdmitted; i++) {
      depth = depthBefore;
      isAdmitted = scanValue(cell(at + i), start) >= 0;
    }
    if (!isAdmitted) return -1;
    at += count + 1;
  }
  depth = depthBefore;
  setStringBits(bitsBefore);
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
      return byte === OPEN_BRACE ? scanObject(node, start) : -1;
    case ARRAY:
      return byte === OPEN_BRACKET
        ? scanArray(start, cell(node + ARRAY_ITEMS), cell(node + ARRAY_MIN), cell(node + ARRAY_MAX))
        : -1;
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
