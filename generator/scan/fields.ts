/** Reads fields of the event that a scanner accepted last, when a caller needs them. */
import type { JsonObject } from "../json.js";
import { ESCAPED, FIELD, FIELDS, INTERN_SLOTS, KIND_BITS, MAX_MEMBERS, PRESENT, WIDE } from "./layout.js";

/** The number of a view: 0 for the members of the event, 1 for those of its payload. */
type ViewNumber = 0 | 1;

/** Reads fields by the view and the index of the member. */
export interface Fields {
  /** Returns whether the event has the member. */
  has(view: ViewNumber, index: number): boolean;
  /** Returns whether the member's value is a string, or an object. */
  isText(view: ViewNumber, index: number): boolean;
  isObject(view: ViewNumber, index: number): boolean;
  /** Returns whether the member's string is spelled with escapes. */
  isEscaped(view: ViewNumber, index: number): boolean;
  /** Returns the start and the end of the member's value. */
  start(view: ViewNumber, index: number): number;
  stop(view: ViewNumber, index: number): number;
  /** Returns the member's value as JSON.parse makes it; undefined if the event does not have it. */
  read(view: ViewNumber, index: number): unknown;
}

/** Methods of Node's Buffer that its types do not declare. They are `toString` without checks of the arguments. */
export interface Slices extends Buffer {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
}

const QUOTE = 0x22;
const BRACE = 0x7b;

/** Decodes the string from `start` to `stop`, quotation marks included. `kind` has the bits WIDE and ESCAPED. */
export function decodeText(bytes: Slices, start: number, stop: number, kind: number): string {
  if (kind === 0) return bytes.latin1Slice(start + 1, stop - 1);
  if (kind === WIDE) return bytes.utf8Slice(start + 1, stop - 1);
  return JSON.parse(kind === ESCAPED ? bytes.latin1Slice(start, stop) : bytes.utf8Slice(start, stop));
}

/** Returns the fields in a memory. An interned text is the same string each time. */
export function createFields(memory: ArrayBuffer): Fields {
  const bytes = Buffer.from(memory) as Slices;
  const fields = new Int32Array(memory, FIELDS, 2 * MAX_MEMBERS * FIELD);
  const present = new Int32Array(memory, PRESENT, 4);
  const generations = new Int32Array(INTERN_SLOTS);
  const texts: string[] = new Array<string>(INTERN_SLOTS).fill("");

  const has = (view: number, index: number): boolean =>
    index >= 0 && ((present[2 * view + (index >> 5)] as number) & (1 << (index & 31))) !== 0;
  const cell = (view: number, index: number, which: number): number =>
    fields[(view * MAX_MEMBERS + index) * FIELD + which] as number;
  const firstByte = (view: number, index: number): number | undefined => bytes[cell(view, index, 0)];
  const decodeString = (field: number, start: number, stop: number): unknown => {
    const kind = fields[field + 2] as number;
    const number = (kind >> KIND_BITS) - 1;
    if (number >= 0) {
      const generation = fields[field + 3] as number;
      if (generations[number] !== generation) {
        generations[number] = generation;
        texts[number] = bytes.latin1Slice(start + 1, stop - 1);
      }
      return texts[number];
    }
    return decodeText(bytes, start, stop, kind);
  };
  /** Decodes a number; without a string if it is a small integer, as most numbers are. */
  const decodeNumber = (start: number, stop: number): number => {
    let value = 0;
    for (let at = start; at < stop; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9 || stop - start > 9) return Number(bytes.latin1Slice(start, stop));
      value = value * 10 + digit;
    }
    return value;
  };
  return {
    has,
    isText: (view, index) => firstByte(view, index) === QUOTE,
    isObject: (view, index) => firstByte(view, index) === BRACE,
    isEscaped: (view, index) => (cell(view, index, 2) & ESCAPED) !== 0,
    start: (view, index) => cell(view, index, 0),
    stop: (view, index) => cell(view, index, 1),
    read(view, index) {
      if (!has(view, index)) return undefined;
      const field = (view * MAX_MEMBERS + index) * FIELD;
      const start = fields[field] as number;
      const stop = fields[field + 1] as number;
      const byte = bytes[start] as number;
      if (byte === QUOTE) return decodeString(field, start, stop);
      if (byte >= 0x30 && byte <= 0x39) return decodeNumber(start, stop);
      return JSON.parse(bytes.utf8Slice(start, stop));
    },
  };
}

/** An object that shows the fields of the event that was accepted last. */
export interface View {
  readonly object: JsonObject;
  /** Adds the members of a type. Returns the argument of `show` for that type. */
  addMembers(names: readonly string[]): Int16Array;
  /** Returns the index of a member in the shown type; -1 if the type does not have it. */
  index(name: string): number;
  /** Gives the object the members of a type. */
  show(places: Int16Array): void;
}

/**
 * Creates one object for all types. It keeps its hidden class, which makes reads fast. `special` holds functions by the names of
 * members, which read these members by their index if the event has them.
 */
export function createView(
  { read, has }: Fields,
  view: ViewNumber,
  special: ReadonlyMap<string, (index: number) => unknown> = new Map(),
): View {
  const own = {};
  const numbers = new Map<string, number>();
  let places: Int16Array = new Int16Array(0);
  const defineMember = (name: string): void => {
    const number = numbers.size;
    numbers.set(name, number);
    const readSpecial = special.get(name);
    const get = (): unknown => {
      const index = places[number] ?? -1;
      if (readSpecial === undefined) return read(view, index);
      return has(view, index) ? readSpecial(index) : undefined;
    };
    Object.defineProperty(own, name, { get });
  };
  return {
    // The fields are inherited, so that Object.keys and Object.hasOwn do not see them.
    object: Object.create(own) as JsonObject,
    addMembers(names) {
      for (const name of names) if (!numbers.has(name)) defineMember(name);
      const made = new Int16Array(numbers.size).fill(-1);
      for (const [index, name] of names.entries()) made[numbers.get(name) as number] = index;
      return made;
    },
    index: (name) => places[numbers.get(name) ?? -1] ?? -1,
    show: (shown) => {
      places = shown;
    },
  };
}
