import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");

/**
 * Puts accrete's package below `folder`, as npm would, compiled anew; its dependencies, vitest and what else is at hand here
 * are found above it. Gives the package's folder.
 */
export function installedIn(folder: string): string {
  const place = path.join(folder, "projects/node_modules/accrete");
  mkdirSync(place, { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  for (const name of ["package.json", "generated", "schemas", "fixtures"])
    symlinkSync(path.join(root, name), path.join(place, name));
  // Types are checked elsewhere.
  const build = ["scripts/build.mjs", path.join(place, "dist"), "--noCheck"];
  execFileSync(process.execPath, build, { cwd: root });
  return place;
}
