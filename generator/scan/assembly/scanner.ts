/**
 * Checks JSON texts against a program, byte by byte, without making values of them. What it accepts is one JSON value in
 * valid spelling (RFC 8259) that its node admits, with no name twice in one object, no number that JavaScript might not
 * hold, and no escaped surrogate; what it does not accept may be all of that just the same.
 *
 * AssemblyScript, compiled by `npm run scanner` into ../scanner-wasm.ts.
 */
import {
  ACCEPTS,
  ALSO,
  AMONG,
  ANY,
  ANY_OBJECT,
  ANYTHING,
  ARRAY,
  BOOLEAN,
  BOUNDS,
  CELLS,
  DEEPEST,
  ESCAPED,
  FIELD,
  FIELDS,
  GENERATIONS,
  HASH,
  INTERN_CELL,
  INTERN_SLOTS,
  INTERNED,
  KIND_BITS,
  LONGEST_INTERNED,
  MEMBER,
  MOST_MEMBERS,
  MOST_NAMES,
  MOST_STATES,
  NAMES,
  NEXT,
  NULL,
  NUMBER,
  OBJECT,
  OBJECT_HEAD,
  PRESENT,
  STRING,
  TEXTS,
  TYPE,
  TYPE_SLOTS,
  TYPE_TABLE,
  TYPES,
  WIDE,
} from "./layout";

/** Works out a step of an automaton that was not made yet; -1 if there is none. */
declare function extend(automaton: i32, state: i32, byte: i32): i32;

/** 1 if the string from `start` to `end`, quotation marks included, matches a pattern. */
declare function test(pattern: i32, start: i32, end: i32, kind: i32): i32;

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const MINUS: u32 = 0x2d;
const MOST_DIGITS: i32 = 15;

/** 2^64 over the golden ratio. */
const MIXER: u64 = ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;

let depth: i32 = 0;
/** WIDE and ESCAPED of the string that was read last. */
let kind: i32 = 0;

function byteAt(at: i32): u32 {
  return load<u8>(at);
}

function cell(index: i32): i32 {
  return load<i32>(CELLS + (index << 2));
}

function blank(from: i32): i32 {
  let at = from;
  for (let byte = byteAt(at); byte === 0x20 || byte === 0x09 || byte === 0x0d; byte = byteAt(at)) at++;
  return at;
}

/** The end of a string whose first character stands at `from`; sixteen bytes are looked at together. */
function scanString(from: i32): i32 {
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
  // A surrogate, which may lack its partner.
  if ((byteAt(at + 1) | 0x20) === 0x64 && byteAt(at + 2) > 0x37) return -1;
  return at + 5;
}

