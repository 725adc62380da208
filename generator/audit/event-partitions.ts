/**
 * Divides events into files by their streams, so that each file can be sorted in memory. All events of a stream are in one
 * file.
 */
import { appendFileSync, closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { hashText } from "../hash.js";

/** An event and its position in its stream. */
interface EventRecord {
  readonly stream: string;
  /**
   * The number of the event in its stream. Equal numbers keep the order in which they are added. An event with NaN stays
   * behind the event of its stream that was added before it.
   */
  readonly number: number;
  /** The time of the event in milliseconds since 1970; NaN if it is not needed or unknown. */
  readonly time: number;
  /** The index of its input and its line; see `createPlaceNumber`. */
  readonly place: number;
  /** The JSON pointer of the event in the text of its line; empty if it is the whole text. */
  readonly pointer: string;
  /** The bytes of the event from `start` to `stop`, without a line end. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly stop: number;
}

const LINES_PER_INPUT = 2 ** 32;

/** Returns a number that stands for a line of an input. It increases from line to line through all inputs. */
export function createPlaceNumber(inputIndex: number, line: number): number {
  return inputIndex * LINES_PER_INPUT + line;
}

/** Returns the index of the input and the line that a place number stands for. */
export function readPlaceNumber(place: number): { readonly inputIndex: number; readonly line: number } {
  return { inputIndex: Math.floor(place / LINES_PER_INPUT), line: place % LINES_PER_INPUT };
}

/**
 * The layout of a record: number, time and place as doubles; the lengths of stream, pointer and text as 32-bit integers;
 * stream, pointer and text.
 */
const TIME = 8;
const PLACE = 16;
const LENGTHS = 24;
const HEAD_BYTES = 36;

/** The greatest number of bytes that a UTF-16 code unit has in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Writes events to files. */
export interface PartitionWriter {
  add(event: EventRecord): void;
  /** Writes what is left in memory, and returns the files that have events. */
  finish(): readonly string[];
}

/** Limits of the memory for sorting, and the expected number of bytes of all events. */
interface PartitionSizes {
  /** The bytes that a partition should not exceed. */
  readonly partitionBytes: number;
  /** The bytes that all buffers of the writer may have. */
  readonly bufferBytes: number;
  readonly expectedBytes: number;
}

const MAX_PARTITIONS = 8192;
const MIN_BUFFER_BYTES = 2 ** 14;
const MAX_BUFFER_BYTES = 2 ** 20;

/** Creates a writer of files in `folder`. Files are opened for each write only, because there may be thousands. */
export function createPartitionWriter(
  folder: string,
  { partitionBytes, bufferBytes, expectedBytes }: PartitionSizes,
): PartitionWriter {
  const wantedCount = Math.ceil(expectedBytes / partitionBytes);
  const affordableCount = Math.floor(bufferBytes / MIN_BUFFER_BYTES);
  const count = Math.max(1, Math.min(wantedCount, affordableCount, MAX_PARTITIONS));
  const maxBytes = Math.max(MIN_BUFFER_BYTES, Math.min(MAX_BUFFER_BYTES, Math.floor(bufferBytes / count)));
  const partitions = Array.from({ length: count }, (_, index) => ({
    file: path.join(folder, `${index}.events`),
    buffer: Buffer.alloc(0),
    length: 0,
    isWritten: false,
  }));
  const flush = (target: (typeof partitions)[number], bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    appendFileSync(target.file, bytes);
    target.isWritten = true;
    target.length = 0;
  };
  return {
    add(event) {
      const target = partitions[count === 1 ? 0 : hashText(event.stream) % count];
      if (target === undefined) return;
      const maxLength = measureRecord(event);
      if (target.length + maxLength > target.buffer.length) {
        flush(target, target.buffer.subarray(0, target.length));
        if (maxLength > target.buffer.length)
          target.buffer = Buffer.allocUnsafeSlow(Math.max(maxBytes, maxLength));
      }
      target.length = writeRecord(target.buffer, target.length, event);
      // Frees the large buffer of a long event.
      if (target.buffer.length <= maxBytes) return;
      flush(target, target.buffer.subarray(0, target.length));
      target.buffer = Buffer.alloc(0);
    },
    finish() {
      for (const target of partitions) {
        flush(target, target.buffer.subarray(0, target.length));
        target.buffer = Buffer.alloc(0);
      }
      return partitions.filter(({ isWritten }) => isWritten).map(({ file }) => file);
    },
  };
}

/** Returns the greatest number of bytes that the record of an event can have. */
function measureRecord({ stream, pointer, start, stop }: EventRecord): number {
  return HEAD_BYTES + MAX_UNIT_BYTES * (stream.length + pointer.length) + stop - start;
}

/** Writes a record, and returns the position after it. */
function writeRecord(buffer: Buffer, position: number, event: EventRecord): number {
  const { stream, number, time, place, pointer, bytes, start, stop } = event;
  const body = position + HEAD_BYTES;
  const streamLength = buffer.write(stream, body);
  const pointerLength = pointer === "" ? 0 : buffer.write(pointer, body + streamLength);
  buffer.writeDoubleLE(number, position);
  buffer.writeDoubleLE(time, position + TIME);
  buffer.writeDoubleLE(place, position + PLACE);
  buffer.writeUInt32LE(streamLength, position + LENGTHS);
  buffer.writeUInt32LE(pointerLength, position + LENGTHS + 4);
  buffer.writeUInt32LE(stop - start, position + LENGTHS + 8);
  const text = body + streamLength + pointerLength;
  buffer.set(bytes.subarray(start, stop), text);
  return text + stop - start;
}

/** The place of an event in the inputs. */
interface EventOrigin {
  readonly place: number;
  readonly pointer: string;
}

/** The events of a partition, sorted by their streams and numbers. */
export interface Partition {
  /** The number of events. */
  readonly count: number;
  /** Yields the texts of the events in their order, as pieces of JSON Lines. */
  readTexts(): Generator<Buffer>;
  /** Returns the origin of the event at an index. */
  readOrigin(index: number): EventOrigin;
  /** Frees the memory of the texts. Origins can still be read. */
  release(): void;
  /** Closes the file. */
  close(): void;
}

/** The number of bytes of a piece of sorted events. */
const PIECE_BYTES = 2 ** 20;
const LF = 0x0a;

/**
 * Opens a partition and sorts the streams that are wanted by their times. If the file has more than `maxBytes`, only the
 * positions of its events are kept in memory.
 */
export function openPartition(
  file: string,
  maxBytes: number,
  isWanted: (times: StreamTimes) => boolean,
): Partition {
  const source = new RecordFile(file, maxBytes);
  const positions = sortRecords(listRecords(source), isWanted);
  return {
    count: positions.length,
    *readTexts() {
      let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      let length = 0;
      for (const position of positions) {
        const { text, end } = source.readBounds(position);
        const textLength = end - text;
        if (length + textLength >= piece.length) {
          if (length > 0) yield piece.subarray(0, length);
          // The piece before may still be in use.
          piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, textLength + 1));
          length = 0;
        }
        source.copy(text, end, piece, length);
        length += textLength;
        piece[length++] = LF;
      }
      if (length > 0) yield piece.subarray(0, length);
    },
    readOrigin(index) {
      const position = positions[index] ?? 0;
      const { pointer, text } = source.readBounds(position);
      return { place: source.readDouble(position + PLACE), pointer: source.readText(pointer, text) };
    },
    release: () => source.release(),
    close: () => source.close(),
  };
}

