/** Builds the npm packages for tests. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { getCachedFolder } from "../cache.js";

const root = path.join(import.meta.dirname, "..", "..");
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** The names of the packages. */
export const PACKAGES = ["accrete-cli", "accrete-client", "accrete-kit"];

/** The files and folders that determine the content of the packages. */
const SOURCES = [
  "generator",
  "generated",
  "schemas",
  "fixtures",
  "docs",
  "scripts/packages",
  "scripts/build-packages.mjs",
  "scripts/build.mjs",
  "scripts/licences.mjs",
  "tsconfig.json",
  "tsconfig.build.json",
  "package.json",
  "package-lock.json",
  "CHANGELOG.md",
  "LICENSE",
];

/**
 * Returns the folder of the packages: a folder and a tarball for each. Builds them if no test has done so for these
 * sources. Tests only read them.
 */
export function getPackages(): string {
  return getCachedFolder("packages", SOURCES, (folder) => {
    // Other tests check the types.
    const args = ["scripts/build-packages.mjs", folder, "--noCheck"];
    execFileSync(process.execPath, args, { cwd: root, stdio: "pipe" });
  });
}

/** Returns the path of the packed command, which starts faster than its sources. */
export function getCommand(): string {
  return path.join(getPackages(), "accrete-cli", "dist", "cli.js");
}

/** Returns the path of a tarball in the folder of the packages. */
export function findTarball(folder: string, name: string): string {
  return path.join(folder, `${name}-${version}.tgz`);
}
