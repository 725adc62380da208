/**
 * Loads the libraries that write types when they are first needed: a run whose types are all in the cache does not need them.
 * `require` loads them in half the time of `import`, which first searches them for the names that they export.
 */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** Returns ts-morph. */
export function loadTsMorph(): typeof import("ts-morph") {
  return load("ts-morph");
}

/** Returns json-schema-to-typescript. */
export function loadJsonSchemaToTypescript(): typeof import("json-schema-to-typescript") {
  return load("json-schema-to-typescript");
}
