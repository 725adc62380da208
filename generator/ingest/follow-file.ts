import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UsageError } from "../failure.js";
import type { ByteReader } from "./place.js";

/** The milliseconds between two checks of a file. */
const PAUSE = 200;

/** Passes the bytes of a file, and those that are appended to it, to `reader` until `stop`. A file that becomes shorter is a usage error. */
export async function followFile(file: string, reader: ByteReader, stop: Promise<void>): Promise<void> {
  const descriptor = openSync(file, "r");
  const piece = Buffer.allocUnsafe(2 ** 16);
  let read = 0;
  let stopped = false;
  const asked = stop.then(() => {
    stopped = true;
  });
  try {
    while (!stopped) {
      const got = readSync(descriptor, piece);
      read += got;
      if (got > 0) reader.push(piece.subarray(0, got));
      else if (fstatSync(descriptor).size < read)
        throw new UsageError(`${file} became shorter while it was read.`);
      else await pause(PAUSE, asked);
    }
    reader.end();
  } finally {
    closeSync(descriptor);
  }
}

/** Waits for `ms` milliseconds, or until `stop`. */
export async function pause(ms: number, stop: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([over, stop]);
  clearTimeout(timer);
}
