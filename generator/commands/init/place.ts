import { rmdirSync } from "node:fs";
import path from "node:path";
import type { OutputFile } from "../../model/protocol.js";
import { DISK, type Disk, makeFolders } from "../disk.js";
import { systemReason, UsageError } from "../failure.js";
import { look, obstacle } from "../tree-paths.js";

/**
 * Writes files that are not there yet, then does `last`. If anything fails, what was made is removed again, and the
 * error is a usage error. A file that appears meanwhile is an error too: nothing is ever written over.
 */
export function place(root: string, files: readonly OutputFile[], last: () => void, disk: Disk = DISK): void {
  const undo: (() => void)[] = [];
  try {
    for (const { path: relative, content } of files) {
      const blocked = look(root) && obstacle(root, relative);
      if (blocked)
        throw new UsageError(`${path.join(root, blocked.path)} is no folder, but a file or a link`);
      const file = path.resolve(root, relative);
      const made = makeFolders(path.dirname(file));
      if (made !== undefined) undo.push(() => removeFolders(path.dirname(file), made));
      writeNew(file, content, disk);
      undo.push(() => disk.remove(file));
    }
    last();
  } catch (error) {
    for (const step of undo.reverse()) attempt(step);
    const reason = error instanceof UsageError ? error.message : systemReason(error);
    throw reason === undefined ? error : new UsageError(`Nothing was made. The reason: ${reason}.`);
  }
}

function writeNew(file: string, content: string, disk: Disk): void {
  try {
    disk.write(file, content);
  } catch (error) {
    // A part of it may be there, unless it is somebody else's.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") attempt(() => disk.remove(file));
    throw error;
  }
}

/** Removes `folder` and those above it, up to `top`, all of them made here. */
function removeFolders(folder: string, top: string): void {
  rmdirSync(folder);
  if (folder !== top) removeFolders(path.dirname(folder), top);
}

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // What cannot be undone stays; the reason is told already.
  }
}
