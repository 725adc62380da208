import { type Dirent, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { lstatIfExists, readHead, toForwardSlashes } from "../io.js";
import { createBanner } from "../text.js";

/** The prefix of everything that a writer puts beside the outputs: its lock and its staging folder. */
export const PRIVATE_PREFIX = ".accrete-";

/** The number of bytes at the beginning of a file that are searched for the banner. */
export const BANNER_SEARCH_BYTES = 300;

/** Returns whether `relative` stays below its folder on every system. */
export function isInside(relative: string): boolean {
  const parts = relative.split("/");
  const isPlain = parts.every((part) => !["", ".", ".."].includes(part) && !part.startsWith(PRIVATE_PREFIX));
  // Windows also separates folders by a backslash, and writes a colon after a drive.
  return isPlain && !/[\\:]/.test(relative) && !relative.includes("\0");
}

/** Returns the first folder on the way to `relative` that is a link or not a folder; undefined if all are folders or absent. */
export function findBlockingAncestor(
  root: string,
  relative: string,
): { readonly path: string; readonly isLink: boolean } | undefined {
  const parts = relative.split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const folder = parts.slice(0, depth).join("/");
    const stats = lstatIfExists(path.join(root, folder));
    if (!stats) return undefined;
    if (!stats.isDirectory()) return { path: folder, isLink: stats.isSymbolicLink() };
  }
  return undefined;
}

/** Returns whether the first bytes of `content` hold the banner. Such a file may be replaced and removed. */
export function hasBanner(content: Uint8Array): boolean {
  return Buffer.from(content.subarray(0, BANNER_SEARCH_BYTES)).includes(createBanner());
}

/** Returns the generated files below the versions `ids`, sorted. Links are not followed. */
export function listGeneratedFiles(root: string, ids: readonly string[]): string[] {
  return ids
    .flatMap((id) => listFilesOfVersion(root, id).filter((file) => isGeneratedFile(root, file)))
    .sort();
}

/** Returns every folder `<name>/v<major>` below `root` that holds a generated file. */
export function listGeneratedVersions(root: string): string[] {
  return listSubfolders(root, "")
    .flatMap((name) => listSubfolders(root, name).filter((id) => /\/v\d+$/.test(id)))
    .filter((id) => listFilesOfVersion(root, id).some((file) => isGeneratedFile(root, file)));
}

function isGeneratedFile(root: string, relative: string): boolean {
  return hasBanner(readHead(path.join(root, relative), BANNER_SEARCH_BYTES));
}

function listFilesOfVersion(root: string, id: string): string[] {
  const isBlocked = findBlockingAncestor(root, `${id}/any-file`) !== undefined;
  return isBlocked ? [] : listFilesBelow(root, id);
}

function listFilesBelow(root: string, folder: string): string[] {
  const files = listEntries(root, folder).filter((entry) => entry.isFile());
  return [
    ...files.map(({ name }) => path.posix.join(folder, name)),
    ...listSubfolders(root, folder).flatMap((subfolder) => listFilesBelow(root, subfolder)),
  ];
}

function listSubfolders(root: string, folder: string): string[] {
  return listEntries(root, folder)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => path.posix.join(folder, name));
}

function listEntries(root: string, folder: string): Dirent[] {
  const absolute = path.join(root, folder);
  return lstatIfExists(absolute) ? readdirSync(absolute, { withFileTypes: true }) : [];
}

/** Returns the nearest folder or file on the way to `file` that exists; `file` itself if it does. */
export function findNearestExisting(file: string): string {
  return lstatIfExists(file) || path.dirname(file) === file ? file : findNearestExisting(path.dirname(file));
}

/** Returns the absolute path of a folder with its links resolved. The folder need not exist. */
export function resolveLinks(folder: string): string {
  const absolute = path.resolve(folder);
  const existing = findNearestExisting(absolute);
  return path.join(realpathSync(existing), path.relative(existing, absolute));
}

/** Returns the deepest folder that is `root` or above it and contains all these paths, which are relative to `root`. */
export function findCommonFolder(root: string, paths: readonly string[]): string {
  const isBelow = (file: string): boolean => !/^\.\.(\/|$)/.test(toForwardSlashes(path.relative(root, file)));
  const absolute = paths.map((file) => path.resolve(root, file));
  if (absolute.every(isBelow) || path.dirname(path.resolve(root)) === path.resolve(root)) return root;
  return findCommonFolder(path.join(root, ".."), absolute);
}
