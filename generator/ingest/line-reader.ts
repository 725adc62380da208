/**
 * Reads JSON Lines from bytes in batches. It checks whether a whole batch is ASCII or UTF-8, and checks single lines only
 * if the batch is not UTF-8.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { type Json, parseJson } from "../json.js";
import { findJsonFindings, type JsonFinding } from "../source/json-text.js";
import { isPlainJson } from "../source/plain-json.js";
import { computeChecksum, identifyPosition } from "./content-identity.js";
import { deliverValues } from "./deliver.js";
import {
  type ByteRange,
  type ByteReader,
  createSizeFinding,
  type FastPath,
  type Input,
  type Place,
  type ReadLimits,
  type Sink,
} from "./place.js";
import type { Share } from "./stream-share.js";

const LF = 0x0a;
const CR = 0x0d;
/** The number of bytes of a batch. A larger batch makes the check cheaper, and a smaller one is more often ASCII only. */
const BATCH_BYTES = 16_384;

/** The results of `parseLine` for a line without a value. */
const BLANK = Symbol("blank");
const BROKEN = Symbol("not JSON, or not UTF-8");

/** The place of the current line. */
class LinePlace implements Place, ByteRange {
  readonly textKind = "line";
  line = 1;
  offset = 0;
  pointer = "";
  itemIndex = 0;
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  stop = 0;

  constructor(
    readonly input: Input,
    private readonly share: Share,
  ) {}

  get source(): ByteRange {
    return this;
  }

  text(): string {
    return this.bytes.toString("utf8", this.start, this.stop);
  }

  readBytes(): Uint8Array {
    return this.bytes.subarray(this.start, this.stop);
  }

  locateOffset(textOffset: number): { file: string; line: number; column: number; offset: number } {
    const bytesBefore = Buffer.byteLength(this.text().slice(0, textOffset));
    const offset = this.offset + bytesBefore;
    return { file: this.input.name, line: this.line, column: textOffset + 1, offset };
  }

  guessStream(): string | undefined {
    return this.share.guessStream(
      this.bytes.toString("latin1", this.start, this.stop),
      0,
      this.stop - this.start,
    );
  }
}

/** The state of a reader of lines. */
interface LineReaderState {
  readonly input: Input;
  readonly sink: Sink;
  readonly limit: number;
  readonly share: Share;
  readonly place: LinePlace;
  /** The beginning of a line that the next piece continues. */
  readonly pending: Buffer[];
  pendingLength: number;
  /** The number of the next line, from 1. */
  line: number;
  /** The number of bytes before the next line. */
  offset: number;
}

/** Creates a reader of lines, the first of which has the number `firstLine`. It skips lines that do not belong to `share`, without parsing them. */
export function createLineReader(
  input: Input,
  sink: Sink,
  { line: limit }: ReadLimits,
  share: Share,
  offset: number,
  firstLine = 1,
): ByteReader {
  const place = new LinePlace(input, share);
  const lines: LineReaderState = {
    input,
    sink,
    limit,
    share,
    place,
    pending: [],
    pendingLength: 0,
    line: firstLine,
    offset,
  };
  return {
    push: (bytes) => readPiece(lines, bytes),
    end: () => finishPending(lines, Buffer.alloc(0), false),
  };
}

function readPiece(lines: LineReaderState, bytes: Buffer): void {
  let start = 0;
  if (lines.pendingLength > 0) {
    const end = bytes.indexOf(LF);
    if (end === -1) {
      keepPending(lines, bytes);
      return;
    }
    finishPending(lines, bytes.subarray(0, end), true);
    start = end + 1;
  }
  const last = bytes.lastIndexOf(LF);
  while (start <= last) {
    const stop = bytes.indexOf(LF, Math.min(start + BATCH_BYTES, last)) + 1;
    readBatch(lines, bytes, start, stop);
    start = stop;
  }
  if (start < bytes.length) keepPending(lines, bytes.subarray(start));
}

function keepPending(lines: LineReaderState, part: Buffer): void {
  lines.pendingLength += part.length;
  if (lines.pendingLength <= lines.limit) lines.pending.push(Buffer.from(part));
  // A line that is too long is not kept.
  else lines.pending.length = 0;
}

