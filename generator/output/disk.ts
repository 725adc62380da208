import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

/** The steps by which a tree is changed, one system call or so each: tests let any of them fail. */
export interface Disk {
  /** Makes a folder and those above it. */
  makeFolder(folder: string): void;
  /** Writes a new file and waits until it is on the disk. */
  write(file: string, content: string): void;
  rename(from: string, to: string): void;
  /** Gives a file a second name. */
  link(from: string, to: string): void;
  remove(file: string): void;
  /** Waits until the names in a folder are on the disk, where the system can do that. Never throws. */
  settle(folder: string): void;
}

/** The real one. */
export const DISK: Disk = {
  makeFolder: (folder) => void makeFolders(folder),
  write: (file, content) => {
    const handle = openSync(file, "wx");
    try {
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  },
  rename: (from, to) => {
    try {
      renameSync(from, to);
    } catch (error) {
      throw Object.assign(error as Error, { path: path.resolve(to) });
    }
  },
  link: (from, to) => linkSync(from, to),
  remove: (file) => unlinkSync(file),
  settle: (folder) => {
    try {
      const handle = openSync(folder, "r");
      try {
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    } catch {
      // Windows cannot do it; the renames are still in order for every process that looks.
    }
  },
};

/**
 * Makes a folder and those above it; returns the topmost one that it made, if any. Unlike Node's own recursion it ends
 * where the system makes no folders at all, such as below /proc.
 */
export function makeFolders(folder: string): string | undefined {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const parent = path.dirname(folder);
  const above = parent === folder ? undefined : makeFolders(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been faster.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return above;
    if (above !== undefined) removeEmpty(parent, path.dirname(above));
    throw error;
  }
  return above ?? folder;
}

/** Does what is only tidying: what is left lying about if it fails, the next run removes. */
export function tidyUp(step: () => void): void {
  try {
    step();
  } catch {
    // What was to be done is done.
  }
}

/** Removes `folder` and those above it, below `top`, as far as they are there and empty. */
export function removeEmpty(folder: string, top: string): void {
  for (let each = folder; each !== top && each !== path.dirname(each); each = path.dirname(each))
    try {
      rmdirSync(each);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") return;
    }
}
