import "./fix-ajv-equal.js";
import type { Json } from "../../generator/json.js";
import { type Check, codePoints, equal, matcher, once } from "../../generator/runtime/runtime.js";
import { buildDocument, type Reading } from "../../generator/schema/readings.js";
import { FORBIDDEN, makeAjv } from "../../generator/validators/ajv.js";
import { type CodeStyle, createValidatorCode } from "../../generator/validators/validator-code.js";

/** Returns the issues of a value as JSON texts, in order; none if the value is accepted. */
export type ListIssues = (value: Json) => readonly string[];

/**
 * Compiles the generated code of a reading in both of its shapes. The returned function throws if the shapes give different
 * issues. It calls `quick` twice, because `quick` remembers strings and must give the same issues again.
 */
export function compileGeneratedCode(reading: Reading): ListIssues {
  const small = compileShape(reading, "small");
  const quick = compileShape(reading, "quick");
  return (value) => {
    const issues = small(value);
    for (const again of [quick(value), quick(value)])
      if (again.join() !== issues.join()) throw new Error(`small says ${issues}, quick says ${again}`);
    return issues;
  };
}

function compileShape(reading: Reading, shape: CodeStyle): ListIssues {
  const { expression, imports } = createValidatorCode(reading, shape);
  const runtime: { readonly [name: string]: unknown } = { codePoints, equal, matcher, once };
  // The code is strict, like a module, and can use only the imported names.
  const make = new Function(...imports, `"use strict"; return ${expression};`);
  const check: Check = make(...imports.map((name) => runtime[name]));
  return listIssuesWith(check);
}

/** Returns a function that lists the issues that `check` finds. */
export function listIssuesWith(check: Check): ListIssues {
  return (value) =>
    check(value)
      ? []
      : (check.errors ?? []).map(({ pointer, keyword, message, name }) =>
          formatIssue(pointer, keyword, message, name),
        );
}

/** Compiles the reading with Ajv. Works around one bug of Ajv: in a loop, it keeps what the previous round evaluated. */
export function compileWithAjv(reading: Reading): ListIssues {
  // Without `ownProperties`, Ajv would accept inherited members such as toString for required fields.
  const options = { ownProperties: true, code: { lines: true, process: resetInLoops } };
  const validate = makeAjv(options).compile(buildDocument(reading));
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, keyword, message = "", params }) =>
          formatIssue(
            instancePath,
            keyword,
            // Generated code says more about a value that no schema accepts.
            keyword === "false schema" ? FORBIDDEN : message,
            params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName,
          ),
        );
}

/** Resets the evaluated fields and items at the start of each round of a loop. `code` has a line for each statement. */
function resetInLoops(code: string): string {
  const lines = code.split("\n");
  return lines
    .map((line, start) => {
      if (!/^for\(.*\{$/.test(line)) return line;
      const block = lines.slice(start, findBlockEnd(lines, start));
      const names = block.map((inside) => /^var ((?:props|items)\d+)\b/.exec(inside)?.[1]);
      return line + [...new Set(names)].map((name) => (name ? `${name} = undefined;` : "")).join("");
    })
    .join("\n");
}

/** Returns the index after the line that closes the block that the line at `start` opens. */
function findBlockEnd(lines: readonly string[], start: number): number {
  let depth = 1;
  let end = start + 1;
  while (depth > 0) {
    if (lines[end] === "}") depth--;
    else if (lines[end]?.endsWith("{")) depth++;
    end++;
  }
  return end;
}

function formatIssue(pointer: string, keyword: string, message: string, name: string | undefined): string {
  return JSON.stringify([pointer, keyword, message, ...(name === undefined ? [] : [name])]);
}
