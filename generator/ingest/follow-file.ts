import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { setTimeout as pause, setImmediate as yieldToOthers } from "node:timers/promises";
import type { ByteReader } from "./place.js";

/** The milliseconds between two checks of a file. */
const POLL_INTERVAL_MS = 200;

/** Why reading ended. A file that is `replaced` was renamed, or was emptied to be written again. */
type FollowEnd = "stopped" | "replaced";

/**
 * Passes the bytes of a file from `offset` on, and those that are appended later, to `reader` until `stop`, or until it is
 * replaced. `isSame` recognises a file that was emptied and has grown again; by default, only its size is looked at.
 */
export async function followFile(
  file: string,
  reader: ByteReader,
  stop: Promise<void>,
  offset = 0,
  isSame: (descriptor: number) => boolean = () => true,
): Promise<FollowEnd> {
  const descriptor = openSync(file, "r");
  const piece = Buffer.allocUnsafe(2 ** 16);
  let totalBytes = offset;
  // A pipe can be read only from where it is.
  const opened = fstatSync(descriptor);
  const isSeekable = opened.isFile();
  let isRenamed = false;
  let hasWaited = false;
  const controller = new AbortController();
  const { signal } = controller;
  void stop.then(() => controller.abort());
  try {
    while (!signal.aborted) {
      const position = isSeekable ? totalBytes : null;
      const bytesRead = readSync(descriptor, piece, 0, piece.length, position);
      totalBytes += bytesRead;
      if (bytesRead > 0) {
        if (hasWaited && !isSame(descriptor)) return "replaced";
        hasWaited = false;
        reader.push(piece.subarray(0, bytesRead));
        await yieldToOthers();
      } else if (isRenamed || fstatSync(descriptor).size < totalBytes) return "replaced";
      // The writer has opened the new file when that has content. What it wrote to the old one before is read, too.
      else if (isSeekable && isOtherFile(file, opened)) isRenamed = true;
      else {
        await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {});
        hasWaited = true;
      }
    }
    return "stopped";
  } finally {
    reader.end();
    closeSync(descriptor);
  }
}

/** Returns whether the name belongs to another file that has content. */
function isOtherFile(file: string, { ino, dev }: Stats): boolean {
  const now = statSync(file, { throwIfNoEntry: false });
  return now !== undefined && now.size > 0 && (now.ino !== ino || now.dev !== dev);
}
