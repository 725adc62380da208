/**
 * Changes files so that their folder is as it was or as it is to be, whatever happens in between.
 *
 *  1. All new contents go to `.accrete-<random>/new`, on the same file system, and are flushed.
 *  2. A journal of what is going to change is put beside them.
 *  3. Each old file gets a second name in `.accrete-<random>/old`, then the new one is renamed over it.
 *  4. The journal is removed: from here on the new files count.
 *
 * Law: as long as the journal is there, the old state can be made again from it by renames alone, which need no space;
 * before it is there, and after it is gone, there is nothing to undo. An error between 2 and 4 undoes at once; after a
 * crash the next run does so before it begins. Files that do not change are not touched. Nobody else writes meanwhile,
 * for a lock is held.
 */
import { type Dirent, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { UsageError, writeFailure } from "../failure.js";
import type { OutputFile } from "../protocol/protocol.js";
import { DISK, type Disk, makeFolders, removeEmpty, tidyUp } from "./disk.js";
import { contentDigest, type Entry, journalOf, removeJournal, undo, writeJournal } from "./journal.js";
import { LOCK, lock, type Owner } from "./lock.js";
import { look, obstacle, PRIVATE } from "./tree-paths.js";

/** What a file is to hold, its path below the folder, with forward slashes. */
export interface Change extends OutputFile {
  /** What stands there: nothing, a file, or a link, which is replaced and never written through. */
  readonly instead: "nothing" | "file" | "link";
}

/** What is to become of a folder. */
export interface Changes {
  readonly changes: readonly Change[];
  /** Files to be removed. */
  readonly superfluous: readonly string[];
}

/**
 * Makes the changes that `plan` wants when nobody else writes to `folder`, all of them or none. The folder is made if
 * it is not there. What the system refuses is a usage error.
 */
export function transact<P extends Changes>(
  folder: string,
  plan: (root: string) => P,
  owner: Owner,
  disk: Disk = DISK,
): P {
  const given = path.resolve(folder);
  let made: string | undefined;
  try {
    made = makeFolders(given);
    const release = lock(folder, owner);
    try {
      const root = realpathSync(given);
      recover(root, disk);
      const planned = plan(root);
      apply(root, planned, disk);
      return planned;
    } finally {
      release();
    }
  } catch (error) {
    const settled = unfinished(given).length === 0;
    if (made !== undefined) removeEmpty(given, path.dirname(made));
    throw writeFailure([folder], settled, error);
  }
}

/** Undoes what a crashed run left half done in `folder`; does nothing where none did. */
export function settle(folder: string, owner: Owner): void {
  if (unfinished(folder).length === 0 && !look(path.join(folder, LOCK))) return;
  transact(folder, () => ({ changes: [], superfluous: [] }), owner);
}

/** Undoes what crashed runs left half done, and removes what they left lying about. */
function recover(root: string, disk: Disk): void {
  for (const name of unfinished(root)) {
    const staging = path.join(root, name);
    const entries = journalOf(staging);
    if (entries) undo(root, staging, entries, disk);
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Names of the folders in which runs were writing when they crashed, or are writing now; none where there is no folder. */
export function unfinished(root: string): string[] {
  return entriesOf(root)
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(PRIVATE))
    .map(({ name }) => name);
}

function entriesOf(root: string): Dirent[] {
  try {
    return readdirSync(root, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

function apply(root: string, { changes, superfluous }: Changes, disk: Disk): void {
  if (changes.length + superfluous.length === 0) return;
  for (const { path: relative } of changes) refuseObstacle(root, relative);
  const entries: Entry[] = [
    ...changes.map((change) => entryOf(root, change)),
    ...superfluous.map((path) => ({ path, action: "remove" as const })),
  ];
  const staging = mkdtempSync(path.join(root, PRIVATE));
  try {
    for (const folder of ["new", "old"]) disk.makeFolder(path.join(staging, folder));
    for (const [index, { content }] of changes.entries())
      disk.write(path.join(staging, "new", String(index)), content);
    disk.settle(path.join(staging, "new"));
    writeJournal(staging, entries, disk);
    for (const [index, entry] of entries.entries()) replace(root, staging, index, entry, disk);
    removeJournal(staging, disk);
  } catch (error) {
    if (journalOf(staging)) undo(root, staging, entries, disk);
    throw error;
  } finally {
    // A journal that is still there belongs to an undoing that failed: the next run tries again.
    if (!journalOf(staging)) tidyUp(() => rmSync(staging, { recursive: true, force: true }));
    for (const file of superfluous) removeEmpty(path.dirname(path.join(root, file)), root);
  }
}

/** What is written has to arrive below the folder, and a link may lead anywhere. */
function refuseObstacle(root: string, relative: string): void {
  const blocked = obstacle(root, relative);
  if (blocked === undefined) return;
  const what = path.relative("", path.join(root, blocked.path)) || blocked.path;
  throw new UsageError(`${what} is no folder, but a file or a link; nothing was changed.`);
}

function entryOf(root: string, { path: relative, content, instead }: Change): Entry {
  if (instead !== "nothing") return { path: relative, action: "replace" };
  const parts = relative.split("/");
  const there = parts.findIndex((_part, index) => !look(path.join(root, ...parts.slice(0, index + 1))));
  return {
    path: relative,
    action: "create",
    folders: parts.length - 1 - there,
    digest: contentDigest(content),
  };
}

function replace(
  root: string,
  staging: string,
  index: number,
  { path: relative, action }: Entry,
  disk: Disk,
): void {
  const file = path.join(root, relative);
  const old = path.join(staging, "old", String(index));
  if (action === "create") {
    disk.makeFolder(path.dirname(file));
    if (look(file))
      throw Object.assign(new Error("EEXIST"), { code: "EEXIST", syscall: "rename", path: file });
  }
  if (action === "remove") disk.rename(file, old);
  if (action === "replace") keep(file, old, disk);
  if (action !== "remove") disk.rename(path.join(staging, "new", String(index)), file);
  disk.settle(path.dirname(file));
}

/** Gives the old file a second name, so that its place is never empty; where links cannot be made, it is moved. */
function keep(file: string, old: string, disk: Disk): void {
  if (look(file)?.isFile()) {
    try {
      disk.link(file, old);
      return;
    } catch (error) {
      if (
        !["EPERM", "ENOTSUP", "ENOSYS", "EMLINK", "EXDEV"].includes(
          (error as NodeJS.ErrnoException).code ?? "",
        )
      )
        throw error;
    }
  }
  disk.rename(file, old);
}
