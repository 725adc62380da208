/**
 * Reads JSON Lines from bytes in batches. It checks whether a whole batch is ASCII or UTF-8, and checks single lines only
 * if the batch is not UTF-8.
 */
import { isAscii, isUtf8 } from "node:buffer";
import type { Json } from "../json.js";
import { findJsonFindings, type JsonFinding } from "../source/json-text.js";
import { isPlainJson } from "../source/plain-json.js";
import { identifyLine } from "./content-identity.js";
import { deliverValues } from "./deliver.js";
import {
  type ByteReader,
  createSizeProblem,
  type FastPath,
  type Input,
  type Place,
  type ReadLimits,
  type Sink,
} from "./place.js";
import type { Share } from "./stream-share.js";

const LF = 0x0a;
const CR = 0x0d;
/** The bytes of a batch: many enough to make the check cheap, few enough that many batches are ASCII only. */
const BATCH_BYTES = 16_384;

/** The results of parsing a line without a value. */
const BLANK = Symbol("blank");
const BROKEN = Symbol("not JSON, or not UTF-8");

/** The place of the current line. */
class LinePlace implements Place {
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

  text(): string {
    return this.bytes.toString("utf8", this.start, this.stop);
  }

  at(offset: number): { file: string; line: number; column: number; offset: number } {
    const before = Buffer.byteLength(this.text().slice(0, offset));
    return { file: this.input.name, line: this.line, column: offset + 1, offset: this.offset + before };
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
  /** The number of the next line, and the bytes before it. */
  line: number;
  offset: number;
}

/** Creates a reader of lines. It skips lines that do not belong to `share`, without parsing them. */
export function createLineReader(
  input: Input,
  sink: Sink,
  { line: limit }: ReadLimits,
  share: Share,
  offset: number,
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
    line: 1,
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
    const near = Math.min(start + BATCH_BYTES, last);
    const stop = bytes.indexOf(LF, near) + 1;
    readBatch(lines, bytes, start, stop);
    start = stop;
  }
  if (start < bytes.length) keepPending(lines, bytes.subarray(start));
}

function keepPending(lines: LineReaderState, part: Buffer): void {
  lines.pendingLength += part.length;
  if (lines.pendingLength <= lines.limit) lines.pending.push(Buffer.from(part));
  else lines.pending.length = 0;
}

/** Reads the line whose beginning was in earlier pieces. */
function finishPending(lines: LineReaderState, rest: Buffer, ended: boolean): void {
  const { pending, place, sink, limit } = lines;
  const length = lines.pendingLength + rest.length;
  const end = Buffer.from(ended ? "\n" : "");
  if (length > limit) {
    movePlace(lines, Buffer.alloc(0), 0, 0);
    sink.reportUnreadable([createSizeProblem("line", limit)], place);
    lines.line++;
    lines.offset += length + end.length;
  } else if (length > 0) {
    const whole = Buffer.concat([...pending, rest, end]);
    readBatch(lines, whole, 0, whole.length);
  }
  pending.length = 0;
  lines.pendingLength = 0;
}

/** Whole lines that are checked together. */
interface Batch {
  readonly bytes: Buffer;
  readonly start: number;
  readonly stop: number;
  /** Whether all bytes are ASCII, and whether they are UTF-8. */
  readonly isAscii: boolean;
  readonly isUtf8: boolean;
  /** Whether the scanner can recognise events in the batch. */
  readonly canScan: boolean;
  /** The text decoded as Latin-1, so that positions are those of the bytes; undefined until a line needs it. */
  text: string | undefined;
}

/** Reads the whole lines of `bytes` from `start` to `stop`. */
function readBatch(lines: LineReaderState, bytes: Buffer, start: number, stop: number): void {
  const region = bytes.subarray(start, stop);
  const ascii = isAscii(region);
  const utf8 = ascii || isUtf8(region);
  const takesAll = lines.share.includesAll();
  const { scanner } = lines.sink;
  const canScan = utf8 && scanner?.load(bytes, start, stop) === true;
  const batch: Batch = { bytes, start, stop, isAscii: ascii, isUtf8: utf8, canScan, text: undefined };
  for (let from = start; from < stop; ) {
    let isOwn = takesAll;
    if (canScan && !takesAll) {
      from = skipOtherLines(lines, scanner, from);
      if (from >= stop) break;
      isOwn = scanner.isOwn;
    }
    const after = canScan && isOwn ? scanLine(lines, bytes, from, stop) : -1;
    from = after >= 0 ? after : readTextLine(lines, batch, from, isOwn);
  }
}

