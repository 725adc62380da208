import type { Location } from "../finding.js";
import type { Json } from "../json.js";
import { envelopeSpans, type Problem, type Span, spanOf } from "../source/json-text.js";

/** One input, in the order of the command line. */
export interface Input {
  readonly index: number;
  /** Its name in findings. */
  readonly name: string;
  /** The file that holds it, if there is one. */
  readonly file?: string;
  /** Whether it is a regular file that is not packed, so that each of its bytes can be read again. */
  readonly plain?: boolean;
}

/** The place of the value that is being read. One object serves all values of an input, so nothing may keep it. */
export interface Place {
  readonly input: Input;
  /** The kind of text, for messages. */
  readonly what: "line" | "frame" | "document";
  /** The line of the input on which its JSON text begins, from 1. */
  readonly line: number;
  /** The bytes of the input before that. */
  readonly offset: number;
  /** JSON pointer of the value in its text; not empty if the value was wrapped or in a list. */
  readonly pointer: string;
  /** The number of values of the same text before it. */
  readonly item: number;
  /** The JSON text. */
  text(): string;
  /** Returns the location after this number of UTF-16 code units of the text. */
  at(offset: number): Omit<Location, "pointer">;
  /** Returns the stream that the raw line seems to belong to; undefined if it is uncertain. */
  hint(): string | undefined;
}

/** Returns the location of a part of the value. Searches the text. */
export function locate(place: Place, pointer: string, part: "value" | "name" = "value"): Location {
  const whole = place.pointer + pointer;
  return { ...place.at(spanOf(place.text(), whole, part).start), pointer: whole };
}

/** Returns the text of a part of the value, as it was written. */
export function rawText(place: Place, pointer: string): string {
  const { start, stop } = spanOf(place.text(), place.pointer + pointer);
  return place.text().slice(start, stop);
}

/** Returns a function that gives the text of the envelope at a place, as it was written. It finds all envelopes of a list at once. */
export function envelopeTextReader(): (place: Place) => string {
  let last: string | undefined;
  let spans: ReadonlyMap<string, Span> = new Map();
  return (place) => {
    const text = place.text();
    if (place.pointer === "") return text.trim();
    if (text !== last) spans = envelopeSpans(text);
    last = text;
    const { start = 0, stop = 0 } = spans.get(place.pointer) ?? {};
    return text.slice(start, stop);
  };
}

/** The bytes of a value: a position as `input * FILE + offset`, or a checksum as a negative number. */
export type Content = number;

/** Receives the values of inputs in their order. */
export interface Sink {
  /** The fields that name event types. A value that has one of them is an event, not a wrapper. */
  readonly discriminators: readonly string[];
  value(value: Json, place: Place, content: Content): void;
  /** Called when a line of another thread is skipped. */
  skippedOthers?(): void;
  /** Recognises events without parsing them. */
  readonly scanner?: FastPath;
  /** Receives a part that is not JSON. */
  unreadable(problems: readonly Problem[], place: Place): void;
}

/** Recognises events in the bytes of lines. */
export interface FastPath {
  /** Loads lines of UTF-8; returns whether events can be recognised in them. */
  load(bytes: Uint8Array, start: number, stop: number): boolean;
  /** Returns the end of the event that begins at `start` of the loaded bytes; -1 if it must be parsed. */
  scan(start: number): number;
  /** Returns the start of the first line from `start` on that is not certainly another thread's. */
  skipOtherShards(start: number): number;
  /** The number of lines that were skipped, and whether the next one certainly is this thread's. */
  readonly skipped: number;
  readonly isOwn: boolean;
  /** Accepts the event that was recognised last. */
  take(place: Place, content: Content): void;
}

/** Takes the bytes of one input in pieces, which are valid during the call only. */
export interface ByteReader {
  push(bytes: Buffer): void;
  end(): void;
}

/** The longest line, SSE frame and document that are read, in bytes. */
export interface ReadLimits {
  readonly line: number;
  readonly document: number;
}

const MEBIBYTE = 2 ** 20;

/** The limits outside of tests. */
export const READ_LIMITS: ReadLimits = { line: 64 * MEBIBYTE, document: 256 * MEBIBYTE };

/** Returns the problem of a text that is longer than its limit. */
export function tooLarge(what: "line" | "document" | "frame", limit: number): Problem {
  const advice =
    what === "document" ? "Write one event per line (JSON Lines): lines are read one at a time." : undefined;
  const message = `is larger than ${Math.max(1, Math.floor(limit / MEBIBYTE))} MiB and was not read`;
  return { rule: "json-size", message, pointer: "", offset: 0, bare: true, ...(advice && { advice }) };
}
