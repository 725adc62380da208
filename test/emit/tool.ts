import { createRequire } from "node:module";
import path from "node:path";

const FOLDER = ".ci/tools";
const load = createRequire(path.resolve(FOLDER, "package.json"));

/** A tool of `.ci/tools` that checks outputs, or undefined with a word on the console: not every machine has it. */
export function loadTool<T>(name: string): T | undefined {
  try {
    return load(name) as T;
  } catch {
    console.warn(`${name} is absent (npm ci --prefix ${FOLDER}): its check of the outputs is skipped`);
    return undefined;
  }
}
