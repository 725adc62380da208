/**
 * Changes files so that their folders hold either the old state or the new one, also after a crash or on a full disk.
 *
 *  1. The new contents are written to `.accrete-<random>/<index>.new` in each folder and flushed.
 *  2. A journal of the changes is written beside them and flushed.
 *  3. Each old file is linked or moved to `<index>.old`, and the new one is renamed into its place.
 *  4. The journal of the last folder is removed: from here on the new state counts.
 *
 * While that journal exists, renames alone restore the old state, and these need no space. An error rolls back at once;
 * after a crash the next run does so before it begins. A lock keeps other writers out.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { UsageError, writeFailure } from "../failure.js";
import { sha256 } from "../hash.js";
import { lstatIfExists } from "../io.js";
import { ignoreErrors, LOCK, type LockOwner, lockFolder } from "./lock.js";
import { blockingAncestor, isInside, PRIVATE } from "./paths.js";

/** A change of one file. */
export interface FileChange {
  /** The path below its folder, with forward slashes. */
  readonly path: string;
  /** The new content; undefined removes the file. */
  readonly content: string | undefined;
  /** Whether a file or link exists there. If not, and one appears before the change, the whole run fails. */
  readonly exists: boolean;
}

interface JournalEntry {
  readonly path: string;
  /** The SHA-256 of the content of a file that did not exist before. */
  readonly digest?: string;
}

interface Journal {
  /** The folders of the run, seen from the last one. A run on other folders does not touch this journal. */
  readonly roots: readonly string[];
  readonly entries: readonly JournalEntry[];
}

const JOURNAL = "journal.json";

/** Makes `changes` below `folder`, all of them or none, as `changeFolders` does. */
export function changeFolder(folder: string, changes: readonly FileChange[], owner: LockOwner): void {
  changeFolders([folder], () => ({ changes: [changes] }), owner);
}

/**
 * Makes the changes that `plan` returns for each of `folders`, all of them or none, and returns the plan. Folders that
 * do not exist are made. `plan` gets their real paths while no other process writes to them. What the system refuses is
 * a usage error.
 */
export function changeFolders<P extends { readonly changes: readonly (readonly FileChange[])[] }>(
  folders: readonly string[],
  plan: (roots: readonly string[]) => P,
  owner: LockOwner,
): P {
  const given = folders.map((folder) => path.resolve(folder));
  const existing = given.map(nearestExisting);
  const unlock: (() => void)[] = [];
  try {
    for (const [index, folder] of given.entries()) {
      makeFolder(folder);
      unlock.push(lockFolder(folders[index] as string, owner));
    }
    const roots = given.map((folder) => realpathSync(folder));
    for (const group of roots.length > 1 ? [...roots.map((root) => [root]), roots] : [roots])
      for (const name of new Set(group.flatMap(unfinishedRuns))) rollBackAndCleanUp(group, name);
    const planned = plan(roots);
    applyChanges(roots, planned.changes);
    return planned;
  } catch (error) {
    const isRestored = !given.some((folder) => unfinishedRuns(folder).length > 0);
    throw writeFailure(folders, isRestored, error);
  } finally {
    for (const release of unlock) release();
    for (const [index, folder] of given.entries()) removeEmptyFolders(folder, existing[index] as string);
  }
}

/** Rolls back what an interrupted run on `folders` left; does nothing if there is none. */
export function recoverInterruptedRun(folders: readonly string[], owner: LockOwner): void {
  const isLeft = (folder: string): boolean =>
    unfinishedRuns(folder).length > 0 || lstatIfExists(path.join(folder, LOCK)) !== undefined;
  if (folders.some(isLeft)) changeFolders(folders, () => ({ changes: [] }), owner);
}

