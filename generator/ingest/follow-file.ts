import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { UsageError } from "../failure.js";
import type { ByteReader } from "./place.js";

/** The milliseconds between two checks of a file. */
const POLL_INTERVAL_MS = 200;

/** Passes the bytes of a file, and those that are appended later, to `reader` until `stop`. Throws a usage error if the file becomes shorter. */
export async function followFile(file: string, reader: ByteReader, stop: Promise<void>): Promise<void> {
  const descriptor = openSync(file, "r");
  const piece = Buffer.allocUnsafe(2 ** 16);
  let totalBytes = 0;
  const controller = new AbortController();
  const { signal } = controller;
  void stop.then(() => controller.abort());
  try {
    while (!signal.aborted) {
      const bytesRead = readSync(descriptor, piece);
      totalBytes += bytesRead;
      if (bytesRead > 0) reader.push(piece.subarray(0, bytesRead));
      else if (fstatSync(descriptor).size < totalBytes)
        throw new UsageError(`${file} became shorter while it was read.`);
      else await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
    reader.end();
  } finally {
    closeSync(descriptor);
  }
}
