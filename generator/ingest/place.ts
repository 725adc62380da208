import type { Location } from "../finding.js";
import type { Json } from "../json.js";
import { type Problem, spanOf } from "../source/json-text.js";
import type { Content } from "./content.js";
import type { Input } from "./input.js";

/** Where the value stands that is being read. One object for all values of an input, so nothing may keep it. */
export interface Place {
  readonly input: Input;
  /** What the text is, for sentences: "line". */
  readonly what: "line" | "frame" | "document";
  /** The line of the input on which its JSON text begins, from 1. */
  readonly line: number;
  /** The bytes of the input before that. */
  readonly offset: number;
  /** JSON pointer of the value in its text: not empty where it was wrapped or listed. */
  readonly pointer: string;
  /** How many values of the same text came before it. */
  readonly item: number;
  /** The JSON text. */
  text(): string;
  /** Where so many UTF-16 code units of the text end. */
  at(offset: number): Omit<Location, "pointer">;
  /** The stream that the raw line seems to belong to; undefined if that is doubtful. */
  hint(): string | undefined;
}

/** The location of a part of the value; costs a look through the text. */
export function locate(place: Place, pointer: string, part: "value" | "name" = "value"): Location {
  const whole = place.pointer + pointer;
  return { ...place.at(spanOf(place.text(), whole, part).start), pointer: whole };
}

/** The text of a part of the value, as it was written. */
export function raw(place: Place, pointer: string): string {
  const { start, stop } = spanOf(place.text(), place.pointer + pointer);
  return place.text().slice(start, stop);
}

/** What takes the values of inputs in their order. */
export interface Sink {
  /** The fields that name event types: what has one of them is no wrapper. */
  readonly discriminators: readonly string[];
  value(value: Json, place: Place, content: Content): void;
  /** Told that there is a line that is another thread's. */
  others?(): void;
  /** What can recognise events without parsing them. */
  readonly scanner?: Recogniser;
  /** A part that is not even JSON. */
  unreadable(problems: readonly Problem[], place: Place): void;
}

/** Recognises events in the bytes of lines. */
export interface Recogniser {
  /** Takes lines of UTF-8; returns whether events can be recognised among them. */
  load(bytes: Uint8Array, start: number, stop: number): boolean;
  /** Where the event ends that begins at `start` in the bytes that were loaded last; -1 if it has to be parsed. */
  scan(start: number): number;
  /** Where the first line begins, from `start` on, that is not surely another thread's. */
  pass(start: number): number;
  /** How many lines come before it, and whether it surely is this thread's. */
  readonly passed: number;
  readonly isOwn: boolean;
  /** Takes the event that was recognised last. */
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

/** What is read unless a test says otherwise. */
export const READ_LIMITS: ReadLimits = { line: 64 * MEBIBYTE, document: 256 * MEBIBYTE };

/** Says that `what` is longer than it may be. */
export function tooLarge(what: "line" | "document" | "frame", limit: number): Problem {
  const advice =
    what === "document" ? "Write one event a line (JSON Lines): lines are read one at a time." : undefined;
  const message = `is larger than ${Math.max(1, Math.floor(limit / MEBIBYTE))} MiB and was not read`;
  return { rule: "json-size", message, pointer: "", offset: 0, bare: true, ...(advice && { advice }) };
}