/** Returns the names of the staging folders of runs that are writing to `root` now or were interrupted. */
export function unfinishedRuns(root: string): string[] {
  if (!isFolder(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(PRIVATE))
    .map(({ name }) => name);
}

function applyChanges(roots: readonly string[], changes: readonly (readonly FileChange[])[]): void {
  if (changes.flat().length === 0) return;
  for (const [index, root] of roots.entries())
    for (const { path: relative } of changes[index] ?? []) refuseBlockingAncestor(root, relative);
  const name = `${PRIVATE}${randomUUID().slice(0, 8)}`;
  const staged = roots.map((root, index) => ({
    root,
    staging: path.join(root, name),
    changes: changes[index] ?? [],
  }));
  try {
    for (const { staging, changes } of staged) stageContents(staging, changes);
    for (const { staging, changes } of staged) writeJournal(staging, roots, changes);
    for (const { root, staging, changes } of staged)
      for (const [index, change] of changes.entries())
        moveIntoPlace(root, path.join(staging, `${index}`), change);
    const last = staged.at(-1)?.staging as string;
    unlinkSync(path.join(last, JOURNAL));
    syncFolder(last);
  } finally {
    // Rolls back only if the journal still exists.
    rollBackAndCleanUp(roots, name);
  }
  for (const { root, changes } of staged)
    for (const { path: relative, content } of changes)
      if (content === undefined) removeEmptyFolders(path.dirname(path.join(root, relative)), root);
}

/** New contents must arrive below the folder, and a link may lead anywhere. */
function refuseBlockingAncestor(root: string, relative: string): void {
  if (!isInside(relative)) throw new Error(`the file ${relative} would be outside of its folder`);
  const blocking = blockingAncestor(root, relative);
  if (blocking === undefined) return;
  const shown = path.relative("", path.join(root, blocking.path)) || blocking.path;
  throw new UsageError(`${shown} is a file or a link, not a folder; nothing was changed.`);
}

function stageContents(staging: string, changes: readonly FileChange[]): void {
  mkdirSync(staging);
  for (const [index, { content }] of changes.entries())
    if (content !== undefined) writeFlushed(path.join(staging, `${index}.new`), content);
  syncFolder(staging);
}

function writeJournal(staging: string, roots: readonly string[], changes: readonly FileChange[]): void {
  const entries = changes.map(
    ({ path, content, exists }): JournalEntry => ({
      path,
      ...(content !== undefined && !exists && { digest: sha256(content).toString("hex") }),
    }),
  );
  const journal: Journal = { roots: relativeRoots(roots), entries };
  writeFlushed(path.join(staging, JOURNAL), JSON.stringify(journal));
  syncFolder(staging);
}

function relativeRoots(roots: readonly string[]): string[] {
  return roots.map((root) => path.relative(roots.at(-1) ?? "", root));
}

function moveIntoPlace(root: string, staged: string, { path: relative, content, exists }: FileChange): void {
  const file = path.join(root, relative);
  if (exists) keepOldFile(file, `${staged}.old`, content !== undefined);
  else if (lstatIfExists(file))
    throw Object.assign(new Error("EEXIST"), { code: "EEXIST", syscall: "rename", path: file });
  if (content !== undefined) {
    makeFolder(path.dirname(file));
    renameFile(`${staged}.new`, file);
  }
  syncFolder(path.dirname(file));
}

/** Links the old file, so that its place is never empty; moves it where it is a link, is to be removed, or cannot be linked. */
function keepOldFile(file: string, old: string, isReplaced: boolean): void {
  if (isReplaced && lstatIfExists(file)?.isFile())
    try {
      linkSync(file, old);
      return;
    } catch {
      // The file system has no hard links.
    }
  renameFile(file, old);
}

/** Restores the old state if the run has a journal, then removes its staging folders. May be interrupted and repeated. */
function rollBackAndCleanUp(roots: readonly string[], name: string): void {
  const stagings = roots.map((root) => path.join(root, name));
  const last = stagings.at(-1) as string;
  const wanted = JSON.stringify(relativeRoots(roots));
  const journals = stagings.map(readJournal);
  if (journals.some((journal) => journal && JSON.stringify(journal.roots) !== wanted)) return;
  if (journals.at(-1)) {
    for (const [index, root] of roots.entries())
      for (const [number, entry] of (journals[index]?.entries ?? []).entries())
        rollBackChange(root, path.join(stagings[index] as string, `${number}`), entry);
    unlinkSync(path.join(last, JOURNAL));
    syncFolder(last);
  }
  for (const staging of stagings) ignoreErrors(() => rmSync(staging, { recursive: true, force: true }));
}

/** Returns the journal of a staging folder; undefined if it has none or was interrupted before it was written whole. */
function readJournal(staging: string): Journal | undefined {
  const file = path.join(staging, JOURNAL);
  if (!lstatIfExists(file)?.isFile()) return undefined;
  const text = readFileSync(file, "utf8");
  try {
    const { roots, entries } = JSON.parse(text);
    return Array.isArray(entries) ? { roots, entries } : undefined;
  } catch {
    return undefined;
  }
}

function rollBackChange(root: string, staged: string, { path: relative, digest }: JournalEntry): void {
  // A journal may have come with a repository. It may not name paths outside of the folder, nor what git executes.
  if (typeof relative !== "string" || !isInside(relative) || /(^|\/)\.git(\/|$)/i.test(relative)) return;
  if (blockingAncestor(root, relative)) return;
  const file = path.join(root, relative);
  if (lstatIfExists(`${staged}.old`)) {
    makeFolder(path.dirname(file));
    renameFile(`${staged}.old`, file);
  } else if (digest !== undefined) {
    // A file with another content is somebody else's.
    const hasArrived = !lstatIfExists(`${staged}.new`) && lstatIfExists(file)?.isFile();
    if (hasArrived && sha256(readFileSync(file)).toString("hex") === digest) unlinkSync(file);
    removeEmptyFolders(path.dirname(file), root);
  }
}

function writeFlushed(file: string, content: string): void {
  const handle = openSync(file, "wx");
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Flushes the names in a folder where the system can do that; Windows cannot. */
function syncFolder(folder: string): void {
  ignoreErrors(() => {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  });
}

/** Renames a file. An error names the new path, which the user knows. */
function renameFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    throw Object.assign(error as Error, { path: to });
  }
}

/** Returns whether a path leads to a folder, links followed. */
function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Makes a folder and those above it. Node's own recursion never ends where the system makes no folders, such as below /proc. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function nearestExisting(folder: string): string {
  return lstatIfExists(folder) || path.dirname(folder) === folder
    ? folder
    : nearestExisting(path.dirname(folder));
}

/** Removes `folder` and those above it, below `top`, as far as they are empty. */
function removeEmptyFolders(folder: string, top: string): void {
  for (let each = folder; each !== top && each !== path.dirname(each); each = path.dirname(each))
    try {
      rmdirSync(each);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") return;
    }
}
