import { createRequire } from "node:module";
import path from "node:path";

const FOLDER = ".ci/tools";
const load = createRequire(path.resolve(FOLDER, "package.json"));

/** Loads a tool of `.ci/tools` that checks outputs. If it is not installed, returns undefined and prints a warning. */
export function loadTool<T>(name: string): T | undefined {
  try {
    return load(name) as T;
  } catch {
    console.warn(`${name} is absent (npm ci --prefix ${FOLDER}): its check of the outputs is skipped`);
    return undefined;
  }
}
