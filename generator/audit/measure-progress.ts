/** Measures how much of an archive has been read. The progress display derives the remaining time from it. */
import { statSync } from "node:fs";
import type { Input } from "../ingest/place.js";

/** The usual ratio of the bytes of events to those of a compressed file. */
const COMPRESSION_RATIO = 10;

/** Estimates the bytes of the events of inputs. */
export function estimateBytes(inputs: readonly Input[]): number {
  let bytes = 0;
  for (const input of inputs) bytes += measureFile(input) * (isPlain(input) ? 1 : COMPRESSION_RATIO);
  return bytes;
}

/**
 * Returns a function that takes bytes of an input that were read, and returns the part of all files that was read so far. A
 * compressed file counts when the next file begins, because its size is not that of its events.
 */
export function createShareMeter(
  inputs: readonly Input[],
): (bytes: number, input: Input) => number | undefined {
  const sizes = new Map(inputs.map((input) => [input, measureFile(input)]));
  let total = 0;
  for (const size of sizes.values()) total += size;
  let finishedBytes = 0;
  let current: Input | undefined;
  let currentBytes = 0;
  return (bytes, input) => {
    if (input !== current) {
      finishedBytes += (current && sizes.get(current)) ?? 0;
      current = input;
      currentBytes = 0;
    }
    currentBytes += bytes;
    const readBytes = finishedBytes + (isPlain(input) ? currentBytes : 0);
    return readBytes === 0 ? undefined : Math.min(1, readBytes / total);
  };
}

/** Returns a function that takes bytes that were read, and returns the part of `total` that was read so far. */
export function createByteMeter(total: number): (bytes: number) => number {
  let readBytes = 0;
  return (bytes) => {
    readBytes += bytes;
    return Math.min(1, readBytes / total);
  };
}

function measureFile({ file }: Input): number {
  return file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
}

/** Returns whether the bytes of a file are those of its events. */
function isPlain({ isRereadable, open }: Input): boolean {
  return isRereadable === true && open === undefined;
}
