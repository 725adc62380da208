/**
 * Loads Ajv when it is first needed. Loading takes longer than validating a thousand events with generated code, and many
 * commands never compile a schema.
 */
import { createRequire } from "node:module";

export type { _Code, Name } from "ajv/dist/compile/codegen/code.js";
export type { ValueScope, ValueScopeName } from "ajv/dist/compile/codegen/index.js";
export type { SchemaCxt, SchemaEnv } from "ajv/dist/compile/index.js";

const load = createRequire(import.meta.url);
let internals: AjvInternals | undefined;

/** Returns Ajv for draft 2020-12. */
export function loadAjv(): typeof import("ajv/dist/2020.js") {
  return load("ajv/dist/2020.js");
}

/**
 * Returns the modules of Ajv that write a validator's code. They are not part of its public interface; the exact version in
 * package.json keeps them stable.
 */
export function loadAjvInternals(): AjvInternals {
  internals ??= requireInternals();
  return internals;
}

interface AjvInternals {
  readonly names: typeof import("ajv/dist/compile/names.js").default;
  readonly code: typeof import("ajv/dist/compile/codegen/code.js");
  readonly codegen: typeof import("ajv/dist/compile/codegen/index.js");
  readonly compile: typeof import("ajv/dist/compile/index.js");
  readonly resolve: typeof import("ajv/dist/compile/resolve.js");
  readonly util: typeof import("ajv/dist/compile/util.js");
  readonly dataType: typeof import("ajv/dist/compile/validate/dataType.js");
  readonly validate: typeof import("ajv/dist/compile/validate/index.js");
  readonly vocabulary: typeof import("ajv/dist/vocabularies/code.js");
}

function requireInternals(): AjvInternals {
  return {
    names: load("ajv/dist/compile/names.js").default,
    code: load("ajv/dist/compile/codegen/code.js"),
    codegen: load("ajv/dist/compile/codegen/index.js"),
    compile: load("ajv/dist/compile/index.js"),
    resolve: load("ajv/dist/compile/resolve.js"),
    util: load("ajv/dist/compile/util.js"),
    dataType: load("ajv/dist/compile/validate/dataType.js"),
    validate: load("ajv/dist/compile/validate/index.js"),
    vocabulary: load("ajv/dist/vocabularies/code.js"),
  };
}
