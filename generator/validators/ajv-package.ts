/**
 * Ajv, loaded when it is first asked for: to load it takes longer than to check a protocol and a thousand events, and
 * where all is sound nobody asks.
 */
import { createRequire } from "node:module";
import type standaloneModule from "ajv/dist/standalone/index.js";

let load: NodeJS.Require | undefined;

function loaded(module: string): unknown {
  load ??= createRequire(import.meta.url);
  return load(module);
}

/** Ajv for 2020-12, and what it writes code with. */
export function ajvPackage(): typeof import("ajv/dist/2020.js") {
  return loaded("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
}

/** What writes a compiled validator down as a module. */
export function ajvStandalone(): typeof standaloneModule.default {
  return (loaded("ajv/dist/standalone/index.js") as typeof standaloneModule).default;
}
