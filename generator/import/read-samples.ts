import { closeSync, openSync, readSync } from "node:fs";
import { UsageError } from "../failure.js";
import { type Finding, type Location, lineOf } from "../finding.js";
import { eventReader } from "../ingest/event-reader.js";
import { detectFormat } from "../ingest/input-format.js";
import type { Input } from "../ingest/place.js";
import { envelopeTextReader, locate, type Place, type Sink } from "../ingest/place.js";
import { describeReadError, readInput } from "../ingest/read-input.js";
import { createStreamShare } from "../ingest/stream-share.js";
import { unreadableFinding } from "../ingest/unreadable-finding.js";
import { isObject } from "../json.js";
import { parseSource } from "../source/source.js";
import type { Sample } from "./import-samples.js";
import { TYPE_FIELDS } from "./name-events.js";
import { findRoundedNumbers, MOST_ROUNDED, mayRound } from "./rounded-numbers.js";

/** The most bytes of samples that are read: enough for a first schema. */
const MOST_BYTES = 256 * 2 ** 20;

/** Matches names of files that only recordings have. */
export const RECORDING = /\.(jsonl|ndjson|sse)$|\.gz$/i;

/** The samples of recordings. */
export interface ReadSamples {
  readonly samples: Sample[];
  /** Some of the numbers that JavaScript reads as different ones. The texts of the samples are exact. */
  readonly rounded: Finding[];
}

/**
 * Adds the events of a recording, as `accrete validate` reads it: one per line, a list, a page or an SSE feed, compressed
 * or not. Anything other than a JSON object is a usage error at its place.
 */
export async function readSamples(
  input: Input,
  stdin: AsyncIterable<Uint8Array>,
  { samples, rounded }: ReadSamples,
): Promise<void> {
  const textOf = envelopeTextReader();
  const sink: Sink = {
    discriminators: TYPE_FIELDS,
    value: (value, place) => {
      if (!isObject(value)) throw errorAt(locate(place, ""), "The sample is not a JSON object.");
      const text = textOf(place);
      samples.push({ value, text });
      if (rounded.length <= MOST_ROUNDED && mayRound(text)) rounded.push(...roundedIn(text, place));
    },
    unreadable: ([problem], place) => {
      if (problem === undefined) return;
      const { at, message } = unreadableFinding(problem, place);
      throw errorAt(at, message);
    },
  };
  let bytes = 0;
  const progress = (more: number): void => {
    bytes += more;
    if (bytes > MOST_BYTES) throw new UsageError(`${input.name} has more than 256 MiB. Import a part of it.`);
  };
  try {
    await readInput(input, stdin, eventReader(input, sink, createStreamShare(0, 1)), progress);
  } catch (error) {
    const reason = describeReadError(error);
    throw reason === undefined ? error : new UsageError(`cannot read ${input.name}: ${reason}`);
  }
}

function roundedIn(text: string, place: Place): Finding[] {
  const parsed = parseSource("", Buffer.from(text));
  const findings = "source" in parsed ? findRoundedNumbers(parsed.source) : [];
  return findings.map((finding) => ({ ...finding, at: locate(place, finding.at.pointer) }));
}

function errorAt(at: Location, message: string): UsageError {
  return new UsageError(lineOf({ at, message }));
}

/** How many bytes of a file show its format. */
const HEAD = 2 ** 16;

/** Whether a file is a recording by its name, or because it begins with a whole line of JSON or of a feed. No schema does. */
export function isRecording(file: string): boolean {
  if (RECORDING.test(file)) return true;
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(HEAD);
    const head = bytes.subarray(0, readSync(descriptor, bytes));
    const form = detectFormat(file, head, head.length < HEAD);
    return form === "sse" || (form === "lines" && isJson(head.toString("utf8").trimStart().split("\n")[0]));
  } finally {
    closeSync(descriptor);
  }
}

function isJson(text = ""): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
