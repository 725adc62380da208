/**
 * Puts whole new folders into place, each below another root. Law: all of them are there with all their files or, as
 * before, none; what a run leaves behind when it is killed, the next one into the same roots puts back and removes.
 *
 *  1. All files go to `.accrete.import-<random>/new/<folder>` of their root, on the same file system, and are flushed.
 *  2. A mark is put beside those of the last root.
 *  3. A folder to be replaced is renamed to `.accrete.import-<random>/old/<folder>`, the new one into its place.
 *  4. The mark is removed: from here on the new folders count.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { UsageError, writeFailure } from "../failure.js";
import type { Io } from "../io.js";
import type { OutputFile } from "../protocol/protocol.js";
import { DISK, type Disk, makeFolders, removeEmpty, tidyUp } from "./disk.js";
import { lock, type Owner } from "./lock.js";
import { isInside, look, obstacle } from "./tree-paths.js";

/** A folder of two levels, such as `hecate/v1`, that is to stand below `root`. */
export interface NewFolder {
  readonly root: string;
  readonly folder: string;
  /** Its files, their paths below `root`. */
  readonly files: readonly OutputFile[];
  /** A folder in it that the new one takes over from the one that it replaces. */
  readonly keeps?: string;
}

/** A folder whose files are written, but which is not in place yet. */
export interface Staged extends NewFolder {
  /** Stands in for `root` until then: in it is the new folder. */
  readonly inPlaceOfRoot: string;
}

const STAGING = ".accrete.import-";
const MARK = "installing";

/**
 * Stages `folders`, each of another root, calls `decide` and, if that says so, puts all of them into place. One that is
 * there already is refused, or replaced if `force`.
 */
export async function installFolders(
  folders: readonly NewFolder[],
  force: boolean,
  decide: (staged: readonly Staged[]) => Promise<boolean>,
  owner: Owner & Pick<Io, "onInterrupt">,
  disk: Disk = DISK,
): Promise<boolean> {
  if (new Set(folders.map(({ root }) => path.resolve(root))).size < folders.length)
    throw new UsageError("Schemas and fixtures need two folders; --out and --fixtures name the same one.");
  const undo: (() => void)[] = [];
  const tidy = (): void => {
    while (undo.length > 0) undo.pop()?.();
  };
  const done = owner.onInterrupt?.(tidy);
  try {
    try {
      const staged = prepare(folders, force, undo, owner, disk);
      if (!(await decide(staged))) return false;
      installAll(staged, disk);
      done?.();
      return true;
    } finally {
      tidy();
    }
  } catch (error) {
    const roots = folders.map(({ root }) => root);
    throw writeFailure(roots, !roots.some((root) => stagingNames(path.resolve(root)).length > 0), error);
  } finally {
    done?.();
  }
}

/** Locks the roots, tidies up after earlier runs and stages the folders; puts onto `undo` what takes that back. */
function prepare(
  folders: readonly NewFolder[],
  force: boolean,
  undo: (() => void)[],
  owner: Owner,
  disk: Disk,
): Staged[] {
  const roots = folders.map(({ root }) => {
    const given = path.resolve(root);
    const made = makeFolders(given);
    undo.push(() => made !== undefined && removeEmpty(given, path.dirname(made)));
    undo.push(lock(realpathSync(given), owner));
    return realpathSync(given);
  });
  recover(roots, disk);
  for (const folder of folders) refuse(folder, force);
  undo.push(() => recover(roots, disk));
  const name = path.basename(mkdtempSync(path.join(roots[0] ?? "", STAGING)));
  return folders.map((folder, index) => stage(folder, path.join(roots[index] ?? "", name), disk));
}

function refuse({ root, folder }: NewFolder, force: boolean): void {
  const blocked = obstacle(realpathSync(root), `${folder}/x`);
  if (blocked)
    throw new UsageError(
      `${path.join(root, blocked.path)} is no folder, but a file or a link; nothing was imported.`,
    );
  if (look(path.join(root, folder)) && !force)
    throw new UsageError(`${path.join(root, folder)} is there already; --force replaces it.`);
}

