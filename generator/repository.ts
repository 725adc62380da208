import path from "node:path";
import { lstatIfExists } from "./io.js";

/** Returns the root of the git repository that contains `folder`; undefined if there is none. */
export function findRepositoryRoot(folder: string): string | undefined {
  if (lstatIfExists(path.join(folder, ".git"))) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findRepositoryRoot(parent);
}
