import { closeSync, openSync, readSync } from "node:fs";
import { UsageError } from "../failure.js";
import { type Finding, formatLocatedMessage, type Location } from "../finding.js";
import { createEventReader } from "../ingest/event-reader.js";
import { detectFormat, isJson } from "../ingest/input-format.js";
import { createEnvelopeTextReader, type Input, locatePart, type Place, type Sink } from "../ingest/place.js";
import { requireInput } from "../ingest/read-input.js";
import { createFullShare } from "../ingest/stream-share.js";
import { createUnreadableFinding } from "../ingest/unreadable-finding.js";
import { isObject } from "../json.js";
import { parseSource } from "../source/source.js";
import { TYPE_FIELDS } from "./name-events.js";
import { findRoundedNumbers, MAX_PRINTED, mayHoldRoundedNumber } from "./rounded-numbers.js";
import type { Sample } from "./tag-samples.js";

/** The maximum size of a file of samples. A first schema needs no more. */
const MAX_BYTES = 256 * 2 ** 20;

/** Matches file names that only recordings have. */
export const RECORDING_NAME = /\.(jsonl|ndjson|sse)$|\.gz$/i;

/** The samples of recordings. */
export interface SampleCollection {
  readonly samples: Sample[];
  /** Findings about numbers that a double cannot hold exactly, at least the first few. The texts of the samples are exact. */
  readonly rounded: Finding[];
}

/**
 * Adds the events of a recording to the samples. It reads what `accrete validate` reads: one event per line, a list, a page
 * or an SSE feed, compressed or not. Throws a usage error with the place of a value that is not a JSON object.
 */
export async function readSamples(
  input: Input,
  stdin: AsyncIterable<Uint8Array>,
  { samples, rounded }: SampleCollection,
): Promise<void> {
  const readEnvelopeText = createEnvelopeTextReader();
  const sink: Sink = {
    discriminators: TYPE_FIELDS,
    acceptValue: (value, place) => {
      if (!isObject(value)) throw createErrorAt(locatePart(place, ""), "The sample is not a JSON object.");
      const text = readEnvelopeText(place);
      samples.push({ value, text });
      if (rounded.length <= MAX_PRINTED && mayHoldRoundedNumber(text))
        rounded.push(...findRoundedInSample(text, place));
    },
    reportUnreadable: ([finding], place) => {
      if (finding === undefined) return;
      const { at, message } = createUnreadableFinding(finding, place);
      throw createErrorAt(at, message);
    },
  };
  let bytes = 0;
  const limitSize = (addedBytes: number): void => {
    bytes += addedBytes;
    if (bytes > MAX_BYTES) throw new UsageError(`${input.name} has more than 256 MiB. Import a part of it.`);
  };
  await requireInput(input, stdin, createEventReader(input, sink, createFullShare()), limitSize);
}

function findRoundedInSample(text: string, place: Place): Finding[] {
  const parseResult = parseSource("", Buffer.from(text));
  const findings = "source" in parseResult ? findRoundedNumbers(parseResult.source) : [];
  return findings.map((finding) => ({ ...finding, at: locatePart(place, finding.at.pointer) }));
}

function createErrorAt(at: Location, message: string): UsageError {
  return new UsageError(formatLocatedMessage({ at, message }));
}

/** The number of bytes from which the format of a file is detected. */
const HEAD_BYTES = 2 ** 16;

/** Returns whether a file has the name of a recording, or begins with a whole line of JSON or of a feed, as no schema does. */
export function isRecording(file: string): boolean {
  if (RECORDING_NAME.test(file)) return true;
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const head = bytes.subarray(0, readSync(descriptor, bytes));
    const format = detectFormat(file, head, head.length < HEAD_BYTES);
    const [firstLine = ""] = head.toString("utf8").trimStart().split("\n");
    return format === "sse" || (format === "lines" && isJson(firstLine));
  } finally {
    closeSync(descriptor);
  }
}