function isHex(byte: u32): bool {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

function strings(node: i32, start: i32): i32 {
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

function among(node: i32, start: i32): i32 {
  const count = cell(node + 1);
  kind = 0;
  for (let i = 0, at = node + 2; i < count; i++, at += 2)
    if (stands(cell(at), cell(at + 1), start)) return start + cell(at + 1);
  return -1;
}

/** Whether the text of that place and length stands at `at`. What follows it in memory can be read, too. */
function stands(place: i32, length: i32, at: i32): bool {
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

/** A number; `bound` is -1 and `whole` 0 if it may be any. */
function number(start: i32, whole: i32, bound: i32): i32 {
  let at = start;
  const negative = byteAt(at) === MINUS;
  if (negative) at++;
  const first = at;
  let value: i64 = 0;
  let digit = byteAt(at) - 0x30;
  while (digit <= 9) {
    value = value * 10 + digit;
    digit = byteAt(++at) - 0x30;
  }
  const digits = at - first;
  if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && byteAt(first) === 0x30)) return -1;
  let fraction = false;
  if (byteAt(at) === 0x2e) {
    const point = at;
    digit = byteAt(++at) - 0x30;
    while (digit <= 9) {
      if (digit > 0) fraction = true;
      digit = byteAt(++at) - 0x30;
    }
    if (whole === 1 || at === point + 1) return -1;
  }
  if ((byteAt(at) | 0x20) === 0x65) return -1;
  if (bound < 0) return at;
  // With a fraction the number lies between two whole ones.
  const size = <f64>value;
  const low = negative ? (fraction ? -size - 1 : -size) : size;
  const high = negative ? -size : fraction ? size + 1 : size;
  return low >= load<f64>(BOUNDS + (bound << 4)) && high <= load<f64>(BOUNDS + (bound << 4) + 8) ? at : -1;
}

function nothing(start: i32): i32 {
  return load<u32>(start) === 0x6c6c756e ? start + 4 : -1;
}

function boolean(start: i32, allowed: i32): i32 {
  if (load<u32>(start) === 0x65757274) return allowed & 1 ? start + 4 : -1;
  return load<u32>(start) === 0x736c6166 && byteAt(start + 4) === 0x65 && (allowed & 2) !== 0
    ? start + 5
    : -1;
}

function array(start: i32, items: i32, min: i32, max: i32): i32 {
  if (depth >= DEEPEST) return -1;
  let at = blank(start + 1);
  let count = 0;
  if (byteAt(at) === 0x5d) at++;
  else {
    depth++;
    while (true) {
      at = value(items, at);
      if (at < 0) return -1;
      count++;
      let byte = byteAt(at);
      if (byte <= 0x20) {
        at = blank(at);
        byte = byteAt(at);
      }
      at++;
      if (byte === 0x5d) break;
      if (byte !== COMMA) return -1;
      if (byteAt(at) <= 0x20) at = blank(at);
    }
    depth--;
  }
  return count >= min && (max < 0 || count <= max) ? at : -1;
}

/** Whether the name from `start` to `end` is none of the first `count` undeclared ones of this object; then it is the next. */
function isNew(start: i32, end: i32, count: i32): bool {
  const base = NAMES + ((MOST_NAMES * depth) << 3);
  const length = end - start;
  for (let i = base; i < base + (count << 3); i += 8) {
    const other = load<i32>(i);
    if (load<i32>(i, 4) - other === length && memory.compare(other, start, length) === 0) return false;
  }
  store<i32>(base + (count << 3), start);
  store<i32>(base + (count << 3), end, 4);
  return true;
}

function object(node: i32, start: i32): i32 {
  if (depth >= DEEPEST) return -1;
  const view = cell(node + 1);
  const count = cell(node + 2);
  const others = cell(node + 5);
  const first = node + OBJECT_HEAD;
  let present: u64 = 0;
  let undeclared = 0;
  let expected = 0;
  let at = start + 1;
  if (byteAt(at) <= 0x20) at = blank(at);
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
        if (stands(cell(member), length, at)) {
          index = candidate;
          at += length;
          child = cell(member + 2);
          isCommon = cell(member + 3);
          break;
        }
        if (++candidate === count) candidate = 0;
      }
      if (index < 0) {
        if (others === 0 || undeclared >= MOST_NAMES) return -1;
        const end = scanString(at + 1);
        // An escaped name may be a declared one.
        if (end < 0 || (kind & ESCAPED) !== 0 || !isNew(at, end, undeclared)) return -1;
        undeclared++;
        at = end;
      } else {
        const bit: u64 = 1 << (<u64>index);
        if ((present & bit) !== 0) return -1;
        present |= bit;
        expected = index + 1 === count ? 0 : index + 1;
      }
      if (byteAt(at) !== COLON) {
        at = blank(at);
        if (byteAt(at) !== COLON) return -1;
      }
      at++;
      if (byteAt(at) <= 0x20) at = blank(at);
      const from = at;
      at = value(child, at);
      if (at < 0) return -1;
      if (view >= 0) {
        let number = 0;
        if (isCommon !== 0 && byteAt(from) === QUOTE && kind === 0 && at - from - 2 <= LONGEST_INTERNED) {
          number = intern(from + 1, at - from - 2);
          kind = (number + 1) << KIND_BITS;
        }
        const field = FIELDS + (((view * MOST_MEMBERS + index) * FIELD) << 2);
        store<i32>(field, from);
        store<i32>(field, at, 4);
        store<i32>(field, kind, 8);
        store<i32>(field, load<i32>(GENERATIONS + (number << 2)), 12);
      }
      let byte = byteAt(at);
      if (byte <= 0x20) {
        at = blank(at);
        byte = byteAt(at);
      }
      at++;
      if (byte === 0x7d) break;
      if (byte !== COMMA) return -1;
      if (byteAt(at) <= 0x20) at = blank(at);
    }
    depth--;
  }
  const needed = load<u64>(CELLS + ((node + 3) << 2));
  if ((present & needed) !== needed) return -1;
  if (view >= 0) store<u64>(PRESENT + (view << 3), present);
  return at;
}

/** The end of the value that begins at `start`, whatever it is. */
function anything(start: i32): i32 {
  const byte = byteAt(start);
  if (byte === QUOTE) return scanString(start + 1);
  if (byte === 0x7b) return object(ANY_OBJECT, start);
  if (byte === 0x5b) return array(start, ANYTHING, 0, -1);
  if (byte === 0x74 || byte === 0x66) return boolean(start, 3);
  if (byte === 0x6e) return nothing(start);
  return number(start, 0, -1);
}

