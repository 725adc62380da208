import type { Location } from "../finding.js";
import type { Json } from "../json.js";
import { findEnvelopeSpans, findSpan, type JsonFinding, type Span } from "../source/json-text.js";
import type { InputFormat } from "./input-format.js";

/** One input of a command. */
export interface Input {
  /** The position on the command line, from 0. */
  readonly index: number;
  /** The name in findings. */
  readonly name: string;
  /** The file that holds the input; absent for standard input and feeds. */
  readonly file?: string;
  /** True if the input is a regular file that is not compressed, so that each of its bytes can be read again. */
  readonly isRereadable?: boolean;
  /** The format of the bytes; detected if it is absent. */
  readonly format?: InputFormat;
  /**
   * Reads the bytes of an input that is neither a file nor standard input, or those from the first to the last of some lines,
   * with blank lines for those in between. They are not compressed.
   */
  open?(lines?: readonly LineRange[]): AsyncIterable<Uint8Array>;
}

/** Lines that follow one another, by the numbers of the first and of the last one. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A part of some bytes. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly stop: number;
}

/** The place of the value that is being read. Readers reuse the object for all values of an input, so callers must not keep it. */
export interface Place {
  readonly input: Input;
  /** The kind of text, for messages. */
  readonly textKind: "line" | "frame" | "document";
  /** The line of the input on which the JSON text begins, from 1. */
  readonly line: number;
  /** The number of bytes of the input before the JSON text. */
  readonly offset: number;
  /** The JSON pointer of the value in its text; empty unless the value was wrapped or in a list. */
  readonly pointer: string;
  /** The number of values before this one in the same text. */
  readonly itemIndex: number;
  /** The last event id in effect at an SSE frame; empty if there is none. */
  readonly frameId?: string;
  /** The bytes of the JSON text; absent if the reader does not keep them. */
  readonly source?: ByteRange;
  /** Returns the pointer in the JSON text for a pointer in the value; absent if the two are the same. */
  findOrigin?(pointer: string): string;
  /** Returns the JSON text. */
  text(): string;
  /** Returns the bytes of the text; absent if the text is always UTF-8. */
  readBytes?(): Uint8Array;
  /** Returns the location that is `textOffset` UTF-16 code units into the text. */
  locateOffset(textOffset: number): Omit<Location, "pointer">;
  /** Returns the stream that the raw line seems to belong to; undefined if it is uncertain. */
  guessStream(): string | undefined;
}

/** Returns the pointer in the whole JSON text for a pointer in the value. */
export function resolvePointer(place: Pick<Place, "pointer" | "findOrigin">, pointer: string): string {
  return place.pointer + (place.findOrigin?.(pointer) ?? pointer);
}

/** Searches the text for the part of the value at `pointer` and returns its location. */
export function locatePart(place: Place, pointer: string, part: "value" | "name" = "value"): Location {
  const wholePointer = resolvePointer(place, pointer);
  return { ...place.locateOffset(findSpan(place.text(), wholePointer, part).start), pointer: wholePointer };
}

/** Returns the text of a part of the value, as it was written. */
export function readRawText(place: Place, pointer: string): string {
  const { start, stop } = findSpan(place.text(), resolvePointer(place, pointer));
  return place.text().slice(start, stop);
}

/** Creates a function that returns the text of the envelope at a place, as it was written. It finds all envelopes of a list at once. */
export function createEnvelopeTextReader(): (place: Place) => string {
  let lastText: string | undefined;
  let spans: ReadonlyMap<string, Span> = new Map();
  return (place) => {
    const text = place.text();
    if (place.pointer === "") return text.trim();
    if (text !== lastText) spans = findEnvelopeSpans(text);
    lastText = text;
    const { start = 0, stop = 0 } = spans.get(place.pointer) ?? {};
    return text.slice(start, stop);
  };
}

/** Identifies the bytes of a value: a position in an input, or a checksum as a negative number. See content-identity.ts. */
export type ContentId = number;

/** Receives the values of inputs in their order. */
export interface Sink {
  /** The fields that name event types. A value that has one of them is an event, not a wrapper. */
  readonly discriminators: readonly string[];
  /** Is called for every value. */
  acceptValue(value: Json, place: Place, content: ContentId): void;
  /** Is called when a line of another thread is skipped. */
  markSkippedLines?(): void;
  /** Recognises events without parsing them; absent if every line must be parsed. */
  readonly scanner?: FastPath;
  /** Reports a text that is not JSON. */
  reportUnreadable(findings: readonly JsonFinding[], place: Place): void;
}

/** Recognises events in the bytes of lines. */
export interface FastPath {
  /** Loads lines of UTF-8; returns whether events can be recognised in them. */
  load(bytes: Uint8Array, start: number, stop: number): boolean;
  /** Returns the end of the event that begins at `start` of the loaded bytes; -1 if it must be parsed. */
  scan(start: number): number;
  /** Skips lines from `start` on that certainly belong to another thread. Returns the start of the first other line. */
  skipOtherShards(start: number): number;
  /** The number of lines that the last call of `skipOtherShards` skipped. */
  readonly skippedLines: number;
  /** True if the line at which `skipOtherShards` stopped certainly belongs to this thread. */
  readonly isOwnLine: boolean;
  /** Accepts the event that the last call of `scan` recognised, at its place in the loaded bytes. */
  acceptEvent(place: Place & { readonly source: ByteRange }): void;
}

/** Reads the bytes of one input. The bytes that are passed to `push` are valid during the call only. */
export interface ByteReader {
  push(bytes: Buffer): void;
  end(): void;
}

/** The maximum sizes of texts in bytes. */
export interface ReadLimits {
  /** The maximum size of a line or an SSE frame. */
  readonly line: number;
  /** The maximum size of a document. */
  readonly document: number;
}

const MEBIBYTE = 2 ** 20;

/** The default limits. */
export const READ_LIMITS: ReadLimits = { line: 64 * MEBIBYTE, document: 256 * MEBIBYTE };

/** Creates the finding for a text that is larger than its limit. */
export function createSizeFinding(textKind: "line" | "document" | "frame", limit: number): JsonFinding {
  const advice =
    textKind === "document"
      ? "Write one event per line (JSON Lines): lines are read one at a time."
      : undefined;
  const message = `is larger than ${Math.max(1, Math.floor(limit / MEBIBYTE))} MiB and was not read`;
  return {
    rule: "json-size",
    message,
    pointer: "",
    offset: 0,
    isTextLost: true,
    ...(advice && { advice }),
  };
}
