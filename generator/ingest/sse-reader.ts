import { type Json, parseJson } from "../json.js";
import { findJsonFindings, type JsonFinding } from "../source/json-text.js";
import { isPlainJson } from "../source/plain-json.js";
import { locateOffset } from "../source/source.js";
import { createSseParser, type SseFrame } from "../stream/sse-parser.js";
import { computeChecksum } from "./content-identity.js";
import { deliverValues } from "./deliver.js";
import {
  type ByteReader,
  createSizeFinding,
  type Input,
  type Place,
  type ReadLimits,
  type Sink,
} from "./place.js";

/** Creates a reader of a captured feed. It reads the data of every frame as JSON and ignores event names. */
export function createSseReader(input: Input, sink: Sink, limits: ReadLimits): ByteReader {
  const parser = createSseParser({ limit: limits.line });
  return {
    push: (bytes) => {
      for (const frame of parser.push(bytes)) readFrame(frame, input, sink, limits);
    },
    end: () => {
      const frame = parser.end();
      if (frame) sink.reportUnreadable([createCutOffFinding(frame)], createFramePlace(input, frame));
    },
  };
}

/** Delivers the value of a frame. */
export function readFrame(frame: SseFrame, input: Input, sink: Sink, limits: ReadLimits): void {
  const place = createFramePlace(input, frame);
  const result = frame.oversized ? [createSizeFinding("frame", limits.line)] : parseFrame(frame);
  if (Array.isArray(result)) sink.reportUnreadable(result, place);
  else deliverValues(result.value, place, sink, computeChecksum(Buffer.from(frame.data)));
}

function parseFrame({ data, malformed }: SseFrame): { readonly value: Json } | JsonFinding[] {
  if (malformed) {
    const offset = Math.max(0, data.indexOf("\uFFFD"));
    return [{ rule: "json-encoding", message: "is not valid UTF-8", pointer: "", offset }];
  }
  const value = parseJson(data);
  if (value === undefined) return findJsonFindings(data);
  const bytes = Buffer.from(data);
  const findings = isPlainJson(value, data, bytes, 0, bytes.length) ? [] : findJsonFindings(data);
  return findings.length > 0 ? findings : { value };
}

/** Creates the warning for a capture that ends within a frame, which clients do not deliver. */
function createCutOffFinding({ data }: SseFrame): JsonFinding {
  const message = "is cut: no empty line ends it, so clients drop it";
  return { rule: "sse-cut", severity: "warning", message, pointer: "", offset: data.length };
}

function createFramePlace(input: Input, frame: SseFrame): Place & { pointer: string; itemIndex: number } {
  const { data, id, parts, line, offset } = frame;
  return {
    input,
    textKind: "frame" as const,
    line,
    offset,
    pointer: "",
    itemIndex: 0,
    frameId: id,
    text: () => data,
    locateOffset: (dataOffset) => {
      // Each line of the data is one part of the frame.
      const location = locateOffset(data, dataOffset);
      const part = parts[location.line - 1];
      if (part === undefined) return { file: input.name, line, column: 1, offset };
      const lineStart = data.lastIndexOf("\n", dataOffset - 1) + 1;
      return {
        file: input.name,
        line: part.line,
        column: part.column - 1 + location.column,
        offset: part.offset + Buffer.byteLength(data.slice(lineStart, dataOffset)),
      };
    },
    guessStream: () => undefined,
  };
}
