/** Sorts the events of all inputs by their streams and numbers, and remembers where each came from. */
import { mkdtempSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Finding } from "../finding.js";
import { createEnvelopeTextReader, type Input, type Place, type Sink } from "../ingest/place.js";
import { describeReadError } from "../ingest/read-input.js";
import { createUnreadableFinding } from "../ingest/unreadable-finding.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";
import {
  createPartitionWriter,
  createPlaceNumber,
  openPartition,
  type Partition,
  type PartitionWriter,
  readPlaceNumber,
} from "./event-partitions.js";
import { type InputPart, readPart } from "./input-part.js";
import { createEventLocator, type EventLocator } from "./locate-event.js";
import type { StreamSelection } from "./stream-selection.js";

/** The place that an event came from. */
export interface Origin {
  readonly input: Input;
  readonly line: number;
  /** The JSON pointer of the event in the JSON text of its line; empty if it is the whole text. */
  readonly pointer: string;
  /** True if the text is not JSON. */
  readonly isUnreadable: boolean;
}

/** The events of all inputs, sorted by their streams and numbers. */
interface SortedEvents {
  /** The sorted events as JSON Lines. Each line that is not JSON is replaced by `UNREADABLE`. */
  readonly input: Input;
  /** Returns the origin of a line of `input`. It knows the lines of the partition that is being read and of the one before it. */
  findOrigin(line: number): Origin | undefined;
  /** The number of bytes of `input`, or more. */
  readonly bytes: number;
  /** A message for each input that could not be read to its end. */
  readonly unreadable: readonly string[];
}

/** The options of `sortEvents`. */
export interface SortOptions {
  /** A folder for temporary files. */
  readonly folder: string;
  /** The bytes of memory to use. */
  readonly memory: number;
  /** The expected number of bytes of all inputs. */
  readonly expectedBytes: number;
  readonly selection: StreamSelection;
  reportProgress(bytes: number, input: Input): void;
  /** Receives the findings about texts that are not JSON. */
  reportUnreadable(finding: Finding, place: number): void;
  /** Receives the place of each selected event, and the pointer of the event in the text of its line. */
  markSelected?(place: number, pointer: string): void;
}

/** The share of the memory for the events of a partition, and for the buffers that write partitions. The rest is for validation. */
const MEMORY_SHARE = 1 / 4;

/** The bytes that a partition should have if the memory allows so many buffers. Small partitions are sorted in the cache of the processor. */
const WANTED_PARTITION_BYTES = 2 ** 23;

/** Divides the events of parts of the inputs into files by their streams, and returns them in order. */
export async function sortEvents(
  inputs: readonly Input[],
  parts: readonly InputPart[],
  validators: readonly Validators[],
  options: SortOptions,
): Promise<SortedEvents> {
  const partitionBytes = options.memory * MEMORY_SHARE;
  const writer = createPartitionWriter(mkdtempSync(path.join(options.folder, "sorted-")), {
    partitionBytes: Math.min(partitionBytes, WANTED_PARTITION_BYTES),
    bufferBytes: options.memory * MEMORY_SHARE,
    expectedBytes: options.expectedBytes,
  });
  const unreadable: string[] = [];
  const sink = createPartitionSink(validators, writer, options);
  for (const part of parts) {
    const { input } = part;
    try {
      await readPart(part, sink, (bytes) => options.reportProgress(bytes, input));
    } catch (error) {
      const reason = describeReadError(error);
      if (reason === undefined || isSpaceError(error)) throw error;
      unreadable.push(`cannot read ${input.name}: ${reason}`);
    }
  }
  const files = writer.finish();
  const reader = createPartitionReader(files, partitionBytes, inputs, options.selection);
  const input = { index: 0, name: "sorted.jsonl", format: "lines", open: reader.readTexts } as const;
  let bytes = 0;
  for (const file of files) bytes += statSync(file).size;
  return { input, findOrigin: reader.findOrigin, bytes, unreadable };
}

