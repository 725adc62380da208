/** Builds the packages for the tests of pages, and puts them into projects as npm would. */
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { buildPackages } from "../package/build.js";

const root = path.join(import.meta.dirname, "..", "..");

/**
 * Builds the packages below `folder`. Their dependencies and the development tools are those of this repository. Returns the
 * folder of the packages.
 */
export function buildPackagesWithDependencies(folder: string): string {
  const packages = path.join(folder, "packages");
  buildPackages(packages);
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  return packages;
}

/** Puts packages and their commands into the node_modules of a project. */
export function linkPackages(packages: string, names: readonly string[], project: string): void {
  const modules = path.join(project, "node_modules");
  mkdirSync(path.join(modules, ".bin"), { recursive: true });
  for (const name of names) linkIfMissing(path.join(packages, name), path.join(modules, name));
  if (names.includes("accrete-cli"))
    linkIfMissing(path.join(packages, "accrete-cli/dist/cli.js"), path.join(modules, ".bin/accrete"));
}

function linkIfMissing(target: string, at: string): void {
  try {
    symlinkSync(target, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