/** Reads the line whose beginning was in earlier pieces. `hasLineEnd` is false for the last line of an input without one. */
function finishPending(lines: LineReaderState, rest: Buffer, hasLineEnd: boolean): void {
  const { pending, place, sink, limit } = lines;
  const length = lines.pendingLength + rest.length;
  const end = Buffer.from(hasLineEnd ? "\n" : "");
  if (length > limit) {
    movePlace(lines, Buffer.alloc(0), 0, 0);
    sink.reportUnreadable([createSizeFinding("line", limit)], place);
    lines.line++;
    lines.offset += length + end.length;
  } else if (length > 0) {
    const line = Buffer.concat([...pending, rest, end]);
    readBatch(lines, line, 0, line.length);
  }
  pending.length = 0;
  lines.pendingLength = 0;
}

/** Whole lines that are checked together. */
interface Batch {
  readonly bytes: Buffer;
  readonly start: number;
  readonly stop: number;
  readonly isAscii: boolean;
  readonly isUtf8: boolean;
  /** True if the scanner can recognise events in the batch. */
  readonly canScan: boolean;
  /** The text decoded as Latin-1, so that positions are those of the bytes; undefined until a line needs it. */
  text: string | undefined;
}

/** Reads the whole lines of `bytes` from `start` to `stop`. */
function readBatch(lines: LineReaderState, bytes: Buffer, start: number, stop: number): void {
  const region = bytes.subarray(start, stop);
  const ascii = isAscii(region);
  const utf8 = ascii || isUtf8(region);
  const includesAll = lines.share.includesAll();
  const { scanner } = lines.sink;
  const canScan = utf8 && scanner?.load(bytes, start, stop) === true;
  const batch: Batch = { bytes, start, stop, isAscii: ascii, isUtf8: utf8, canScan, text: undefined };
  let lineStart = start;
  while (lineStart < stop) {
    let isOwn = includesAll;
    if (canScan && !includesAll) {
      lineStart = skipOtherLines(lines, scanner, lineStart);
      if (lineStart >= stop) break;
      isOwn = scanner.isOwnLine;
    }
    const nextStart = canScan && isOwn ? scanLine(lines, bytes, lineStart, stop) : -1;
    lineStart = nextStart >= 0 ? nextStart : readTextLine(lines, batch, lineStart, isOwn);
  }
}

/**
 * Reads the line that begins at `lineStart`, if it belongs to this thread. `isOwn` is true if it certainly does. Returns the
 * start of the next line.
 */
function readTextLine(lines: LineReaderState, batch: Batch, lineStart: number, isOwn: boolean): number {
  const { bytes, start, stop, isAscii: ascii, isUtf8: utf8, canScan } = batch;
  if (ascii || !isOwn) batch.text ??= bytes.toString("latin1", start, stop);
  // The text is not needed if the line is parsed from the bytes.
  const text = batch.text ?? "";
  const found = ascii ? text.indexOf("\n", lineStart - start) + start : bytes.indexOf(LF, lineStart);
  const lineFeed = found < lineStart || found >= stop ? stop : found;
  const end = lineFeed > lineStart && bytes[lineFeed - 1] === CR ? lineFeed - 1 : lineFeed;
  if (end > lineStart && (isOwn || isOwnLine(lines, text, lineStart - start, end - start))) {
    // The scanner could not determine the thread of the line, for example because the key of streams has several fields.
    const nextStart = canScan && !isOwn ? scanLine(lines, bytes, lineStart, stop) : -1;
    if (nextStart >= 0) return nextStart;
    let line: string | undefined;
    if (ascii) line = text.slice(lineStart - start, end - start);
    else if (utf8 || isUtf8(bytes.subarray(lineStart, end)))
      line = (bytes as BufferWithUtf8Slice).utf8Slice(lineStart, end);
    parseAndDeliver(lines, bytes, lineStart, end, line);
  }
  lines.line++;
  lines.offset += lineFeed + 1 - lineStart;
  return lineFeed + 1;
}

