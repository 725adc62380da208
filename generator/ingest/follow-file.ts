import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout as pause, setImmediate as yieldToOthers } from "node:timers/promises";
import { UsageError } from "../failure.js";
import type { ByteReader } from "./place.js";

/** The milliseconds between two checks of a file. */
const POLL_INTERVAL_MS = 200;

/**
 * Passes the bytes of a file from `offset` on, and those that are appended later, to `reader` until `stop`. Throws a usage error
 * if the file becomes shorter.
 */
export async function followFile(
  file: string,
  reader: ByteReader,
  stop: Promise<void>,
  offset = 0,
): Promise<void> {
  const descriptor = openSync(file, "r");
  const piece = Buffer.allocUnsafe(2 ** 16);
  let totalBytes = offset;
  // A pipe can be read only from where it is.
  const isSeekable = fstatSync(descriptor).isFile();
  const controller = new AbortController();
  const { signal } = controller;
  void stop.then(() => controller.abort());
  try {
    while (!signal.aborted) {
      const position = isSeekable ? totalBytes : null;
      const bytesRead = readSync(descriptor, piece, 0, piece.length, position);
      totalBytes += bytesRead;
      if (bytesRead > 0) {
        reader.push(piece.subarray(0, bytesRead));
        await yieldToOthers();
      } else if (fstatSync(descriptor).size < totalBytes)
        throw new UsageError(`${file} became shorter while it was read.`);
      else await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
    reader.end();
  } finally {
    closeSync(descriptor);
  }
}