/** The positions of the parts of a record. */
interface RecordBounds {
  readonly stream: number;
  readonly pointer: number;
  readonly text: number;
  readonly end: number;
}

/** The bytes of a window, for files that are too large to be kept in memory. */
const WINDOW_BYTES = 2 ** 16;

/** Reads a file of records: from memory, or through a window if the file is too large. */
class RecordFile {
  readonly size: number;
  private readonly descriptor: number;
  private readonly isWhole: boolean;
  private bytes: Buffer;
  /** The position of the first byte of `bytes` in the file. */
  private base = 0;

  constructor(file: string, maxBytes: number) {
    this.size = statSync(file).size;
    this.descriptor = openSync(file, "r");
    this.isWhole = this.size <= maxBytes;
    this.bytes = this.isWhole ? readFileSync(this.descriptor) : Buffer.alloc(0);
  }

  /** Makes the bytes from `start` to `end` available in `bytes`. */
  private load(start: number, end: number): void {
    if (start >= this.base && end <= this.base + this.bytes.length) return;
    const length = Math.min(Math.max(WINDOW_BYTES, end - start), this.size - start);
    this.bytes = Buffer.allocUnsafeSlow(length);
    this.base = start;
    readSync(this.descriptor, this.bytes, 0, length, start);
  }

