/** Runs a test inside a project folder. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { onTestFinished } from "vitest";
import { createTemporaryFolder, writeFiles } from "../folders.js";
import type { Files } from "./project.js";

/** Creates a folder `name` with these files, and makes it the current folder until the test ends. */
export function enterProject(name: string, files: Files): string {
  const [root, home] = [path.join(createTemporaryFolder(), name), cwd()];
  onTestFinished(() => chdir(home));
  mkdirSync(root);
  writeFiles(root, files);
  chdir(root);
  return root;
}
