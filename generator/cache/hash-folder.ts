import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { getErrorCode } from "../io.js";

/** A hash of a folder. */
interface FolderHash {
  /** A SHA-256 of the paths of all files and folders, and of the contents of the files, in hexadecimal. */
  readonly content: string;
  /** A SHA-256 of the paths, sizes, numbers and times of all files. It changes with every write, even if it is undone. */
  readonly stamp: string;
}

/**
 * Hashes a file, or everything below a folder; what does not exist has a hash, too. Returns undefined if anything is a link or a
 * device, because what it leads to may change, or if something cannot be read.
 */
export function hashFolder(folder: string): FolderHash | undefined {
  const content = createHash("sha256");
  const stamp = hashFiles(folder, (file, relative) => {
    // A slash at the end tells the path of a folder from that of a file.
    const bytes = relative.endsWith("/") ? "" : readFileSync(file);
    // No path holds a zero, so that no two folders give the same bytes.
    content.update(`${relative}\0${bytes.length}\0`).update(bytes);
  });
  return stamp === undefined ? undefined : { stamp, content: content.digest("hex") };
}

/** Returns the stamp of a folder as `hashFolder` does, without reading the files. */
export function stampFolder(folder: string): string | undefined {
  return hashFiles(folder, () => {});
}

/** Returns the stamp of a folder. Calls `visit` with each file and folder, after its stamp was taken, and its path below the folder. */
function hashFiles(folder: string, visit: (file: string, relative: string) => void): string | undefined {
  const stamp = createHash("sha256");
  /** Returns false at the first entry that is neither a folder nor a file. */
  const addFolder = (relative: string): boolean =>
    readdirSync(path.join(folder, relative), { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .every((entry) => {
        const entryPath = `${relative}/${entry.name}`;
        if (!entry.isDirectory()) return entry.isFile() && addFile(entryPath);
        stamp.update(`${entryPath}/\0`);
        visit(folder, `${entryPath}/`);
        return addFolder(entryPath);
      });
  const addFile = (relative: string): boolean => {
    const file = folder + relative;
    const { size, ino, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    stamp.update(`${relative}\0${size} ${ino} ${mtimeNs} ${ctimeNs}\0`);
    visit(file, relative);
    return true;
  };
  try {
    if (!(lstatSync(folder).isFile() ? addFile("") : addFolder(""))) return undefined;
  } catch (error) {
    if (getErrorCode(error) !== "ENOENT") return undefined;
    stamp.update("absent");
  }
  return stamp.digest("hex");
}