/**
 * Reads the line that begins at `from`, if it belongs to this thread. `isOwn` says that it certainly does. Returns the
 * start of the next line.
 */
function readTextLine(lines: LineReaderState, batch: Batch, from: number, isOwn: boolean): number {
  const { bytes, start, stop, isAscii: ascii, isUtf8: utf8, canScan } = batch;
  if (ascii || !isOwn) batch.text ??= bytes.toString("latin1", start, stop);
  const { text = "" } = batch;
  const found = ascii ? text.indexOf("\n", from - start) + start : bytes.indexOf(LF, from);
  const next = found < from || found >= stop ? stop : found;
  const end = next > from && bytes[next - 1] === CR ? next - 1 : next;
  if (end > from && (isOwn || isOwnLine(lines, text, from - start, end - start))) {
    // The scanner could not determine the thread of the line; it never can if the key of streams has several fields.
    const after = canScan && !isOwn ? scanLine(lines, bytes, from, stop) : -1;
    if (after >= 0) return after;
    let line: string | undefined;
    if (ascii) line = text.slice(from - start, end - start);
    else if (utf8 || isUtf8(bytes.subarray(from, end)))
      line = (bytes as BufferWithUtf8Slice).utf8Slice(from, end);
    parseAndDeliver(lines, bytes, from, end, line);
  }
  lines.line++;
  lines.offset += next + 1 - from;
  return next + 1;
}

/** Returns whether a line that is not blank belongs to this thread. */
function isOwnLine({ share, sink }: LineReaderState, text: string, from: number, to: number): boolean {
  const isOwn = share.includes(text, from, to);
  if (!isOwn) sink.markSkippedLines?.();
  return isOwn;
}

/** Skips lines that certainly belong to another thread. Returns the start of the next line. */
function skipOtherLines(lines: LineReaderState, scanner: FastPath, start: number): number {
  const next = scanner.skipOtherShards(start);
  lines.line += scanner.skipped;
  if (scanner.skipped > 0) lines.sink.markSkippedLines?.();
  lines.offset += next - start;
  return next;
}

/** Delivers a line that the scanner recognises. Returns the start of the next line; -1 if the line must be parsed. */
function scanLine(lines: LineReaderState, bytes: Buffer, start: number, stop: number): number {
  const { input, limit } = lines;
  const scanner = lines.sink.scanner as FastPath;
  const end = scanner.scan(start);
  if (end < 0 || end - start > limit) return -1;
  const next = bytes[end] === CR && end + 1 < stop ? end + 1 : end;
  if (next < stop && bytes[next] !== LF) return -1;
  const place = movePlace(lines, bytes, start, end);
  place.pointer = "";
  place.itemIndex = 0;
  scanner.acceptEvent(place, identifyLine(input, place.offset, bytes, start, end));
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
    sink.reportUnreadable([createSizeProblem("line", limit)], place);
    return;
  }
  const value = text === undefined ? BROKEN : parseLine(text);
  if (value === BLANK) return;
  if (value !== BROKEN && isPlainJson(value, text as string, bytes, start, stop))
    deliverValues(value as Json, place, sink, identifyLine(input, place.offset, bytes, start, stop));
  else {
    const problems = findLineProblems(bytes.subarray(start, stop));
    if (problems.length > 0) sink.reportUnreadable(problems, place);
    else deliverValues(value as Json, place, sink, identifyLine(input, place.offset, bytes, start, stop));
  }
}

/** A buffer with a method that the types of Node do not declare: `toString("utf8", …)` without checks of the arguments. */
interface BufferWithUtf8Slice extends Buffer {
  utf8Slice(start: number, end: number): string;
}

/** Returns the value of a line, BLANK if it is blank, BROKEN if it is not JSON. */
function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim() === "" ? BLANK : BROKEN;
  }
}

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
export function findLineProblems(bytes: Buffer): JsonFinding[] {
  if (isUtf8(bytes)) return findJsonFindings(bytes.toString("utf8"));
  const offset = findFirstMalformed(bytes);
  return [{ rule: "json-encoding", message: "is not valid UTF-8", pointer: "", offset }];
}

/** Returns the number of code units before the first byte that is not UTF-8. */
function findFirstMalformed(bytes: Buffer): number {
  const text = bytes.toString("utf8");
  for (let at = text.indexOf("\uFFFD"); at !== -1; at = text.indexOf("\uFFFD", at + 1)) {
    const before = Buffer.byteLength(text.slice(0, at));
    if (bytes[before] !== 0xef || bytes[before + 1] !== 0xbf || bytes[before + 2] !== 0xbd) return at;
  }
  return 0;
}