function stage(folder: NewFolder, staging: string, disk: Disk): Staged {
  const inPlaceOfRoot = path.join(staging, "new");
  mkdirSync(path.join(staging, "folder", folder.folder), { recursive: true });
  for (const { path: relative, content } of folder.files) {
    if (!isInside(relative)) throw new Error(`the file ${relative} would stand outside of its folder`);
    const file = path.join(inPlaceOfRoot, relative);
    disk.makeFolder(path.dirname(file));
    disk.write(file, content);
    disk.settle(path.dirname(file));
  }
  if (folder.keeps !== undefined) {
    const kept = path.join(folder.folder, folder.keeps);
    const old = path.join(realpathSync(folder.root), kept);
    if (look(old)?.isDirectory()) cpSync(old, path.join(inPlaceOfRoot, kept), { recursive: true });
  }
  return { ...folder, inPlaceOfRoot };
}

function installAll(staged: readonly Staged[], disk: Disk): void {
  const mark = path.join(path.dirname(staged.at(-1)?.inPlaceOfRoot ?? ""), MARK);
  disk.write(mark, "");
  disk.settle(path.dirname(mark));
  for (const each of staged) install(each, disk);
  disk.remove(mark);
  disk.settle(path.dirname(mark));
}

function install({ root, folder, inPlaceOfRoot }: Staged, disk: Disk): void {
  const target = path.join(realpathSync(root), folder);
  const old = path.join(path.dirname(inPlaceOfRoot), "old", folder);
  if (look(target)) {
    disk.makeFolder(path.dirname(old));
    disk.rename(target, old);
  }
  disk.makeFolder(path.dirname(target));
  disk.rename(path.join(inPlaceOfRoot, folder), target);
  disk.settle(path.dirname(target));
}

/**
 * Takes back what runs have not brought to an end, and removes what they left lying about. The mark goes when everything
 * is back and before anything is removed, so that this may itself be cut short and be repeated.
 */
function recover(roots: readonly string[], disk: Disk): void {
  for (const name of new Set(roots.flatMap(stagingNames))) {
    const stagings = roots.map((root) => path.join(root, name));
    const marks = stagings.map((staging) => path.join(staging, MARK)).filter((mark) => look(mark));
    for (const [index, staging] of stagings.entries())
      putBack(roots[index] ?? "", staging, marks.length > 0, disk);
    for (const mark of marks) disk.remove(mark);
    for (const [index, staging] of stagings.entries()) {
      const fresh = foldersIn(path.join(staging, "folder"));
      tidyUp(() => rmSync(staging, { recursive: true, force: true }));
      for (const each of fresh) removeEmpty(path.join(roots[index] ?? "", each), roots[index] ?? "");
    }
  }
}

/** Puts the old folder of a staging folder into its place; a new one that is there goes back first if `undone`. */
function putBack(root: string, staging: string, undone: boolean, disk: Disk): void {
  for (const name of foldersIn(path.join(staging, "folder")))
    for (const version of foldersIn(path.join(staging, "folder", name))) {
      const [target, fresh, old] = [root, path.join(staging, "new"), path.join(staging, "old")].map(
        (folder) => path.join(folder, name, version),
      ) as [string, string, string];
      if (undone && !look(fresh) && look(target)) disk.rename(target, fresh);
      if (!look(old) || look(target)) continue;
      disk.makeFolder(path.dirname(target));
      disk.rename(old, target);
    }
}

function stagingNames(root: string): string[] {
  return foldersIn(root).filter((name) => name.startsWith(STAGING));
}

function foldersIn(folder: string): string[] {
  if (!look(folder)?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) =>
    each.isDirectory() ? each.name : [],
  );
}
