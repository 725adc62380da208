/** Installs the package for the tests of pages. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");

/**
 * Installs a fresh build of the package below `folder`, as npm would. Its dependencies and the development tools are those
 * of this repository. Returns the folder of the package.
 */
export function installPackage(folder: string): string {
  const place = path.join(folder, "projects/node_modules/accrete");
  mkdirSync(place, { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  for (const name of ["package.json", "generated", "schemas", "fixtures"])
    symlinkSync(path.join(root, name), path.join(place, name));
  // Other tests check the types.
  const build = ["scripts/build.mjs", path.join(place, "dist"), "--noCheck"];
  execFileSync(process.execPath, build, { cwd: root });
  return place;
}
