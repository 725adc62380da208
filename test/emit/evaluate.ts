import "./mend-equal.js";
import type { Json } from "../../generator/json.js";
import { type Check, codePoints, equal, matcher } from "../../generator/runtime/runtime.js";
import { document, type Reading } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { mendEvaluated } from "../../generator/validators/fix-code.js";
import { hideLiterals } from "../../generator/validators/hidden-literals.js";
import { type Shape, validatorCode } from "../../generator/validators/validator-code.js";

/** What a validator says of a value: accepted, or every fault as `pointer keyword message`, in order. */
export type Judge = (value: Json) => readonly string[];

/**
 * The generated code of a reading, evaluated as a module of its own would be. Throws where its two shapes differ, or
 * where the one that remembers changes its mind.
 */
export function generated(reading: Reading): Judge {
  const small = evaluated(reading, "small");
  const quick = evaluated(reading, "quick");
  return (value) => {
    const issues = small(value);
    for (const again of [quick(value), quick(value)])
      if (again.join() !== issues.join()) throw new Error(`small says ${issues}, quick says ${again}`);
    return issues;
  };
}

function evaluated(reading: Reading, shape: Shape): Judge {
  const { expression, imports } = validatorCode(reading, shape);
  const runtime: { readonly [name: string]: unknown } = { codePoints, equal, matcher };
  // Strict, like a module, and without any name but the imported ones.
  const make = new Function(...imports, `"use strict"; return ${expression};`);
  const check: Check = make(...imports.map((name) => runtime[name]));
  return (value) =>
    check(value)
      ? []
      : (check.errors ?? []).map(({ pointer, keyword, message, name }) =>
          said(pointer, keyword, message, name),
        );
}

/** The same reading compiled by Ajv itself; nothing is rewritten but what is wrong with it. */
export function plain(reading: Reading): Judge {
  // JSON values have own properties only.
  const validate = makeAjv({ ownProperties: true, code: { process: mended } }).compile(document(reading));
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, keyword, message = "", params }) =>
          said(instancePath, keyword, message, params.additionalProperty ?? params.unevaluatedProperty),
        );
}

function mended(code: string): string {
  const hidden = hideLiterals(code);
  return hidden.show(mendEvaluated(hidden.code));
}

function said(pointer: string, keyword: string, message: string, name: string | undefined): string {
  return JSON.stringify([pointer, keyword, message, ...(name === undefined ? [] : [name])]);
}
