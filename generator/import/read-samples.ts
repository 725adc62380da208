import { closeSync, openSync, readSync } from "node:fs";
import { UsageError } from "../failure.js";
import type { Finding, Location } from "../finding.js";
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
import { ENOUGH_ROUNDED, mayRound, roundedNumbers } from "./rounded-numbers.js";
import { USUAL } from "./tell-apart.js";

/** How many bytes of samples are read at most: enough for a first schema. */
const MOST = 256 * 2 ** 20;

/** Endings that only recordings have. */
export const SAMPLES = /\.(jsonl|ndjson|sse)$|\.gz$/i;

/** What recordings hold. */
export interface ReadSamples {
  readonly samples: Sample[];
  /** Some of the numbers that JavaScript reads as other ones; the texts of the samples have them as they were written. */
  readonly rounded: Finding[];
}

/**
 * Adds the events of a recording, as `accrete validate` reads it: one a line, a list, a page or an SSE feed, packed or
 * not. What is no JSON object is a usage error at its place.
 */
export async function readSamples(
  input: Input,
  stdin: AsyncIterable<Uint8Array>,
  { samples, rounded }: ReadSamples,
): Promise<void> {
  const textOf = envelopeTextReader();
  const sink: Sink = {
    discriminators: USUAL,
    value: (value, place) => {
      if (!isObject(value)) throw refused(locate(place, ""), "The sample is not a JSON object.");
      const text = textOf(place);
      samples.push({ value, text });
      if (rounded.length <= ENOUGH_ROUNDED && mayRound(text)) rounded.push(...roundedIn(text, place));
    },
    unreadable: ([problem], place) => {
      if (problem === undefined) return;
      const { at, message } = unreadableFinding(problem, place);
      throw refused(at, message);
    },
  };
  let bytes = 0;
  const progress = (more: number): void => {
    bytes += more;
    if (bytes > MOST) throw new UsageError(`${input.name} has more than 256 MiB. Import a part of it.`);
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
  const findings = "source" in parsed ? roundedNumbers(parsed.source) : [];
  return findings.map((finding) => ({ ...finding, at: locate(place, finding.at.pointer) }));
}

function refused({ file, line = 1, column = 1 }: Location, message: string): UsageError {
  return new UsageError(`${file}:${line}:${column}: ${message}`);
}

/** How much of a file is looked at. */
const HEAD = 2 ** 16;

/** Whether a file is a recording by its name, or because it begins with a line of JSON or of a feed of its own, as no schema does. */
export function isRecording(file: string): boolean {
  if (SAMPLES.test(file)) return true;
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