  readDouble(position: number): number {
    this.load(position, position + 8);
    return this.bytes.readDoubleLE(position - this.base);
  }

  readText(start: number, end: number): string {
    this.load(start, end);
    return this.bytes.toString("utf8", start - this.base, end - this.base);
  }

  readBounds(position: number): RecordBounds {
    const lengths = position + LENGTHS;
    this.load(lengths, position + HEAD_BYTES);
    const stream = position + HEAD_BYTES;
    const pointer = stream + this.bytes.readUInt32LE(lengths - this.base);
    const text = pointer + this.bytes.readUInt32LE(lengths + 4 - this.base);
    return { stream, pointer, text, end: text + this.bytes.readUInt32LE(lengths + 8 - this.base) };
  }

  copy(start: number, end: number, target: Buffer, targetStart: number): void {
    this.load(start, end);
    this.bytes.copy(target, targetStart, start - this.base, end - this.base);
  }

  /** Frees the memory. Records are read through a window from now on. */
  release(): void {
    this.bytes = Buffer.alloc(0);
    this.base = 0;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** The earliest and the latest time of the events of a stream; Infinity and -Infinity if none has a time. */
export interface StreamTimes {
  begin: number;
  end: number;
}

/** The records of a stream. */
interface StreamRecords extends StreamTimes {
  readonly stream: string;
  readonly positions: number[];
  readonly numbers: number[];
  /** True if each number is at least the number before it. */
  isSorted: boolean;
  lastNumber: number;
}

/** Returns the records of each stream, in the order in which they were written. */
function listRecords(source: RecordFile): readonly StreamRecords[] {
  const streams = new Map<string, StreamRecords>();
  let position = 0;
  while (position < source.size) {
    const bounds = source.readBounds(position);
    const stream = source.readText(bounds.stream, bounds.pointer);
    const records = streams.get(stream) ?? createStreamRecords(stream);
    if (records.positions.length === 0) streams.set(stream, records);
    const ownNumber = source.readDouble(position);
    const number = Number.isNaN(ownNumber) ? records.lastNumber : ownNumber;
    if (number < records.lastNumber) records.isSorted = false;
    records.lastNumber = number;
    records.positions.push(position);
    records.numbers.push(number);
    const time = source.readDouble(position + TIME);
    // A comparison with NaN is false.
    if (time < records.begin) records.begin = time;
    if (time > records.end) records.end = time;
    position = bounds.end;
  }
  return [...streams.values()];
}

function createStreamRecords(stream: string): StreamRecords {
  return {
    stream,
    positions: [],
    numbers: [],
    isSorted: true,
    lastNumber: -Infinity,
    begin: Infinity,
    end: -Infinity,
  };
}

/** Returns the positions of all records of wanted streams: sorted by stream, then by number. */
function sortRecords(
  streams: readonly StreamRecords[],
  isWanted: (times: StreamTimes) => boolean,
): Float64Array {
  const wantedStreams = streams.filter(isWanted).sort((a, b) => (a.stream < b.stream ? -1 : 1));
  let count = 0;
  for (const { positions } of wantedStreams) count += positions.length;
  const sortedPositions = new Float64Array(count);
  let next = 0;
  for (const { positions, numbers, isSorted } of wantedStreams) {
    if (isSorted) sortedPositions.set(positions, next);
    else {
      const order = Uint32Array.from(positions.keys());
      // Events with equal numbers keep their order.
      order.sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0) || a - b);
      for (const [index, from] of order.entries()) sortedPositions[next + index] = positions[from] ?? 0;
    }
    next += positions.length;
  }
  return sortedPositions;
}
