import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UsageError } from "../failure.js";
import type { ByteReader } from "./place.js";

/** The milliseconds between two checks of a file. */
const POLL_INTERVAL_MS = 200;

/** Passes the bytes of a file, and those that are appended later, to `reader` until `stop`. Throws a usage error if the file becomes shorter. */
export async function followFile(file: string, reader: ByteReader, stop: Promise<void>): Promise<void> {
  const descriptor = openSync(file, "r");
  const piece = Buffer.allocUnsafe(2 ** 16);
  let totalBytes = 0;
  let stopped = false;
  const stopRequested = stop.then(() => {
    stopped = true;
  });
  try {
    while (!stopped) {
      const bytesRead = readSync(descriptor, piece);
      totalBytes += bytesRead;
      if (bytesRead > 0) reader.push(piece.subarray(0, bytesRead));
      else if (fstatSync(descriptor).size < totalBytes)
        throw new UsageError(`${file} became shorter while it was read.`);
      else await pause(POLL_INTERVAL_MS, stopRequested);
    }
    reader.end();
  } finally {
    closeSync(descriptor);
  }
}

/** Waits for `ms` milliseconds, or until `stop`. */
export async function pause(ms: number, stop: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([elapsed, stop]);
  clearTimeout(timer);
}
