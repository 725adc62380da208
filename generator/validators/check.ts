import { type Check, codePoints, equal, matcher } from "../runtime/runtime.js";
import type { Reading } from "../schema/readings.js";
import { validatorCode } from "./validator-code.js";

const RUNTIME: { readonly [name: string]: unknown } = { codePoints, equal, matcher };

/**
 * A reading as a function: the very code that generated modules hold, so that nobody judges differently from them. It
 * is made on the first call; a schema that cannot be compiled throws then.
 */
export function lazyCheck(reading: () => Reading): Check {
  let compiled: Check | undefined;
  const check: Check = (value) => {
    compiled ??= compile(reading());
    if (compiled(value)) {
      // Hardly ever: to write a property costs more than to judge a small event.
      if (check.errors) check.errors = null;
      return true;
    }
    check.errors = compiled.errors ?? null;
    return false;
  };
  check.errors = null;
  return check;
}

function compile(reading: Reading): Check {
  const { expression, imports } = validatorCode(reading, "quick");
  const make = new Function(...imports, `"use strict"; return ${expression};`);
  return make(...imports.map((name) => RUNTIME[name]));
}
