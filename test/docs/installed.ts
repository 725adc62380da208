/** Puts the packages into the projects of the tests of pages, as npm would. */
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { getPackages } from "../package/build.js";

const root = path.join(import.meta.dirname, "..", "..");

/**
 * Links the dependencies of the packages and the development tools of this repository into `folder`, for the projects below
 * it. Returns the folder of the packages.
 */
export function openPackages(folder: string): string {
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  return getPackages();
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
