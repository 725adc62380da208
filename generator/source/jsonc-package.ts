/** Loads jsonc-parser when it is first needed: most documents are read without errors, and no place in them is asked for. */
import { createRequire } from "node:module";
import type { JSONPath, ModificationOptions } from "jsonc-parser";

const load = createRequire(import.meta.url);

/** Returns jsonc-parser. */
export function loadJsonc(): typeof import("jsonc-parser") {
  return load("jsonc-parser");
}

/** Returns a JSON text with one value set; undefined removes it. Its other bytes stay as they are. */
export function setJsonValue(
  text: string,
  path: JSONPath,
  value: unknown,
  options: ModificationOptions = {},
): string {
  const { applyEdits, modify } = loadJsonc();
  return applyEdits(text, modify(text, path, value, options));
}
