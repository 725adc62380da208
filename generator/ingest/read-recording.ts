/** Finds the events of a recording and their places in its text, so that the rest of the text can be kept. */
import { Buffer } from "node:buffer";
import { UsageError } from "../failure.js";
import type { Location } from "../finding.js";
import type { Json } from "../json.js";
import { findEnvelopeSpans, findJsonFindings, findSpan } from "../source/json-text.js";
import { locateOffset } from "../source/source.js";
import { unwrap } from "../stream/unwrap.js";
import { detectFormat } from "./input-format.js";

/** One event of a recording. */
export interface RecordedEvent {
  readonly value: Json;
  /** The start of the JSON text of the event, in UTF-16 code units of the recording. */
  readonly start: number;
  /** The end of the JSON text, exclusive. */
  readonly stop: number;
}

/** A part of a recording that is a JSON value: a line, or the whole document. */
interface RecordingUnit {
  readonly value: Json;
  readonly text: string;
  /** The position in the recording at which the unit begins, in UTF-16 code units. */
  readonly start: number;
  readonly events: readonly RecordedEvent[];
  /** The pointers of the events in the value. */
  readonly pointers: readonly string[];
}

/** A file with events. */
export interface Recording {
  readonly name: string;
  readonly text: string;
  readonly units: readonly RecordingUnit[];
  readonly events: readonly RecordedEvent[];
}

/** A new text for a part of a recording. */
export interface Replacement {
  readonly start: number;
  readonly stop: number;
  readonly text: string;
}

/**
 * Reads JSON Lines or a JSON document: an event, a list of events, or the answer of a list endpoint.
 * @throws UsageError with the line and column if a part of the recording is not JSON.
 */
export function readRecording(name: string, text: string, discriminators: readonly string[]): Recording {
  const format = detectFormat(name, Buffer.from(text), true) ?? "lines";
  if (format === "sse") throw new UsageError(`${name} is an SSE feed. Record its events as JSON Lines.`);
  const spans = format === "document" ? [{ start: 0, stop: text.length }] : listLines(text);
  const units = spans.map(({ start, stop }) => readUnit(name, text, start, stop, discriminators));
  return { name, text, units, events: units.flatMap(({ events }) => events) };
}

/** Returns the place of a part of an event. */
export function locateInRecording(
  { name: file, text }: Recording,
  { start, stop }: RecordedEvent,
  pointer: string,
  part?: "value" | "name",
): Location {
  const span = findSpan(text.slice(start, stop), pointer, part);
  return { file, pointer, ...locateOffset(text, start + span.start) };
}

/** Returns the text of a recording with the parts replaced. The parts must not overlap. */
export function replaceParts({ text }: Recording, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const { start, stop, text: part } of [...replacements].sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(end, start), part);
    end = stop;
  }
  return [...parts, text.slice(end)].join("");
}

/** Returns the places of the lines that are not empty. */
function listLines(text: string): { start: number; stop: number }[] {
  return [...text.matchAll(/[^\r\n]+/g)]
    .filter(([line]) => line.trim() !== "")
    .map(({ 0: line, index }) => ({ start: index, stop: index + line.length }));
}

function readUnit(
  name: string,
  whole: string,
  start: number,
  stop: number,
  discriminators: readonly string[],
): RecordingUnit {
  const text = whole.slice(start, stop);
  const [problem] = findJsonFindings(text);
  if (problem) {
    const { line, column } = locateOffset(whole, start + problem.offset);
    throw new UsageError(`${name}:${line}:${column}: the text ${problem.message}. Repair or remove it.`);
  }
  const spans = findEnvelopeSpans(text);
  const value = JSON.parse(text);
  const envelopes = unwrap(value, discriminators);
  const events = envelopes.map(({ pointer, value: event }) => {
    const span = spans.get(pointer) ?? findSpan(text, pointer);
    return { value: event as Json, start: start + span.start, stop: start + span.stop };
  });
  return { value, text, start, events, pointers: envelopes.map(({ pointer }) => pointer) };
}
