/**
 * Changes files so that a folder holds either the old state or the new one, also after a crash or on a full disk.
 *
 *  1. The new contents are written to `.accrete-<random>/<index>.new` and flushed, then a journal of the changes.
 *  2. Each old file is linked or moved to `<index>.old`, and the new one is renamed into its place.
 *  3. The journal is removed: from here on the new state counts.
 *
 * While the journal exists, renames alone restore the old state, and these need no space. An error rolls back at once;
 * after a crash the next run does so before it begins. A lock keeps other writers out.
 */
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { createWriteError, UsageError } from "../failure.js";
import { getErrorCode, lstatIfExists } from "../io.js";
import { sha256 } from "../sha256.js";
import { findEndedOwner, ignoreErrors, LOCK, type LockOwner, lockFolder } from "./lock.js";
import { findBlockingAncestor, findNearestExisting, isInside, PRIVATE_PREFIX } from "./paths.js";

/** A change of one file. */
export interface FileChange {
  /** The path below the folder, with forward slashes. */
  readonly path: string;
  /** The new content; undefined removes the file. */
  readonly content: string | undefined;
  /** True if a file or link exists at the path. If it is false and one appears before the change, the whole run fails. */
  readonly exists: boolean;
}

/** The content of a journal: an entry for each change, in the order of the numbers of the staged files. */
type Journal = readonly {
  readonly path: string;
  /** The SHA-256 of the content of a file that did not exist before. */
  readonly digest?: string;
}[];

const JOURNAL = "journal.json";

/**
 * Makes `changes` below `folder`, all of them or none. If `changes` is a function, it is called while no other process
 * writes to the folder. Creates the folder if it does not exist. Errors of the operating system become usage errors.
 */
export function changeFolder(
  folder: string,
  changes: readonly FileChange[] | (() => readonly FileChange[]),
  owner: LockOwner,
): void {
  const absolute = path.resolve(folder);
  const existing = findNearestExisting(absolute);
  let unlock = (): void => {};
  try {
    createFolder(absolute);
    unlock = lockFolder(folder, owner);
    const root = realpathSync(absolute);
    for (const name of listUnfinishedRuns(root)) cleanUpRun(root, path.join(root, name));
    applyChanges(root, typeof changes === "function" ? changes() : changes);
  } catch (error) {
    throw createWriteError(folder, listUnfinishedRuns(absolute).length === 0, error);
  } finally {
    unlock();
    removeEmptyFolders(absolute, existing);
  }
}

/** Rolls back what an interrupted run on `folder` left; does nothing if there is none. */
export function recoverInterruptedRun(folder: string, owner: LockOwner): void {
  if (listUnfinishedRuns(folder).length > 0 || lstatIfExists(path.join(folder, LOCK)))
    changeFolder(folder, [], owner);
}

/**
 * Returns a message about a run on `folder` that was interrupted, so that some of its files may be missing or old. Undefined if
 * there is none.
 */
export function describeInterruptedRun(folder: string, owner: LockOwner): string | undefined {
  let ended: ReturnType<typeof findEndedOwner>;
  // A folder that cannot be read is reported by the command that needs it.
  ignoreErrors(() => {
    ended = findEndedOwner(folder, owner);
  });
  if (ended === undefined || listUnfinishedRuns(folder).length === 0) return undefined;
  const { command = "a command" } = ended;
  return `\`${command}\` was interrupted while it wrote to ${path.resolve(folder) === path.resolve() ? "this folder" : folder}. Some files may be missing or new. Run it again; it first restores the files.`;
}

