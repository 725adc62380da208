import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Disk, removeEmpty } from "./disk.js";
import { isInside, look, obstacle } from "./tree-paths.js";

/** A file that a run is going to change. The contents are in `new/<index>` and `old/<index>` of its staging folder. */
export interface Entry {
  readonly path: string;
  readonly action: "create" | "replace" | "remove";
  /** How many folders above a file are made for it. */
  readonly folders?: number;
  /** What a new file holds: if it holds something else by now, it is somebody else's. */
  readonly digest?: string;
}

const NAME = "journal.json";

/** The digest of a file's content. */
export function contentDigest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Puts the journal into the staging folder, whole or not at all. */
export function writeJournal(staging: string, entries: readonly Entry[], disk: Disk): void {
  const file = path.join(staging, NAME);
  disk.write(`${file}.part`, JSON.stringify(entries));
  disk.rename(`${file}.part`, file);
  disk.settle(staging);
}

/** Removes the journal, after which there is nothing to undo any more. */
export function removeJournal(staging: string, disk: Disk): void {
  disk.remove(path.join(staging, NAME));
  disk.settle(staging);
}

/** The journal of a staging folder, or undefined if it has none. It may have come with a repository: what it says is checked. */
export function journalOf(staging: string): Entry[] | undefined {
  const file = path.join(staging, NAME);
  if (!look(file)?.isFile()) return undefined;
  let entries: unknown;
  try {
    entries = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(entries)) return undefined;
  return entries.map((entry) => ({
    path: mayChange(String(entry?.path)) ? String(entry.path) : "",
    action: entry?.action,
    folders: Number.isSafeInteger(entry?.folders) ? entry.folders : 0,
    digest: String(entry?.digest),
  }));
}

/** Whether a journal may speak of that path: not of one that leads out of the folder, nor of what git runs. */
function mayChange(relative: string): boolean {
  return isInside(relative) && !/(^|\/)\.git(\/|$)/i.test(relative);
}

/** Makes the old state again and then removes the journal. May itself be cut short and be repeated. */
export function undo(root: string, staging: string, entries: readonly Entry[], disk: Disk): void {
  for (const [index, { path: relative, action, folders = 0, digest }] of entries.entries()) {
    if (relative === "" || obstacle(root, relative)) continue;
    const file = path.join(root, relative);
    const old = path.join(staging, "old", String(index));
    const arrived = !look(path.join(staging, "new", String(index)));
    if (action === "create") {
      if (arrived && look(file)?.isFile() && contentDigest(readFileSync(file)) === digest) disk.remove(file);
      const parts = relative.split("/");
      removeEmpty(
        path.dirname(file),
        path.join(root, ...parts.slice(0, Math.max(0, parts.length - 1 - folders))),
      );
    } else if (look(old)) {
      disk.makeFolder(path.dirname(file));
      disk.rename(old, file);
    }
  }
  removeJournal(staging, disk);
}
