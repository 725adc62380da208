/** Packs the package for tests. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");

/** The files and folders that `npm pack` takes from the repository. The compiled files are built below. */
const PARTS = [
  "package.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "generated",
  "schemas",
  "fixtures",
  "docs",
];

/**
 * Compiles and packs the package as `npm publish` would. Returns the path of the tarball in `folder`. Writes nothing to the
 * repository, because other tests may read its dist folder.
 */
export function packPackage(folder: string): string {
  const staged = path.join(folder, "staged");
  mkdirSync(staged);
  for (const name of PARTS) cpSync(path.join(root, name), path.join(staged, name), { recursive: true });
  const run = (cwd: string, command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });
  // Other tests check the types.
  run(root, process.execPath, "scripts/build.mjs", path.join(staged, "dist"), "--noCheck");
  run(staged, "npm", "pack", "--ignore-scripts", "--pack-destination", folder, "--silent");
  rmSync(staged, { recursive: true });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack wrote no tarball");
  return path.join(folder, tarball);
}
