/**
 * Writes outputs so that the folder holds the old tree or the new one, whatever happens in between.
 *
 *  1. All new contents go to `.accrete-<random>/new`, on the same file system, and are flushed.
 *  2. A journal of what is going to change is put beside them.
 *  3. Each old file gets a second name in `.accrete-<random>/old`, then the new one is renamed over it.
 *  4. The journal is removed: from here on the new tree counts.
 *
 * Law: as long as the journal is there, the old tree can be made again from it by renames alone, which need no space;
 * before it is there, and after it is gone, there is nothing to undo. An error between 2 and 4 undoes at once; after a
 * crash the next run does so before it begins. Files that do not change are not touched. Nobody else writes meanwhile,
 * for a lock is held.
 */
import { mkdtempSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Finding } from "../finding.js";
import type { OutputFile } from "../model/protocol.js";
import { DISK, type Disk, makeFolders } from "./disk.js";
import { systemReason, UsageError } from "./failure.js";
import { type Entry, journalOf, removeJournal, undo, writeJournal } from "./journal.js";
import { lock, type Owner } from "./lock.js";
import { planTree, type TreePlan } from "./plan-tree.js";
import { look, PRIVATE } from "./tree-paths.js";

/** What writing came to. With findings, nothing was written. */
export interface Written {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
  readonly findings: readonly Finding[];
}

/**
 * Makes `out` hold the outputs and no other generated file of the versions `ids`.
 * All or nothing.
 */
export function writeTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
  owner: Owner,
  disk: Disk = DISK,
): Written {
  const made = makeFolders(path.resolve(out));
  try {
    const release = lock(out, owner);
    try {
      return writeLocked(out, outputs, ids, disk);
    } finally {
      release();
    }
  } catch (error) {
    const reason = systemReason(error);
    const state = unfinished(out).length > 0 ? "the next run puts back what was there" : "it is as it was";
    if (made !== undefined)
      removeEmpty(path.dirname(made), path.relative(path.dirname(made), path.resolve(out)));
    throw reason === undefined
      ? error
      : new UsageError(`Could not write to ${out}; ${state}. The reason: ${reason}.`);
  }
}

function writeLocked(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
  disk: Disk,
): Written {
  recover(realpathSync(out), disk);
  const plan = planTree(out, outputs, ids);
  const written = plan.changes.map((change) => change.path);
  const { unchanged, conflicts: findings, superfluous: removed } = plan;
  if (findings.length > 0) return { written: [], removed: [], unchanged, findings };
  if (written.length + removed.length > 0) apply(plan, disk);
  return { written, removed, unchanged, findings };
}

/** Undoes what crashed runs left half done, and removes what they left lying about. */
function recover(root: string, disk: Disk): void {
  for (const name of unfinished(root)) {
    const staging = path.join(root, name);
    const entries = journalOf(staging);
    if (entries) undo(root, staging, entries, disk);
    clear(root, staging, entries ?? []);
  }
}

/** Names of the folders in which runs were writing when they crashed, or are writing now. */
export function unfinished(root: string): string[] {
  if (!look(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(PRIVATE))
    .map(({ name }) => name);
}

function apply({ root, changes, superfluous }: TreePlan, disk: Disk): void {
  const entries: Entry[] = [
    ...changes.map(({ path, instead }) => ({
      path,
      action: instead === "nothing" ? ("create" as const) : ("replace" as const),
    })),
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
    if (!journalOf(staging)) clear(root, staging, entries);
  }
}

/** Removes a staging folder, and the folders that a run has left empty. */
function clear(root: string, staging: string, entries: readonly Entry[]): void {
  rmSync(staging, { recursive: true, force: true });
  for (const entry of entries) removeEmpty(root, path.dirname(entry.path));
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
  if (action === "create") disk.makeFolder(path.dirname(file));
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

/** Removes the folder `relative` and those above it, below `root`, as far as they are empty. */
function removeEmpty(root: string, relative: string): void {
  for (let folder = relative; folder !== "." && folder !== ""; folder = path.dirname(folder))
    try {
      rmdirSync(path.join(root, folder));
    } catch {
      return;
    }
}
