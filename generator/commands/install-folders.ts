/**
 * Puts whole new folders into place. Law: a folder is there with all its files or, as before, not at all; what a run
 * leaves behind when it is killed, the next one removes, and puts back a folder that was being replaced.
 *
 *  1. All files go to `.accrete.import-<random>/new/<folder>`, on the same file system, and are flushed.
 *  2. A folder to be replaced is renamed to `.accrete.import-<random>/old/<folder>`.
 *  3. The new folder is renamed into its place: from here on it counts.
 */
import { mkdtempSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { OutputFile } from "../model/protocol.js";
import { DISK, type Disk, makeFolders } from "./disk.js";
import { systemReason, UsageError } from "./failure.js";
import { lock, type Owner } from "./lock.js";
import { isInside, look, obstacle } from "./tree-paths.js";

/** A folder of two levels, such as `hecate/v1`, that is to stand below `root`. */
export interface NewFolder {
  readonly root: string;
  readonly folder: string;
  /** Its files, their paths below `root`. */
  readonly files: readonly OutputFile[];
}

/** A folder whose files are written, but which is not in place yet. */
export interface Staged extends NewFolder {
  /** Stands in for `root` until then: in it is the new folder. */
  readonly inPlaceOfRoot: string;
}

const STAGING = ".accrete.import-";

/**
 * Stages `folders`, each of another root, calls `decide` and, if that says so, puts all of them into place, the last
 * one last. One that is there already is refused, or replaced if `force`.
 */
export async function installFolders(
  folders: readonly NewFolder[],
  force: boolean,
  decide: (staged: readonly Staged[]) => Promise<boolean>,
  owner: Owner,
  disk: Disk = DISK,
): Promise<boolean> {
  if (new Set(folders.map(({ root }) => path.resolve(root))).size < folders.length)
    throw new UsageError("Schemas and fixtures need two folders; --out and --fixtures name the same one.");
  const undo: (() => void)[] = [];
  try {
    try {
      const staged = folders.map((folder) => prepare(folder, force, undo, owner, disk));
      if (!(await decide(staged))) return false;
      installAll(staged, disk);
      return true;
    } finally {
      for (const step of undo.reverse()) step();
    }
  } catch (error) {
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    throw new UsageError(`Could not write to ${folders.map((each) => each.root).join(" and ")}: ${reason}.`);
  }
}

/** Locks the root, tidies up after earlier runs and stages the folder; puts onto `undo` what takes that back. */
function prepare(folder: NewFolder, force: boolean, undo: (() => void)[], owner: Owner, disk: Disk): Staged {
  const given = path.resolve(folder.root);
  const made = makeFolders(given);
  undo.push(() => made !== undefined && removeEmpty(given, path.dirname(made)));
  const root = realpathSync(given);
  undo.push(lock(root, owner));
  recover(root, disk);
  refuse(folder, force);
  const staging = mkdtempSync(path.join(root, STAGING));
  undo.push(() => recover(root, disk));
  return stage(folder, staging, disk);
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
  for (const { path: relative, content } of folder.files) {
    if (!isInside(relative)) throw new Error(`the file ${relative} would stand outside of its folder`);
    const file = path.join(inPlaceOfRoot, relative);
    disk.makeFolder(path.dirname(file));
    disk.write(file, content);
    disk.settle(path.dirname(file));
  }
  return { ...folder, inPlaceOfRoot };
}

function installAll(staged: readonly Staged[], disk: Disk): void {
  const placed: Staged[] = [];
  try {
    for (const each of staged) {
      install(each, disk);
      placed.push(each);
    }
  } catch (error) {
    for (const { root, folder, inPlaceOfRoot } of placed)
      disk.rename(path.join(realpathSync(root), folder), path.join(inPlaceOfRoot, folder));
    throw error;
  }
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

/** Puts back every folder whose new version has not arrived, and removes the staging folders. */
function recover(root: string, disk: Disk): void {
  for (const staging of foldersIn(root).filter((name) => name.startsWith(STAGING))) {
    const old = path.join(root, staging, "old");
    for (const name of foldersIn(old))
      for (const version of foldersIn(path.join(old, name)))
        if (!look(path.join(root, name, version))) {
          disk.makeFolder(path.join(root, name));
          disk.rename(path.join(old, name, version), path.join(root, name, version));
        }
    const fresh = path.join(root, staging, "new");
    const names = foldersIn(fresh);
    rmSync(path.join(root, staging), { recursive: true, force: true });
    for (const name of names) removeEmpty(path.join(root, name), root);
  }
}

function foldersIn(folder: string): string[] {
  if (!look(folder)?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) =>
    each.isDirectory() ? each.name : [],
  );
}

/** Removes `folder` and those above it, below `top`, as far as they are empty. */
function removeEmpty(folder: string, top: string): void {
  for (let each = folder; each !== top && each !== path.dirname(each); each = path.dirname(each))
    try {
      rmdirSync(each);
    } catch {
      return;
    }
}
