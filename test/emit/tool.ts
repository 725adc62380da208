import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** A tool that checks outputs, or undefined with a word on the console: not every machine has it. */
export function tool<T>(name: string): T | undefined {
  try {
    return load(name) as T;
  } catch {
    console.warn(`${name} is absent: its check of the outputs is skipped`);
    return undefined;
  }
}
