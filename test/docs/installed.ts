import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
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
  const dist = path.join(place, "dist");
  const node = (...argv: string[]): unknown => execFileSync(process.execPath, argv, { cwd: root });
  // Types are checked elsewhere.
  node("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--noCheck", "--outDir", dist);
  node("scripts/copy-runtime.mjs", dist);
  chmodSync(path.join(dist, "cli.js"), 0o755);
  return place;
}
