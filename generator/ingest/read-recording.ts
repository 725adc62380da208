/** Finds the events of a recording and their places in its text, so that the rest of the text can be kept. */
import { Buffer } from "node:buffer";
import { UsageError } from "../failure.js";
import type { Json } from "../json.js";
import { findEnvelopeSpans, findJsonFindings } from "../source/json-text.js";
import { locateOffset } from "../source/source.js";
import { unwrap } from "../stream/unwrap.js";
import { detectFormat } from "./input-format.js";

/** One event of a recording. */
export interface RecordedEvent {
  readonly value: Json;
  /** Its JSON text, from and to in UTF-16 code units of the recording. */
  readonly start: number;
  readonly stop: number;
}

/** A file with events. */
export interface Recording {
  readonly name: string;
  readonly text: string;
  readonly events: readonly RecordedEvent[];
}

/**
 * Reads JSON Lines or a JSON document: an event, a list of events, or the answer of a list endpoint.
 * @throws UsageError if a part of it is not JSON, with the line and column.
 */
export function readRecording(name: string, text: string, discriminators: readonly string[]): Recording {
  const format = detectFormat(name, Buffer.from(text), true) ?? "lines";
  if (format === "sse") throw new UsageError(`${name} is an SSE feed. Record its events as JSON Lines.`);
  const units = format === "document" ? [{ start: 0, stop: text.length }] : nonEmptyLines(text);
  const events = units.flatMap(({ start, stop }) => readEnvelopes(name, text, start, stop, discriminators));
  return { name, text, events };
}

function nonEmptyLines(text: string): { start: number; stop: number }[] {
  return [...text.matchAll(/[^\r\n]+/g)]
    .filter(([line]) => line.trim() !== "")
    .map(({ 0: line, index }) => ({ start: index, stop: index + line.length }));
}

function readEnvelopes(
  name: string,
  text: string,
  start: number,
  stop: number,
  discriminators: readonly string[],
): RecordedEvent[] {
  const unit = text.slice(start, stop);
  const [problem] = findJsonFindings(unit);
  if (problem) {
    const { line, column } = locateOffset(text, start + problem.offset);
    throw new UsageError(`${name}:${line}:${column}: the text ${problem.message}. Repair or remove it.`);
  }
  const spans = findEnvelopeSpans(unit);
  return unwrap(JSON.parse(unit), discriminators).map(({ pointer, value }) => {
    const span = spans.get(pointer) ?? { start: 0, stop: unit.length };
    return { value: value as Json, start: start + span.start, stop: start + span.stop };
  });
}
