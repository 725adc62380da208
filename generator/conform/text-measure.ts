/** What rules ask of long texts. Whoever has an event in another form than parsed can tell it without making the text. */
import { utf8Length } from "./utf8-length.js";

/** A text by its length and the sum of its characters. */
export interface TextSum {
  /** Length in UTF-16 units. */
  readonly units: number;
  /** A number that any change of a character, and almost any other change, makes another one, see `sumFrom`. */
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

/** Tells the texts of the payload's fields. */
export interface Texts {
  /** Undefined where there is no text, or where it is unknown. The result is valid until the next call. */
  measure(field: string): (TextSum & TextSize) | undefined;
}

/**
 * A prime near 2^32 over the golden ratio, so that no small change of a character makes up for one of its neighbour
 * (Knuth, The Art of Computer Programming, volume 3, 6.4).
 */
const FACTOR = 0x9e3779b1;

/** The sum over the UTF-16 units from `from` on that goes on from `before`: before * FACTOR^n + … + unit[n-1], modulo 2^32, signed. */
export function sumFrom(text: string, from: number, before: number): number {
  let value = before;
  for (let index = from; index < text.length; index++)
    value = (Math.imul(value, FACTOR) + text.charCodeAt(index)) | 0;
  return value;
}

/** The sum of two texts that follow each other. */
export function joined(before: number, { sum, power }: TextSum): number {
  return (Math.imul(before, power) + sum) | 0;
}

/** The sum of a value that is a text. */
export function sumOf(value: unknown): TextSum | undefined {
  if (typeof value !== "string") return undefined;
  let power = 1;
  for (let base = FACTOR, rest = value.length; rest > 0; rest >>>= 1) {
    if (rest & 1) power = Math.imul(power, base);
    base = Math.imul(base, base);
  }
  return { units: value.length, sum: sumFrom(value, 0, 0), power };
}

/** The size of a value that is a text. */
export function sizeOf(value: unknown): TextSize | undefined {
  if (typeof value !== "string") return undefined;
  const bytes = utf8Length(value);
  return { bytes, replaced: bytes !== value.length && value.includes("\ufffd") };
}
