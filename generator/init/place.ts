import path from "node:path";
import { slashes } from "../io.js";
import type { Disk } from "../output/disk.js";
import type { Owner } from "../output/lock.js";
import { type Change, transact } from "../output/transaction.js";
import type { OutputFile } from "../protocol/protocol.js";

/** A file to be made, its path from the project's root. */
export interface Placed extends OutputFile {
  /** Whether it takes the place of a file that is there; otherwise nothing may be there. */
  readonly replaces?: boolean;
}

/** Writes files below `top`, all of them or none; the error that stops it is a usage error. */
export function place(top: string, root: string, files: readonly Placed[], owner: Owner, disk?: Disk): void {
  const changes = files.map(({ path: file, content, replaces }): Change => {
    const relative = slashes(path.relative(top, path.resolve(root, file)));
    return { path: relative, content, instead: replaces ? "file" : "nothing" };
  });
  transact(top, () => ({ changes, superfluous: [] }), owner, disk);
}

/** The deepest folder that `root` is or is below, and that holds all these paths, which are seen from there. */
export function commonFolder(root: string, paths: readonly string[]): string {
  const isBelow = (file: string): boolean => !/^\.\.(\/|$)/.test(slashes(path.relative(root, file)));
  const absolute = paths.map((file) => path.resolve(root, file));
  if (absolute.every(isBelow) || path.dirname(path.resolve(root)) === path.resolve(root)) return root;
  return commonFolder(path.join(root, ".."), absolute);
}
