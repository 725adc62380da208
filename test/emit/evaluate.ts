import "./fix-ajv-equal.js";
import type { Json } from "../../generator/json.js";
import { type Check, codePoints, equal, matcher } from "../../generator/runtime/runtime.js";
import { buildDocument, type Reading } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { type CodeStyle, createValidatorCode } from "../../generator/validators/validator-code.js";

/** Returns the faults of a value as JSON texts, in order; none if it is accepted. */
export type ListFaults = (value: Json) => readonly string[];

/**
 * Compiles the generated code of a reading as a module of its own. The function throws if the two shapes of the code give
 * different faults, or if the one that remembers strings gives different faults for the same value.
 */
export function generated(reading: Reading): ListFaults {
  const small = evaluated(reading, "small");
  const quick = evaluated(reading, "quick");
  return (value) => {
    const issues = small(value);
    for (const again of [quick(value), quick(value)])
      if (again.join() !== issues.join()) throw new Error(`small says ${issues}, quick says ${again}`);
    return issues;
  };
}

function evaluated(reading: Reading, shape: CodeStyle): ListFaults {
  const { expression, imports } = createValidatorCode(reading, shape);
  const runtime: { readonly [name: string]: unknown } = { codePoints, equal, matcher };
  // Strict, like a module, and without any name but the imported ones.
  const make = new Function(...imports, `"use strict"; return ${expression};`);
  const check: Check = make(...imports.map((name) => runtime[name]));
  return listFaultsWith(check);
}

/** Returns a function that lists the faults that `check` finds. */
export function listFaultsWith(check: Check): ListFaults {
  return (value) =>
    check(value)
      ? []
      : (check.errors ?? []).map(({ pointer, keyword, message, name }) =>
          formatFault(pointer, keyword, message, name),
        );
}

/** Compiles the reading with Ajv itself. Only one error of Ajv that no keyword can correct is corrected. */
export function plain(reading: Reading): ListFaults {
  // JSON values have own properties only.
  const options = { ownProperties: true, code: { lines: true, process: resetInLoops } };
  const validate = makeAjv(options).compile(buildDocument(reading));
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, keyword, message = "", params }) =>
          formatFault(
            instancePath,
            keyword,
            message,
            params.additionalProperty ?? params.unevaluatedProperty,
          ),
        );
}

/** Makes each round of a loop forget what the round before evaluated. `code` has a line for each statement. */
function resetInLoops(code: string): string {
  const lines = code.split("\n");
  return lines
    .map((line, start) => {
      if (!/^for\(.*\{$/.test(line)) return line;
      let depth = 1;
      let end = start + 1;
      for (; depth > 0; end++) depth += lines[end] === "}" ? -1 : lines[end]?.endsWith("{") ? 1 : 0;
      const names = lines.slice(start, end).map((inside) => /^var ((?:props|items)\d+)\b/.exec(inside)?.[1]);
      return line + [...new Set(names)].map((name) => (name ? `${name} = undefined;` : "")).join("");
    })
    .join("\n");
}

function formatFault(pointer: string, keyword: string, message: string, name: string | undefined): string {
  return JSON.stringify([pointer, keyword, message, ...(name === undefined ? [] : [name])]);
}
