/**
 * JSON Lines out of bytes, in batches: whether they are ASCII or at least UTF-8 is asked once for many lines, and only
 * where they are not for each.
 */
import { isAscii, isUtf8 } from "node:buffer";
import type { Json } from "../json.js";
import { type Problem, problemsOf } from "../source/json-text.js";
import { isPlainJson } from "../source/member-count.js";
import { contentOf } from "./content.js";
import type { Input } from "./input.js";
import { LinePlace } from "./line-place.js";
import { type ByteReader, type ReadLimits, type Recogniser, type Sink, tooLarge } from "./place.js";
import type { Share } from "./shard.js";
import { deliver } from "./unwrapped.js";

const LF = 0x0a;
const CR = 0x0d;
/** How much is asked about at once: enough to pay for the asking, little enough to be ASCII now and then. */
const BATCH = 16_384;

/** What became of a line that holds no value. */
const NOTHING = Symbol("blank");
const BROKEN = Symbol("not JSON, or not UTF-8");
const TOO_LONG = Symbol("longer than the limit");

interface Lines {
  readonly input: Input;
  readonly sink: Sink;
  readonly limit: number;
  readonly share: Share;
  readonly place: LinePlace;
  /** Beginnings of a line that the next piece goes on with. */
  readonly pending: Buffer[];
  pendingLength: number;
  /** The next line's number, and the bytes before it. */
  line: number;
  offset: number;
}

/** A reader of lines. `share` says which lines are this thread's; the others are passed over unparsed. */
export function lineReader(
  input: Input,
  sink: Sink,
  { line: limit }: ReadLimits,
  share: Share,
  offset: number,
): ByteReader {
  const place = new LinePlace(input, share);
  const lines: Lines = {
    ...{ input, sink, limit, share, place, pending: [] },
    ...{ pendingLength: 0, line: 1, offset },
  };
  return { push: (bytes) => push(lines, bytes), end: () => finishPending(lines, Buffer.alloc(0), false) };
}

function push(lines: Lines, bytes: Buffer): void {
  let start = 0;
  if (lines.pendingLength > 0) {
    const end = bytes.indexOf(LF);
    if (end === -1) {
      hold(lines, bytes);
      return;
    }
    finishPending(lines, bytes.subarray(0, end), true);
    start = end + 1;
  }
  const last = bytes.lastIndexOf(LF);
  while (start <= last) {
    const near = Math.min(start + BATCH, last);
    const stop = bytes.indexOf(LF, near) + 1;
    readBatch(lines, bytes, start, stop);
    start = stop;
  }
  if (start < bytes.length) hold(lines, bytes.subarray(start));
}

function hold(lines: Lines, part: Buffer): void {
  lines.pendingLength += part.length;
  if (lines.pendingLength <= lines.limit) lines.pending.push(Buffer.from(part));
  else lines.pending.length = 0;
}

/** Reads the line that earlier pieces began. */
function finishPending(lines: Lines, rest: Buffer, ended: boolean): void {
  const { pending, place, sink, limit } = lines;
  const length = lines.pendingLength + rest.length;
  const end = Buffer.from(ended ? "\n" : "");
  if (length > limit) {
    settle(lines, Buffer.alloc(0), 0, 0);
    sink.unreadable([tooLarge("line", limit)], place);
    lines.line++;
    lines.offset += length + end.length;
  } else if (length > 0) {
    const whole = Buffer.concat([...pending, rest, end]);
    readBatch(lines, whole, 0, whole.length);
  }
  pending.length = 0;
  lines.pendingLength = 0;
}

/** Some whole lines. */
interface Batch {
  readonly bytes: Buffer;
  readonly start: number;
  readonly stop: number;
  /** Whether all of it is ASCII, or at least UTF-8. */
  readonly ascii: boolean;
  readonly sound: boolean;
  /** Whether events can be recognised in it. */
  readonly scans: boolean;
  /** As Latin-1, positions in the text are positions in the bytes; made when a line needs it. */
  text: string | undefined;
}

/** Reads whole lines: those of `bytes` from `start` to `stop`, after which a line begins or the input ends. */
function readBatch(lines: Lines, bytes: Buffer, start: number, stop: number): void {
  const region = bytes.subarray(start, stop);
  const ascii = isAscii(region);
  const sound = ascii || isUtf8(region);
  const all = lines.share.takesAll();
  const { scanner } = lines.sink;
  const scans = sound && scanner?.load(bytes, start, stop) === true;
  const batch: Batch = { bytes, start, stop, ascii, sound, scans, text: undefined };
  for (let from = start; from < stop; ) {
    let isOwn = all;
    if (scans && !all) {
      from = passOthers(lines, scanner, from);
      if (from >= stop) break;
      isOwn = scanner.isOwn;
    }
    const after = scans && isOwn ? scanLine(lines, bytes, from, stop) : -1;
    from = after >= 0 ? after : readText(lines, batch, from, isOwn);
  }
}

