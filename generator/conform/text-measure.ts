/** Measures of texts. The scanner can also compute them from the bytes of an event, without making the text. */

/** The length of a text and the hash of its characters. */
export interface TextSum {
  /** Length in UTF-16 units. */
  readonly units: number;
  /** A hash that differs after any change of one character, and after almost any other change: see `computeSum`. */
  readonly sum: number;
  /** FACTOR to the power of `units`, modulo 2^32. */
  readonly power: number;
}

/** The number of bytes of a text. */
export interface TextSize {
  /** The number of bytes in UTF-8. A surrogate without its partner counts as U+FFFD, as encoders write it. */
  readonly bytes: number;
  /** True if the text has U+FFFD, which may stand for other bytes. */
  readonly hasReplacement: boolean;
}

/** Measures the texts of an event's payload. */
export interface TextMeasurer {
  /** Returns the measures of a field, valid until the next call. Undefined if it is not a text, or if it is unknown. */
  measure(field: string): (TextSum & TextSize) | undefined;
}

/**
 * A prime near 2^32 over the golden ratio, so that small changes of neighbouring characters do not cancel out (Knuth,
 * The Art of Computer Programming, volume 3, 6.4).
 */
const FACTOR = 0x9e3779b1;

/**
 * Continues the sum `before` with the UTF-16 units of a text from the index `from` on. The sum of n units is
 * unit[0] * FACTOR^(n-1) + … + unit[n-1], modulo 2^32, as a signed number.
 */
export function computeSum(text: string, from: number, before: number): number {
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
export function measureSum(value: unknown): TextSum | undefined {
  if (typeof value !== "string") return undefined;
  let power = 1;
  for (let base = FACTOR, rest = value.length; rest > 0; rest >>>= 1) {
    if (rest & 1) power = Math.imul(power, base);
    base = Math.imul(base, base);
  }
  return { units: value.length, sum: computeSum(value, 0, 0), power };
}

/** Returns the size of a text; undefined for other values. */
export function measureSize(value: unknown): TextSize | undefined {
  if (typeof value !== "string") return undefined;
  const bytes = countUtf8Bytes(value);
  return { bytes, hasReplacement: bytes !== value.length && value.includes("\ufffd") };
}

/** The counter of Node, which is many times faster than a loop. It is read from the global object, because browsers have no such module. */
const byteLength: ((text: string) => number) | undefined = globalThis.Buffer?.byteLength;

/** Returns the number of bytes of a text in UTF-8. */
export function countUtf8Bytes(text: string): number {
  return byteLength === undefined ? countUtf8BytesInScript(text) : byteLength(text);
}

/** Returns the same as `countUtf8Bytes`, without functions of the platform. */
export function countUtf8BytesInScript(text: string): number {
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
