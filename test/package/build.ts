/** Builds the npm packages for tests. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** The names of the packages. */
export const PACKAGES = ["accrete-cli", "accrete-client", "accrete-kit"];

/**
 * Builds the packages in `folder`: a folder and a tarball for each. Writes nothing to the repository, because other tests may
 * read its dist folder.
 */
export function buildPackages(folder: string): void {
  // Other tests check the types.
  const args = ["scripts/build-packages.mjs", folder, "--noCheck"];
  execFileSync(process.execPath, args, { cwd: root, stdio: "pipe" });
}

/** Returns the path of a tarball that `buildPackages` wrote into `folder`. */
export function findTarball(folder: string, name: string): string {
  return path.join(folder, `${name}-${version}.tgz`);
}