function typed(node: i32, start: i32): i32 {
  const byte = byteAt(start);
  const type =
    byte === QUOTE
      ? 4
      : byte === 0x7b
        ? 6
        : byte === 0x5b
          ? 5
          : byte === 0x6e
            ? 1
            : byte === 0x74 || byte === 0x66
              ? 2
              : 3;
  const child = cell(node + type);
  return child === 0 ? -1 : value(child, start);
}

function also(node: i32, start: i32): i32 {
  const held = depth;
  const end = value(cell(node + 1), start);
  const groups = end < 0 ? 0 : cell(node + 2);
  const before = kind;
  let at = node + 3;
  for (let group = 0; group < groups; group++) {
    const count = cell(at);
    let admitted = false;
    for (let i = 1; i <= count && !admitted; i++) {
      depth = held;
      admitted = value(cell(at + i), start) >= 0;
    }
    if (!admitted) return -1;
    at += count + 1;
  }
  depth = held;
  kind = before;
  return end;
}

function value(node: i32, start: i32): i32 {
  const byte = byteAt(start);
  switch (cell(node)) {
    case STRING:
      return byte === QUOTE ? strings(node, start) : -1;
    case NUMBER:
      return number(start, cell(node + 1), cell(node + 2));
    case AMONG:
      return among(node, start);
    case OBJECT:
      return byte === 0x7b ? object(node, start) : -1;
    case ARRAY:
      return byte === 0x5b ? array(start, cell(node + 3), cell(node + 1), cell(node + 2)) : -1;
    case BOOLEAN:
      return boolean(start, cell(node + 1));
    case NULL:
      return nothing(start);
    case TYPES:
      return typed(node, start);
    case ALSO:
      return also(node, start);
    case ANY:
      return anything(start);
    default:
      return -1;
  }
}

/** Where the value ends that begins at `start`, or -1 if `node` does not admit it or it is not known whether. */
export function scan(node: i32, start: i32): i32 {
  depth = 0;
  return value(node, start);
}

/** The bytes before the value of the discriminator. */
let mark: i32 = 0;
let markLength: i32 = 0;
/** Where it stood in the event before. */
let habit: i32 = 0;
const AROUND: i32 = 24;

/** Says before which text of the program the type of an event stands. */
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
  habit = at - start;
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

/** Where the type's first character seems to stand, because it stood there in the event before; or -1. */
function likelyType(start: i32): i32 {
  for (let at = max(start + 1, start + habit - AROUND); at <= start + habit + AROUND; at++)
    if (byteAt(at) === QUOTE && stands(mark, markLength, at)) {
      habit = at - start;
      return at + markLength;
    }
  return -1;
}

/** Where the type's first character stands among the members of the object that begins at `start`; or -1. */
function typeAt(start: i32): i32 {
  if (byteAt(start) !== 0x7b) return -1;
  depth = 1;
  let at = blank(start + 1);
  while (byteAt(at) === QUOTE) {
    const isMark = stands(mark, markLength, at);
    const end = scanString(at + 1);
    if (end < 0) return -1;
    at = blank(end);
    if (byteAt(at) !== COLON) return -1;
    at = blank(at + 1);
    if (isMark) return at + 1;
    at = anything(at);
    if (at < 0) return -1;
    at = blank(at);
    if (byteAt(at) !== COMMA) return -1;
    at = blank(at + 1);
  }
  return -1;
}

/** The number of a short text: the same for the same bytes, until another one takes its number; GENERATIONS counts that. */
function intern(start: i32, length: i32): i32 {
  let sum: u64 = length;
  for (let i = 0; i < length; i += 8) {
    const rest = length - i;
    const word = rest >= 8 ? load<u64>(start + i) : load<u64>(start + i) << (<u64>((8 - rest) << 3));
    sum = (sum ^ word) * MIXER;
    sum ^= sum >> 29;
  }
  const slot = <i32>(sum >> 40) & (INTERN_SLOTS - 1);
  const entry = INTERNED + slot * INTERN_CELL;
  if (load<i32>(entry) !== length + 1 || memory.compare(entry + 4, start, length) !== 0) {
    const generation = GENERATIONS + (slot << 2);
    store<i32>(generation, load<i32>(generation) + 1);
    store<i32>(entry, length + 1);
    memory.copy(entry + 4, start, length);
  }
  return slot;
}
