/**
 * Finds texts without repeated names. JSON.parse silently keeps the last of two members with the same name. A text that
 * is as short as its value allows has no room for a second member. In other texts the colons after strings are counted,
 * four bytes at once: there is one for each member, unless a name is repeated.
 */

/** The deepest nesting of a JSON document that is accepted: far beyond any contract, far below the call stack. */
export const MAX_DEPTH = 256;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Returns whether `findJsonFindings` certainly finds nothing in a text. The text was parsed as `value`, and is encoded in
 * `bytes` from `start` to `stop`.
 */
export function isPlainJson(
  value: unknown,
  text: string,
  bytes: Buffer,
  start: number,
  stop: number,
): boolean {
  return (
    measureShortestText(value, 0) === text.length || countMembers(value) === countNameEnds(bytes, start, stop)
  );
}

/** Returns the length of the shortest JSON text of `value`, in UTF-16 code units; NaN if computing it would be slow. */
function measureShortestText(value: unknown, depth = 0): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "number") return measureShortestNumber(value);
  if (typeof value === "boolean") return value ? 4 : 5;
  if (value === null) return 4;
  if (depth >= MAX_DEPTH) return Number.NaN;
  if (Array.isArray(value)) {
    let length = value.length === 0 ? 2 : value.length + 1;
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      length += typeof item === "string" ? item.length + 2 : measureShortestText(item, depth + 1);
    }
    return length;
  }
  const object = value as { readonly [name: string]: unknown };
  let length = 1;
  for (const name in object) {
    const member = object[name];
    // Two quotation marks, the colon, and a comma or the last bracket.
    length +=
      name.length +
      4 +
      (typeof member === "string" ? member.length + 2 : measureShortestText(member, depth + 1));
  }
  return length === 1 ? 2 : length;
}

/** Returns the length of the shortest spelling of a number; NaN if it may differ from the usual spelling. */
function measureShortestNumber(number: number): number {
  if (number >= 0 && number < 1000 && Number.isInteger(number)) {
    if (number < 10) return 1;
    return number < 100 ? 2 : 3;
  }
  const size = Math.abs(number);
  // 1e3 is shorter than 1000, and 1e-3 than 0.001.
  if (size > Number.MAX_SAFE_INTEGER || size < 0.01 || size % 1000 === 0) return Number.NaN;
  return String(number).length;
}

/** Returns the number of members in `value` at any depth; infinite if it nests too deep or has an infinite number. */
export function countMembers(value: unknown, depth = 0): number {
  if (typeof value !== "object") return value === Infinity || value === -Infinity ? Infinity : 0;
  if (value === null) return 0;
  if (depth >= MAX_DEPTH) return Infinity;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item === "object" || typeof item === "number") count += countMembers(item, depth + 1);
    }
    return count;
  }
  const object = value as { readonly [name: string]: unknown };
  for (const name in object) {
    count++;
    const member = object[name];
    if (typeof member === "object") count += countMembers(member, depth + 1);
    else if (member === Infinity || member === -Infinity) count = Infinity;
  }
  return count;
}

/**
 * Returns at least the number of members that are written in `bytes`; exactly this number, unless a string begins with a
 * colon. If it equals the result of `countMembers`, no name is repeated.
 */
export function countNameEnds(bytes: Uint8Array, start: number, stop: number): number {
  const { buffer, byteOffset } = bytes;
  if (views.all.buffer !== buffer) views = createViews(buffer);
  const { words, all } = views;
  const textStart = byteOffset + start;
  const textStop = byteOffset + stop;
  // The words that lie in the text completely.
  const first = (textStart + 3) >> 2;
  const last = textStop >> 2;
  let count = 0;
  if (first >= last) return countNameEndsByByte(all, textStart, textStart, textStop);
  count += countNameEndsByByte(all, textStart, textStart, first << 2);
  for (let i = first; i < last; i++) {
    const differs = (words[i] ?? 0) ^ 0x3a3a3a3a;
    // The highest bit of a byte in `hits` is set if the byte is a colon, and sometimes if the byte before it is one.
    const hits = (differs - 0x01010101) & ~differs & 0x80808080;
    if (hits === 0) continue;
    const position = i << 2;
    if ((hits & 0x80) !== 0) count += countNameEnd(all, textStart, position);
    if ((hits & 0x8000) !== 0) count += countNameEnd(all, textStart, position + 1);
    if ((hits & 0x800000) !== 0) count += countNameEnd(all, textStart, position + 2);
    // The highest bit of the last byte is the sign of the word.
    if (hits < 0) count += countNameEnd(all, textStart, position + 3);
  }
  return count + countNameEndsByByte(all, textStart, last << 2, textStop);
}

/** One memory as bytes, and as words of four bytes. */
interface Views {
  readonly all: Uint8Array;
  readonly words: Int32Array;
}

/** Creates the views of a memory. */
function createViews(buffer: ArrayBufferLike): Views {
  return { all: new Uint8Array(buffer), words: new Int32Array(buffer, 0, buffer.byteLength >> 2) };
}

/** The views of the last memory, which is usually that of the next call, too. */
let views = createViews(new ArrayBuffer(0));

/** Counts the colons after names between `start` and `stop`, byte by byte. */
function countNameEndsByByte(bytes: Uint8Array, textStart: number, start: number, stop: number): number {
  let count = 0;
  for (let i = start; i < stop; i++) count += countAnyNameEnd(bytes, textStart, i);
  return count;
}

/** Returns 1 if there is a colon at `position` that ends a name, else 0. May read the byte before the text, which ends another line. */
function countNameEnd(bytes: Uint8Array, textStart: number, position: number): number {
  const previousByte = bytes[position - 1] ?? 0;
  // A byte above the quotation mark is neither a quotation mark nor blank.
  if (previousByte > QUOTE || bytes[position] !== COLON) return 0;
  return previousByte === QUOTE && bytes[position - 2] !== BACKSLASH
    ? 1
    : countAnyNameEnd(bytes, textStart, position);
}

/** Returns 1 if a colon at `position` follows a quotation mark that is not escaped, or blanks after one; else 0. */
function countAnyNameEnd(bytes: Uint8Array, textStart: number, position: number): 0 | 1 {
  if (bytes[position] !== COLON) return 0;
  let i = position - 1;
  while (i >= textStart && isBlank(bytes[i] ?? 0)) i--;
  if (i < textStart || bytes[i] !== QUOTE) return 0;
  let slashes = 0;
  while (i - 1 - slashes >= textStart && bytes[i - 1 - slashes] === BACKSLASH) slashes++;
  return slashes % 2 === 0 ? 1 : 0;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === 0x0a;
}