/** Returns whether writing failed because a disk is full. */
export function isSpaceError(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** The text and the pointer that stand for a text that is not JSON. */
const UNREADABLE = Buffer.from("unreadable");
const UNREADABLE_POINTER = "unreadable";

/** Creates a sink that writes every event into the partition of its stream. */
function createPartitionSink(
  validators: readonly Validators[],
  writer: PartitionWriter,
  { selection, reportUnreadable, markSelected }: SortOptions,
): Sink {
  const readText = createEnvelopeTextReader();
  const locator = createEventLocator(validators, selection.needsTimes);
  const addText: AddText = ({ input, line }, pointer, bytes, start, stop) => {
    const { stream, number, time } = locator.lastPosition;
    if (!selection.hasStream(stream)) return;
    const place = createPlaceNumber(input.index, line);
    if (bytes !== UNREADABLE) markSelected?.(place, pointer);
    writer.add({ stream, number, time, place, pointer, bytes, start, stop });
  };
  return {
    discriminators: listDiscriminators(validators),
    scanner: createLocatingScanner(locator, addText),
    acceptValue(value, place) {
      locator.locateValue(value);
      // A value of a document can have several lines, and its text must become one line.
      const bytes = Buffer.from(readText(place).replace(/[\r\n]/g, " "));
      addText(place, place.pointer, bytes, 0, bytes.length);
    },
    reportUnreadable(textFindings, place) {
      for (const finding of textFindings)
        reportUnreadable(
          createUnreadableFinding(finding, place),
          createPlaceNumber(place.input.index, place.line),
        );
      if (textFindings.every(({ severity = "error" }) => severity !== "error")) return;
      locator.locateUnreadable(place);
      addText(place, UNREADABLE_POINTER, UNREADABLE, 0, UNREADABLE.length);
    },
  };
}

/** Adds a text at a place: the part of `bytes` from `start` to `stop`. */
type AddText = (place: Place, pointer: string, bytes: Uint8Array, start: number, stop: number) => void;

/** Creates a fast path for events whose position is found without parsing them. */
function createLocatingScanner(locator: EventLocator, addText: AddText): NonNullable<Sink["scanner"]> {
  return {
    load: locator.loadBytes,
    scan: locator.scanEvent,
    skipOtherShards: (start) => start,
    skippedLines: 0,
    isOwnLine: true,
    acceptEvent(place) {
      locator.locateScanned();
      const { bytes, start, stop } = place.source;
      addText(place, "", bytes, start, stop);
    },
  };
}

/** Reads the events of partitions in their order. */
interface PartitionReader {
  /** Yields the sorted events as JSON Lines. */
  readTexts(): AsyncGenerator<Uint8Array>;
  findOrigin(line: number): Origin | undefined;
}

/** Creates a reader of files that hold whole streams. At most `maxBytes` of a file are in memory. */
function createPartitionReader(
  files: readonly string[],
  maxBytes: number,
  inputs: readonly Input[],
  { hasPeriod }: StreamSelection,
): PartitionReader {
  // Findings about the last stream of a partition are reported when the next partition begins.
  const openPartitions: { readonly partition: Partition; readonly linesBefore: number }[] = [];
  return {
    async *readTexts() {
      let linesBefore = 0;
      for (const file of files) {
        openPartitions.at(-1)?.partition.release();
        const partition = openPartition(file, maxBytes, hasPeriod);
        openPartitions.push({ partition, linesBefore });
        if (openPartitions.length > 2) openPartitions.shift()?.partition.close();
        for (const texts of partition.readTexts()) {
          yield texts;
          // Signals are handled between two turns.
          await nextTurn();
        }
        linesBefore += partition.count;
      }
    },
    findOrigin(line) {
      const source = openPartitions.findLast(({ linesBefore }) => linesBefore < line);
      if (source === undefined) return undefined;
      const { place, pointer } = source.partition.readOrigin(line - 1 - source.linesBefore);
      const { inputIndex, line: originLine } = readPlaceNumber(place);
      const input = inputs[inputIndex];
      return input && { input, line: originLine, pointer, isUnreadable: pointer === UNREADABLE_POINTER };
    },
  };
}
