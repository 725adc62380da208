/** Reads fields of the event that a scanner accepted last, when a caller needs them. */
import type { JsonObject } from "../json.js";
import {
  ESCAPED,
  FIELD,
  FIELD_BITS,
  FIELD_GENERATION,
  FIELD_START,
  FIELD_STOP,
  FIELDS,
  INTERN_SLOTS,
  KIND_BITS,
  MAX_MEMBERS,
  PRESENT,
  WIDE,
} from "./layout.js";

/** The number of a view: 0 for the members of the event, 1 for those of its payload. */
type ViewNumber = 0 | 1;

/** Reads fields by the view and the index of the member. */
export interface Fields {
  /** Drops the values that were read, because the fields are those of another event now. */
  startEvent(): void;
  /** Returns whether the event has the member. */
  has(view: ViewNumber, index: number): boolean;
  /** Returns whether the member's value is a string. */
  isText(view: ViewNumber, index: number): boolean;
  /** Returns whether the member's value is an object. */
  isObject(view: ViewNumber, index: number): boolean;
  /** Returns whether the member's string contains escapes. */
  isEscaped(view: ViewNumber, index: number): boolean;
  /** Returns the start of the member's value. */
  getStart(view: ViewNumber, index: number): number;
  /** Returns the end of the member's value. */
  getStop(view: ViewNumber, index: number): number;
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

/** Decodes the string from `start` to `stop`, quotation marks included. `bits` has the bits WIDE and ESCAPED. */
export function decodeText(bytes: Slices, start: number, stop: number, bits: number): string {
  if (bits === 0) return bytes.latin1Slice(start + 1, stop - 1);
  if (bits === WIDE) return bytes.utf8Slice(start + 1, stop - 1);
  return JSON.parse(bits === ESCAPED ? bytes.latin1Slice(start, stop) : bytes.utf8Slice(start, stop));
}

/** Returns the fields in a memory. An interned text is the same string each time. */
export function createFields(memory: ArrayBuffer): Fields {
  const bytes = Buffer.from(memory) as Slices;
  const fields = new Int32Array(memory, FIELDS, 2 * MAX_MEMBERS * FIELD);
  const present = new Int32Array(memory, PRESENT, 4);
  const generations = new Int32Array(INTERN_SLOTS);
  const texts: string[] = new Array<string>(INTERN_SLOTS).fill("");
  // Many stream rules read the same ids. A value that was read in this event is not decoded again.
  let eventNumber = 0;
  const values: unknown[] = new Array<unknown>(2 * MAX_MEMBERS).fill(undefined);
  const readIn = new Float64Array(2 * MAX_MEMBERS);

  const has = (view: number, index: number): boolean =>
    index >= 0 && ((present[2 * view + (index >> 5)] ?? 0) & (1 << (index & 31))) !== 0;
  const getCell = (view: number, index: number, cell: number): number =>
    fields[(view * MAX_MEMBERS + index) * FIELD + cell] ?? 0;
  const getFirstByte = (view: number, index: number): number | undefined =>
    bytes[getCell(view, index, FIELD_START)];
  const decodeString = (field: number, start: number, stop: number): unknown => {
    const bits = fields[field + FIELD_BITS] ?? 0;
    const internedNumber = (bits >> KIND_BITS) - 1;
    if (internedNumber < 0) return decodeText(bytes, start, stop, bits);
    const generation = fields[field + FIELD_GENERATION] ?? 0;
    // The number may have been given to another text since it was decoded.
    if (generations[internedNumber] !== generation) {
      generations[internedNumber] = generation;
      texts[internedNumber] = bytes.latin1Slice(start + 1, stop - 1);
    }
    return texts[internedNumber];
  };
  /** Decodes a number. Small integers, as most numbers are, are decoded without creating a string. */
  const decodeNumber = (start: number, stop: number): number => {
    let value = 0;
    for (let at = start; at < stop; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9 || stop - start > 9) return Number(bytes.latin1Slice(start, stop));
      value = value * 10 + digit;
    }
    return value;
  };
  const decode = (slot: number): unknown => {
    const field = slot * FIELD;
    const start = fields[field + FIELD_START] ?? 0;
    const stop = fields[field + FIELD_STOP] ?? 0;
    const byte = bytes[start] as number;
    if (byte === QUOTE) return decodeString(field, start, stop);
    if (byte >= 0x30 && byte <= 0x39) return decodeNumber(start, stop);
    return JSON.parse(bytes.utf8Slice(start, stop));
  };
  return {
    startEvent() {
      eventNumber++;
    },
    has,
    isText: (view, index) => getFirstByte(view, index) === QUOTE,
    isObject: (view, index) => getFirstByte(view, index) === BRACE,
    isEscaped: (view, index) => (getCell(view, index, FIELD_BITS) & ESCAPED) !== 0,
    getStart: (view, index) => getCell(view, index, FIELD_START),
    getStop: (view, index) => getCell(view, index, FIELD_STOP),
    read(view, index) {
      if (!has(view, index)) return undefined;
      const slot = view * MAX_MEMBERS + index;
      if (readIn[slot] !== eventNumber) {
        readIn[slot] = eventNumber;
        values[slot] = decode(slot);
      }
      return values[slot];
    },
  };
}

/** An object that shows the fields of the event that was accepted last. */
export interface View {
  readonly object: JsonObject;
  /** Adds the members of a type. Returns the argument of `selectMembers` for this type. */
  addMembers(names: readonly string[]): Int16Array;
  /** Returns the index of a member in the selected type; -1 if the type does not have it. */
  findIndex(name: string): number;
  /** Gives the object the members of a type: for each known name, the index of the member or -1. */
  selectMembers(indexes: Int16Array): void;
}

/**
 * Creates one object for all types. It keeps its hidden class, which makes reads fast. `readers` are functions by the names
 * of members. If the event has the member, its function reads it by its index.
 */
export function createView(
  { read, has }: Fields,
  view: ViewNumber,
  readers: ReadonlyMap<string, (index: number) => unknown> = new Map(),
): View {
  const prototype = {};
  const numbers = new Map<string, number>();
  let indexes: Int16Array = new Int16Array(0);
  const defineMember = (name: string): void => {
    const number = numbers.size;
    numbers.set(name, number);
    const readMember = readers.get(name);
    const get = (): unknown => {
      const index = indexes[number] ?? -1;
      if (readMember === undefined) return read(view, index);
      return has(view, index) ? readMember(index) : undefined;
    };
    Object.defineProperty(prototype, name, { get });
  };
  return {
    // The fields are inherited, so that Object.keys and Object.hasOwn do not see them.
    object: Object.create(prototype),
    addMembers(names) {
      for (const name of names) if (!numbers.has(name)) defineMember(name);
      const memberIndexes = new Int16Array(numbers.size).fill(-1);
      for (const [index, name] of names.entries()) memberIndexes[numbers.get(name) as number] = index;
      return memberIndexes;
    },
    findIndex: (name) => indexes[numbers.get(name) ?? -1] ?? -1,
    selectMembers: (selected) => {
      indexes = selected;
    },
  };
}