/** Returns the names of the staging folders of runs that are writing to `root` now or were interrupted. */
export function listUnfinishedRuns(root: string): string[] {
  if (!isFolder(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(PRIVATE_PREFIX))
    .map(({ name }) => name);
}

function applyChanges(root: string, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  for (const change of changes) refuseBlockingAncestor(root, change.path);
  const staging = mkdtempSync(path.join(root, PRIVATE_PREFIX));
  try {
    stageChanges(staging, changes);
    for (const [index, change] of changes.entries())
      moveIntoPlace(root, path.join(staging, `${index}`), change);
    removeJournal(staging);
  } finally {
    cleanUpRun(root, staging);
  }
  for (const { path: relative, content } of changes)
    if (content === undefined) removeEmptyFolders(path.dirname(path.join(root, relative)), root);
}

/** Throws if a file would not be written below the folder: a link may lead anywhere. */
function refuseBlockingAncestor(root: string, relative: string): void {
  if (!isInside(relative)) throw new Error(`the file ${relative} would be outside of its folder`);
  const blocking = findBlockingAncestor(root, relative);
  if (blocking === undefined) return;
  const displayPath = path.relative("", path.join(root, blocking.path)) || blocking.path;
  throw new UsageError(`${displayPath} is a file or a link, not a folder; nothing was changed.`);
}

function stageChanges(staging: string, changes: readonly FileChange[]): void {
  for (const [index, { content }] of changes.entries())
    if (content !== undefined) writeFlushed(path.join(staging, `${index}.new`), content);
  const journal: Journal = changes.map(({ path, content, exists }) => ({
    path,
    ...(content !== undefined && !exists && { digest: sha256(content).toString("hex") }),
  }));
  writeFlushed(path.join(staging, JOURNAL), JSON.stringify(journal));
  syncFolder(staging);
}

/** Makes a change. `staged` is the path of its files in the staging folder, without their extensions. */
function moveIntoPlace(root: string, staged: string, { path: relative, content, exists }: FileChange): void {
  const file = path.join(root, relative);
  if (exists) keepOldFile(file, `${staged}.old`, content !== undefined);
  else if (lstatIfExists(file))
    throw Object.assign(new Error("EEXIST"), { code: "EEXIST", syscall: "rename", path: file });
  if (content !== undefined) {
    createFolder(path.dirname(file));
    renameSync(`${staged}.new`, file);
  }
  syncFolder(path.dirname(file));
}

/** Keeps the old file under the name `old`. Links it if possible, so that the path is never empty; otherwise moves it. */
function keepOldFile(file: string, old: string, isReplaced: boolean): void {
  if (isReplaced && lstatIfExists(file)?.isFile())
    try {
      linkSync(file, old);
      return;
    } catch {
      // The file system has no hard links.
    }
  renameSync(file, old);
}

/** Rolls a run back if its journal exists, then removes its staging folder. May be interrupted and repeated. */
function cleanUpRun(root: string, staging: string): void {
  const journal = readJournal(staging);
  for (const [index, entry] of journal.entries()) rollBackChange(root, path.join(staging, `${index}`), entry);
  if (journal.length > 0) removeJournal(staging);
  ignoreErrors(() => rmSync(staging, { recursive: true, force: true }));
}

/** Returns the journal of a staging folder; an empty one if it was interrupted before the journal was written whole. */
function readJournal(staging: string): Journal {
  const file = path.join(staging, JOURNAL);
  if (!lstatIfExists(file)?.isFile()) return [];
  const text = readFileSync(file, "utf8");
  try {
    const journal = JSON.parse(text);
    return Array.isArray(journal) ? journal : [];
  } catch {
    return [];
  }
}

function removeJournal(staging: string): void {
  unlinkSync(path.join(staging, JOURNAL));
  syncFolder(staging);
}

function rollBackChange(root: string, staged: string, { path: relative, digest }: Journal[number]): void {
  // A journal may come from a foreign repository, so paths outside of the folder and below .git are refused.
  if (typeof relative !== "string" || !isInside(relative) || /(^|\/)\.git(\/|$)/i.test(relative)) return;
  if (findBlockingAncestor(root, relative)) return;
  const file = path.join(root, relative);
  if (lstatIfExists(`${staged}.old`)) {
    createFolder(path.dirname(file));
    renameSync(`${staged}.old`, file);
  } else if (digest !== undefined) {
    // A file with another content is somebody else's.
    const isInPlace = !lstatIfExists(`${staged}.new`) && lstatIfExists(file)?.isFile();
    if (isInPlace && sha256(readFileSync(file)).toString("hex") === digest) unlinkSync(file);
    removeEmptyFolders(path.dirname(file), root);
  }
}

function writeFlushed(file: string, content: string): void {
  writeFileSync(file, content, { flag: "wx", flush: true });
}

/** Flushes the entries of a folder. Does nothing on Windows, which cannot do that. */
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

/** Returns whether a path leads to a folder. The system follows a link before a slash. */
function isFolder(file: string): boolean {
  return lstatIfExists(`${file}/`)?.isDirectory() ?? false;
}

/** Creates a folder and those above it. The recursive option of Node never returns below /proc, so it is not used. */
function createFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (path.dirname(folder) !== folder) createFolder(path.dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

/** Removes `folder` if it is empty, and then the empty folders above it that are below `top`. */
function removeEmptyFolders(folder: string, top: string): void {
  if (folder === top || folder === path.dirname(folder)) return;
  try {
    rmdirSync(folder);
  } catch (error) {
    if (getErrorCode(error) !== "ENOENT") return;
  }
  removeEmptyFolders(path.dirname(folder), top);
}
