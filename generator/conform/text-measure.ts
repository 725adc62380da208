/** Measures of texts. The scanner can also compute them from the bytes of an event, without making the text. */

/** A text by its length and the hash of its characters. */
export interface TextSum {
  /** Length in UTF-16 units. */
  readonly units: number;
  /** A hash that differs after any change of one character, and after almost any other change: see `sumFrom`. */
  readonly sum: number;
  /** FACTOR to the power of `units`, modulo 2^32. */
  readonly power: number;
}

/** A text by its bytes. */
export interface TextSize {
  /** Bytes of UTF-8; a surrogate without its partner counts as U+FFFD, as encoders write it. */
  readonly bytes: number;
  /** Whether it has U+FFFD, which may stand for other bytes. */
  readonly replaced: boolean;
}

/** Measures the texts of an event's payload. */
export interface Texts {
  /** Returns the measures of a field, valid until the next call. Undefined if it is not a text, or if it is unknown. */
  measure(field: string): (TextSum & TextSize) | undefined;
}

/**
 * A prime near 2^32 over the golden ratio, so that small changes of neighbouring characters do not cancel out (Knuth,
 * The Art of Computer Programming, volume 3, 6.4).
 */
const FACTOR = 0x9e3779b1;

/** Returns before * FACTOR^n + … + unit[n-1], modulo 2^32, signed: the sum over the UTF-16 units from `from` on, which continues `before`. */
export function sumFrom(text: string, from: number, before: number): number {
  let value = before;
  for (let index = from; index < text.length; index++)
    value = (Math.imul(value, FACTOR) + text.charCodeAt(index)) | 0;
  return value;
}

/** Returns the sum of two texts that follow each other. */
export function joinSums(before: number, { sum, power }: TextSum): number {
  return (Math.imul(before, power) + sum) | 0;
}

/** Returns the sum of a text; undefined for other values. */
export function sumOf(value: unknown): TextSum | undefined {
  if (typeof value !== "string") return undefined;
  let power = 1;
  for (let base = FACTOR, rest = value.length; rest > 0; rest >>>= 1) {
    if (rest & 1) power = Math.imul(power, base);
    base = Math.imul(base, base);
  }
  return { units: value.length, sum: sumFrom(value, 0, 0), power };
}

/** Returns the size of a text; undefined for other values. */
export function sizeOf(value: unknown): TextSize | undefined {
  if (typeof value !== "string") return undefined;
  const bytes = utf8Length(value);
  return { bytes, replaced: bytes !== value.length && value.includes("\ufffd") };
}

/** Node counts many times faster than a loop. A property of the global object, because browsers have no such module to import. */
const byteLength: ((text: string) => number) | undefined = globalThis.Buffer?.byteLength;

/** Returns the number of bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return byteLength === undefined ? countUtf8(text) : byteLength(text);
}

/** Returns the same as `utf8Length`, without help of the platform. */
export function countUtf8(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A pair takes four bytes: two more than its units.
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index++;
  }
  return bytes;
}
