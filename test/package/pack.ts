import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");

/** What `npm pack` takes, but for what is compiled. */
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
 * Packs the package as `npm publish` would, compiled anew, and gives the tarball's path in `folder`. Nothing is written
 * to the repository: other tests may be reading its dist.
 */
export function pack(folder: string): string {
  const staged = path.join(folder, "staged");
  mkdirSync(staged);
  for (const name of PARTS) cpSync(path.join(root, name), path.join(staged, name), { recursive: true });
  const run = (cwd: string, command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });
  // Types are checked elsewhere.
  run(root, process.execPath, "scripts/build.mjs", path.join(staged, "dist"), "--noCheck");
  run(staged, "npm", "pack", "--ignore-scripts", "--pack-destination", folder, "--silent");
  rmSync(staged, { recursive: true });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack wrote no tarball");
  return path.join(folder, tarball);
}