/** Returns whether a line that is not blank belongs to this thread. */
function isOwnLine({ share, sink }: LineReaderState, text: string, start: number, stop: number): boolean {
  const isOwn = share.includes(text, start, stop);
  if (!isOwn) sink.markSkippedLines?.();
  return isOwn;
}

/** Skips lines that certainly belong to another thread. Returns the start of the next line. */
function skipOtherLines(lines: LineReaderState, scanner: FastPath, start: number): number {
  const next = scanner.skipOtherShards(start);
  lines.line += scanner.skippedLines;
  if (scanner.skippedLines > 0) lines.sink.markSkippedLines?.();
  lines.offset += next - start;
  return next;
}

/** Delivers a line that the scanner recognises. Returns the start of the next line; -1 if the line must be parsed. */
function scanLine(lines: LineReaderState, bytes: Buffer, start: number, stop: number): number {
  const scanner = lines.sink.scanner as FastPath;
  const end = scanner.scan(start);
  if (end < 0 || end - start > lines.limit) return -1;
  const next = bytes[end] === CR && end + 1 < stop ? end + 1 : end;
  if (next < stop && bytes[next] !== LF) return -1;
  const place = movePlace(lines, bytes, start, end);
  place.pointer = "";
  place.itemIndex = 0;
  scanner.acceptEvent(place);
  lines.line++;
  lines.offset += next + 1 - start;
  return next + 1;
}

/** Parses and delivers a line. `text` is undefined if the line is not UTF-8. */
function parseAndDeliver(
  lines: LineReaderState,
  bytes: Buffer,
  start: number,
  stop: number,
  text: string | undefined,
): void {
  const { input, sink, limit } = lines;
  const place = movePlace(lines, bytes, start, stop);
  if (stop - start > limit) {
    sink.reportUnreadable([createSizeFinding("line", limit)], place);
    return;
  }
  const value = text === undefined ? BROKEN : parseLine(text);
  if (value === BLANK) return;
  const isPlain = value !== BROKEN && isPlainJson(value, text as string, bytes, start, stop);
  const findings = isPlain ? [] : checkLineText(bytes.subarray(start, stop));
  if (findings.length > 0) sink.reportUnreadable(findings, place);
  else {
    const content = identifyPosition(input, place.offset) ?? computeChecksum(bytes.subarray(start, stop));
    deliverValues(value as Json, place, sink, content);
  }
}

/** A buffer with a method that the types of Node do not declare: `toString("utf8", …)` without checks of the arguments. */
interface BufferWithUtf8Slice extends Buffer {
  utf8Slice(start: number, end: number): string;
}

/** Returns the value of a line; BLANK if the line is blank; BROKEN if it is not JSON. */
function parseLine(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  return text.trim() === "" ? BLANK : BROKEN;
}

/** Moves the place to the next line, whose bytes are those from `start` to `stop`. */
function movePlace(
  { place, line, offset }: LineReaderState,
  bytes: Buffer,
  start: number,
  stop: number,
): LinePlace {
  place.bytes = bytes;
  place.start = start;
  place.stop = stop;
  place.line = line;
  place.offset = offset;
  return place;
}

/** Returns all reasons why a text cannot be read as JSON. */
export function checkLineText(bytes: Buffer): JsonFinding[] {
  if (isUtf8(bytes)) return findJsonFindings(bytes.toString("utf8"));
  const offset = findFirstMalformed(bytes);
  return [{ rule: "json-encoding", message: "is not valid UTF-8", pointer: "", offset }];
}

const REPLACEMENT_CHARACTER = Buffer.from("\uFFFD");

/** Returns the number of code units before the first byte that is not UTF-8. */
function findFirstMalformed(bytes: Buffer): number {
  const text = bytes.toString("utf8");
  for (let index = text.indexOf("\uFFFD"); index !== -1; index = text.indexOf("\uFFFD", index + 1)) {
    const start = Buffer.byteLength(text.slice(0, index));
    // The text itself may contain U+FFFD, whose bytes are EF BF BD.
    if (!bytes.subarray(start, start + 3).equals(REPLACEMENT_CHARACTER)) return index;
  }
  return 0;
}