/** Reads the line that begins at `from`, if it is this thread's: `isOwn` if that is sure. Returns where the next one begins. */
function readText(lines: Lines, batch: Batch, from: number, isOwn: boolean): number {
  const { bytes, start, stop, ascii, sound, scans } = batch;
  if (ascii || !isOwn) batch.text ??= bytes.toString("latin1", start, stop);
  const { text = "" } = batch;
  const found = ascii ? text.indexOf("\n", from - start) + start : bytes.indexOf(LF, from);
  const next = found < from || found >= stop ? stop : found;
  const end = next > from && bytes[next - 1] === CR ? next - 1 : next;
  if (end > from && (isOwn || takes(lines, text, from - start, end - start))) {
    // Whose it is could not be told in bytes: of streams with a key of several fields it never can.
    const after = scans && !isOwn ? scanLine(lines, bytes, from, stop) : -1;
    if (after >= 0) return after;
    const line = ascii
      ? text.slice(from - start, end - start)
      : sound || isUtf8(bytes.subarray(from, end))
        ? (bytes as Sliced).utf8Slice(from, end)
        : undefined;
    readLine(lines, bytes, from, end, line);
  }
  lines.line++;
  lines.offset += next + 1 - from;
  return next + 1;
}

/** Whether a line that is not blank is this thread's. */
function takes({ share, sink }: Lines, text: string, from: number, to: number): boolean {
  const isOwn = share.takes(text, from, to);
  if (!isOwn) sink.others?.();
  return isOwn;
}

/** Passes over lines that are surely another thread's. Returns where the next one begins. */
function passOthers(lines: Lines, scanner: Recogniser, start: number): number {
  const next = scanner.pass(start);
  lines.line += scanner.passed;
  if (scanner.passed > 0) lines.sink.others?.();
  lines.offset += next - start;
  return next;
}

/** Hands one line on if it is recognised unparsed. Returns where the next one begins, or -1. */
function scanLine(lines: Lines, bytes: Buffer, start: number, stop: number): number {
  const { input, limit } = lines;
  const scanner = lines.sink.scanner as Recogniser;
  const end = scanner.scan(start);
  if (end < 0 || end - start > limit) return -1;
  const next = bytes[end] === CR && end + 1 < stop ? end + 1 : end;
  if (next < stop && bytes[next] !== LF) return -1;
  const place = settle(lines, bytes, start, end);
  place.pointer = "";
  place.item = 0;
  scanner.take(place, contentOf(input, place.offset, bytes, start, end));
  lines.line++;
  lines.offset += next + 1 - start;
  return next + 1;
}

/** Hands one line on; its `text` is undefined if it is not UTF-8. */
function readLine(lines: Lines, bytes: Buffer, start: number, stop: number, text: string | undefined): void {
  const { input, sink, limit } = lines;
  const place = settle(lines, bytes, start, stop);
  const value = stop - start > limit ? TOO_LONG : text === undefined ? BROKEN : parse(text);
  if (value === NOTHING) return;
  if (value === TOO_LONG) sink.unreadable([tooLarge("line", limit)], place);
  else if (value !== BROKEN && isPlainJson(value, text as string, bytes, start, stop))
    deliver(value as Json, place, sink, contentOf(input, place.offset, bytes, start, stop));
  else {
    const problems = lineProblems(bytes.subarray(start, stop));
    if (problems.length > 0) sink.unreadable(problems, place);
    else deliver(value as Json, place, sink, contentOf(input, place.offset, bytes, start, stop));
  }
}

/** What Node has, and its types do not tell: the same as toString("utf8", …), without looking at its arguments. */
interface Sliced extends Buffer {
  utf8Slice(start: number, end: number): string;
}

/** The value of a line, NOTHING if it is blank, BROKEN if it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim() === "" ? NOTHING : BROKEN;
  }
}

function settle({ place, line, offset }: Lines, bytes: Buffer, start: number, stop: number): LinePlace {
  place.bytes = bytes;
  place.start = start;
  place.stop = stop;
  place.line = line;
  place.offset = offset;
  return place;
}

/** Everything that keeps a text from being read as JSON. */
export function lineProblems(bytes: Buffer): Problem[] {
  if (isUtf8(bytes)) return problemsOf(bytes.toString("utf8"));
  const offset = firstMalformed(bytes);
  return [{ rule: "json-encoding", message: "is not valid UTF-8", pointer: "", offset }];
}

/** The code units before the first byte that is no UTF-8. */
function firstMalformed(bytes: Buffer): number {
  const text = bytes.toString("utf8");
  for (let at = text.indexOf("\uFFFD"); at !== -1; at = text.indexOf("\uFFFD", at + 1)) {
    const before = Buffer.byteLength(text.slice(0, at));
    if (bytes[before] !== 0xef || bytes[before + 1] !== 0xbf || bytes[before + 2] !== 0xbd) return at;
  }
  return 0;
}
