import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";
import { lstatIfExists } from "../io.js";
import { bannerText } from "../text.js";

/** The prefix of everything that a writer puts beside the outputs: its lock and its staging folder. */
export const PRIVATE = ".accrete-";

/** How many bytes at the beginning of a file may hold the banner. */
const BANNER_WITHIN = 300;

/** Returns whether `relative` stays below its folder on every system. */
export function isInside(relative: string): boolean {
  const parts = relative.split("/");
  const isPlain = parts.every((part) => !["", ".", ".."].includes(part) && !part.startsWith(PRIVATE));
  return isPlain && !/[\\:]/.test(relative) && !relative.includes("\0");
}

/** Returns the first folder on the way to `relative` that is a link or not a folder; undefined if all are folders or absent. */
export function blockingAncestor(
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

/** Returns whether `content` begins with the banner. Such a file may be replaced and removed. */
export function hasBanner(content: Uint8Array): boolean {
  return Buffer.from(content.subarray(0, BANNER_WITHIN)).includes(bannerText());
}

function isGenerated(file: string): boolean {
  const handle = openSync(file, "r");
  try {
    const beginning = Buffer.alloc(BANNER_WITHIN);
    return hasBanner(beginning.subarray(0, readSync(handle, beginning, 0, BANNER_WITHIN, 0)));
  } finally {
    closeSync(handle);
  }
}

/** Returns the generated files below the versions `ids`, sorted. Links are not followed. */
export function generatedFiles(root: string, ids: readonly string[]): string[] {
  return ids
    .filter((id) => lstatIfExists(path.join(root, id))?.isDirectory() && !blockingAncestor(root, id))
    .flatMap((id) => filesBelow(root, id))
    .filter((relative) => isGenerated(path.join(root, relative)))
    .sort();
}

/** Returns every folder `<name>/v<major>` below `root` that holds a generated file. */
export function generatedVersions(root: string): string[] {
  if (!lstatIfExists(root)) return [];
  return foldersIn(root, "")
    .flatMap((name) => foldersIn(root, name).filter((id) => /\/v\d+$/.test(id)))
    .filter((id) => generatedFiles(root, [id]).length > 0);
}

function foldersIn(root: string, relative: string): string[] {
  return readdirSync(path.join(root, relative), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => path.posix.join(relative, name));
}

function filesBelow(root: string, relative: string): string[] {
  const files = readdirSync(path.join(root, relative), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.posix.join(relative, name));
  return [...files, ...foldersIn(root, relative).flatMap((folder) => filesBelow(root, folder))];
}
