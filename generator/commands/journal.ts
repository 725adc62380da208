import { readFileSync } from "node:fs";
import path from "node:path";
import type { Disk } from "./disk.js";
import { isGenerated, isInside, look, obstacle } from "./tree-paths.js";

/** A file that a run is going to change. The contents are in `new/<index>` and `old/<index>` of its staging folder. */
export interface Entry {
  readonly path: string;
  readonly action: "create" | "replace" | "remove";
}

const NAME = "journal.json";

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

/** The journal of a staging folder, or undefined if it has none. Entries that lead out of the output folder are dropped. */
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
  return entries.map(({ path, action }) => ({ path: isInside(String(path)) ? String(path) : "", action }));
}

/** Makes the old tree again and then removes the journal. May itself be cut short and be repeated. */
export function undo(root: string, staging: string, entries: readonly Entry[], disk: Disk): void {
  for (const [index, { path: relative, action }] of entries.entries()) {
    if (relative === "" || obstacle(root, relative)) continue;
    const file = path.join(root, relative);
    const old = path.join(staging, "old", String(index));
    const arrived = !look(path.join(staging, "new", String(index)));
    if (action === "create" && arrived && isGenerated(file)) disk.remove(file);
    if (action === "create" || !look(old)) continue;
    disk.makeFolder(path.dirname(file));
    disk.rename(old, file);
  }
  removeJournal(staging, disk);
}
