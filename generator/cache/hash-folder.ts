import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { getErrorCode } from "../io.js";

/** Two hashes of a folder. */
export interface FolderHash {
  /** Depends on the paths and the contents of all files. */
  readonly content: string;
  /** Also depends on when the files were written. It tells a folder that was changed and changed back from one that was not. */
  readonly stamp: string;
}

/**
 * Hashes everything below `folder`; a folder that does not exist has a hash, too. Returns undefined if anything is a link or a
 * device, because what it leads to may change, or if something cannot be read.
 */
export function hashFolder(folder: string): FolderHash | undefined {
  const content = createHash("sha256");
  const stamp = createHash("sha256");
  /** Returns false at the first entry that has no hash. */
  const addFolder = (relative: string): boolean => {
    const entries = readdirSync(path.join(folder, relative), { withFileTypes: true });
    return entries
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .every((entry) => {
        const entryPath = `${relative}/${entry.name}`;
        if (entry.isDirectory()) return addFolder(entryPath);
        if (!entry.isFile()) return false;
        const file = folder + entryPath;
        const { mtimeMs, ino } = statSync(file);
        const bytes = readFileSync(file);
        // No path holds a zero, so that no two folders give the same bytes.
        content.update(`${entryPath}\0${bytes.length}\0`).update(bytes);
        stamp.update(`${mtimeMs} ${ino} `);
        return true;
      });
  };
  try {
    if (!addFolder("")) return undefined;
  } catch (error) {
    if (getErrorCode(error) !== "ENOENT") return undefined;
    content.update("absent");
  }
  const contentHash = content.digest("hex");
  return { content: contentHash, stamp: stamp.update(contentHash).digest("hex") };
}
