import { closeSync, lstatSync, openSync, readdirSync, readSync, type Stats } from "node:fs";
import path from "node:path";
import { bannerText } from "../text.js";

/** What the names of everything that writing puts beside the outputs begin with. */
export const PRIVATE = ".accrete-";

/** How much of a file's beginning may hold the banner, in bytes. */
const BANNER_WITHIN = 300;

/** Whether `relative` is a plain path that stays below its folder on every system. */
export function isInside(relative: string): boolean {
  const parts = relative.split("/");
  const plain = parts.every((part) => !["", ".", ".."].includes(part) && !part.startsWith(PRIVATE));
  return plain && !/[\\:]/.test(relative) && !relative.includes("\0");
}

/** What stands at a path, without following a link; undefined if nothing does. */
export function look(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // Below a file there is nothing.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The first folder on the way to `relative` that is a link or no folder, or undefined if the way is free. */
export function obstacle(
  root: string,
  relative: string,
): { readonly path: string; readonly link: boolean } | undefined {
  const parts = relative.split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const folder = parts.slice(0, depth).join("/");
    const stats = look(path.join(root, folder));
    if (!stats) return undefined;
    if (!stats.isDirectory()) return { path: folder, link: stats.isSymbolicLink() };
  }
  return undefined;
}

/** Whether `content` begins with the banner, so that it may be replaced and removed. */
export function hasBanner(content: Uint8Array): boolean {
  return Buffer.from(content.subarray(0, BANNER_WITHIN)).includes(bannerText());
}

/** Whether the regular file at `file` was generated. */
export function isGenerated(file: string): boolean {
  if (!look(file)?.isFile()) return false;
  const handle = openSync(file, "r");
  try {
    const beginning = Buffer.alloc(BANNER_WITHIN);
    return hasBanner(beginning.subarray(0, readSync(handle, beginning, 0, BANNER_WITHIN, 0)));
  } finally {
    closeSync(handle);
  }
}

/** Generated files below the versions `ids`, sorted. Links are not followed. */
export function generatedFiles(root: string, ids: readonly string[]): string[] {
  return ids
    .filter((id) => look(path.join(root, id))?.isDirectory() && !obstacle(root, id))
    .flatMap((id) => filesBelow(root, id))
    .filter((relative) => isGenerated(path.join(root, relative)))
    .sort();
}

/** Every `<name>/v<major>` folder below `root` that holds a generated file. */
export function generatedVersions(root: string): string[] {
  if (!look(root)) return [];
  return folders(root, "")
    .flatMap((name) => folders(root, name).filter((id) => /\/v\d+$/.test(id)))
    .filter((id) => generatedFiles(root, [id]).length > 0);
}

function folders(root: string, relative: string): string[] {
  return readdirSync(path.join(root, relative), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => path.posix.join(relative, name));
}

function filesBelow(root: string, relative: string): string[] {
  const files = readdirSync(path.join(root, relative), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.posix.join(relative, name));
  return [...files, ...folders(root, relative).flatMap((folder) => filesBelow(root, folder))];
}
