/**
 * Ajv, loaded when it is first needed: loading it takes longer than validating a thousand events with generated code,
 * and many commands never compile a schema.
 */
import { createRequire } from "node:module";
import type * as codeModule from "ajv/dist/compile/codegen/code.js";
import type * as codegenModule from "ajv/dist/compile/codegen/index.js";
import type * as compileModule from "ajv/dist/compile/index.js";
import type * as namesModule from "ajv/dist/compile/names.js";
import type * as resolveModule from "ajv/dist/compile/resolve.js";
import type * as utilModule from "ajv/dist/compile/util.js";
import type * as dataTypeModule from "ajv/dist/compile/validate/dataType.js";
import type * as validateModule from "ajv/dist/compile/validate/index.js";
import type * as vocabularyModule from "ajv/dist/vocabularies/code.js";

/** Modules of Ajv that are not part of its public interface; the exact version in package.json keeps them stable. */
interface AjvInternals {
  readonly code: typeof codeModule;
  readonly codegen: typeof codegenModule;
  readonly compile: typeof compileModule;
  readonly names: (typeof namesModule)["default"]["default"];
  readonly resolve: typeof resolveModule;
  readonly util: typeof utilModule;
  readonly dataType: typeof dataTypeModule;
  readonly validate: typeof validateModule;
  readonly vocabulary: typeof vocabularyModule;
}

let ajv: typeof import("ajv/dist/2020.js") | undefined;
let internals: AjvInternals | undefined;

/** Returns Ajv for draft 2020-12. */
export function ajvPackage(): typeof import("ajv/dist/2020.js") {
  ajv ??= createRequire(import.meta.url)("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  return ajv;
}

/** Returns the modules of Ajv that write a validator's code. */
export function ajvInternals(): AjvInternals {
  internals ??= loadInternals(createRequire(import.meta.url));
  return internals;
}

function loadInternals(load: NodeJS.Require): AjvInternals {
  return {
    code: load("ajv/dist/compile/codegen/code.js"),
    codegen: load("ajv/dist/compile/codegen/index.js"),
    compile: load("ajv/dist/compile/index.js"),
    names: load("ajv/dist/compile/names.js").default,
    resolve: load("ajv/dist/compile/resolve.js"),
    util: load("ajv/dist/compile/util.js"),
    dataType: load("ajv/dist/compile/validate/dataType.js"),
    validate: load("ajv/dist/compile/validate/index.js"),
    vocabulary: load("ajv/dist/vocabularies/code.js"),
  };
}
