import { type Check, codePoints, equal, matcher, once } from "../runtime/runtime.js";
import type { Reading } from "../schema/readings.js";
import { markUnions } from "./repeated-definitions.js";
import { createValidatorCode } from "./validator-code.js";

const RUNTIME: { readonly [name: string]: unknown } = { codePoints, equal, matcher, once };

/**
 * Returns a check of values against a reading, with the same code as in generated modules. It is compiled on the first
 * call, which throws if the schema cannot be compiled.
 */
export function createLazyCheck(reading: () => Reading): Check {
  let compiled: Check | undefined;
  const check: Check = (value) => {
    compiled ??= compileCheck(reading());
    if (compiled(value)) {
      // Writes only if there are errors to remove, because writing a property takes longer than checking a small event.
      if (check.errors) check.errors = null;
      return true;
    }
    check.errors = compiled.errors ?? null;
    return false;
  };
  check.errors = null;
  return check;
}

function compileCheck(reading: Reading): Check {
  const { expression, imports } = createValidatorCode(markUnions(reading), "quick");
  const createCheck = new Function(...imports, `"use strict"; return ${expression};`);
  return createCheck(...imports.map((name) => RUNTIME[name]));
}
