import standaloneModule from "ajv/dist/standalone/index.js";
import { isObject, type JsonObject } from "../json.js";
import { makeAjv } from "../model/ajv.js";
import { document, type Reading } from "../model/profile.js";
import type { Schema } from "../model/protocol.js";
import { walk } from "../model/walk.js";

const standaloneCode = standaloneModule.default;

/** Functions of the runtime that a validator's code may call, by the module that Ajv would load instead. */
const RUNTIME = new Map([
  ['require("ajv/dist/runtime/ucs2length").default', "codePoints"],
  ['require("ajv/dist/runtime/equal").default', "equal"],
]);

/** JavaScript of one compiled validator: an expression without free names but those of `imports`. */
export interface ValidatorCode {
  readonly expression: string;
  readonly imports: readonly string[];
}

/**
 * Compiles a reading with Ajv into a self-contained expression. Its text depends on the reading alone, so a change of
 * one event changes one line. Throws on code that would need a module which generated files do not have.
 */
export function validatorCode(reading: Reading): ValidatorCode {
  const schema = document(reading);
  const ajv = makeAjv({ code: { source: true, esm: false, lines: false, optimize: 1 }, ...traits(schema) });
  if (!uses(schema, ["unevaluatedProperties", "unevaluatedItems"])) ajv.opts.unevaluated = false;
  const validate = ajv.compile(schema);
  const { name, body } = functionOf(standaloneCode(ajv, validate));
  let code = withoutUnusedSchemas(compact(body));
  const imports: string[] = [];
  for (const [module, replacement] of RUNTIME)
    if (code.includes(module)) {
      code = code.replaceAll(module, replacement);
      imports.push(replacement);
    }
  if (/\brequire\(/.test(withoutStrings(code)))
    throw new Error(`a validator needs a module: ${code.match(/require\([^)]*\)/)?.[0]}`);
  return { expression: `/* @__PURE__ */ (() => {${code}return ${name}})()`, imports };
}

/** Ajv options that a schema needs; both cost speed or size where it does not. */
function traits(schema: Schema): { ownProperties: boolean; unicode: boolean } {
  let inherited = false;
  let counts = false;
  walk(schema, (node) => {
    const names = [
      ...Object.keys(isObject(node.properties) ? node.properties : {}),
      ...[node.required ?? []].flat(),
    ];
    inherited ||= names.some((name) => String(name) in Object.prototype);
    // For "at least one character" it is all the same whether code units or code points are counted.
    counts ||= node.maxLength !== undefined || (typeof node.minLength === "number" && node.minLength > 1);
  });
  return { ownProperties: inherited, unicode: counts };
}

function uses(schema: Schema, keywords: readonly string[]): boolean {
  let found = false;
  walk(schema, (node: JsonObject) => {
    found ||= keywords.some((keyword) => Object.hasOwn(node, keyword));
  });
  return found;
}

function functionOf(text: string): { name: string; body: string } {
  const match = /^"use strict";module\.exports = (\w+);module\.exports\.default = \1;/.exec(text);
  if (!match?.[1]) throw new Error(`Ajv's standalone code begins differently: ${text.slice(0, 100)}`);
  return { name: match[1], body: text.slice(match[0].length) };
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;

const PUSH = String.raw`if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;`;

/** An error object of Ajv and its way onto the list. */
const ERROR = new RegExp(
  String.raw`const (err\d+) = \{instancePath(?::((?:[^",]|${STRING})+))?,schemaPath:${STRING},keyword:(${STRING})` +
    String.raw`,params:\{(?:\w+Property: (\w+)|(?:[^"{}]|${STRING})*)\},message:((?:[^"}]|${STRING})+)\};${PUSH}`,
  "g",
);

/** The same inside of a condition, where nobody sees the error. */
const SILENT_ERROR = new RegExp(String.raw`const (err\d+) = \{\};${PUSH}`, "g");

/** Ajv's checks of numbers, in the words that JavaScript has for them. */
const NUMBERS: readonly (readonly [RegExp, string])[] = [
  [
    /\(\(\(typeof (data\d*) == "number"\) && \(!\(\1 % 1\) && !isNaN\(\1\)\)\) && \(isFinite\(\1\)\)\)/g,
    "Number.isInteger($1)",
  ],
  [/\(typeof (data\d*) == "number"\) && \(isFinite\(\1\)\)/g, "Number.isFinite($1)"],
  [/( [<>]=? -?[\d.e+-]+) \|\| isNaN\(data\d*\)\)/g, "$1)"],
];

const START = "let vErrors = null;let errors = 0;";
const failWith = (names: string): string =>
  `const fail = (${names}) => {(vErrors ??= []).push({${names}});errors++;};`;

/**
 * Ajv's code with one call in place of the statements that make and push an error, which are most of it. A validator
 * that calls no other one needs none of Ajv's parameters either. String literals are matched as a whole, so nothing
 * inside of one is touched.
 */
function compact(text: string): string {
  const called = text
    .replace(
      ERROR,
      (_all, _name, pointer, keyword, name, message) =>
        `fail(${[pointer ?? "instancePath", keyword, message, ...(name === undefined ? [] : [name])].join(",")});`,
    )
    .replace(SILENT_ERROR, "fail();");
  const names = `pointer, keyword, message${/params:\{\w+Property: \w+\}/.test(text) ? ", name" : ""}`;
  const short = NUMBERS.reduce((code, [from, to]) => code.replace(from, to), called).replaceAll(
    START,
    START + failWith(names),
  );
  if (/\berr\d+\b/.test(withoutStrings(short))) throw new Error("Ajv reports an error in an unknown way");
  const calls = short.match(/\bvalidate\d+\(/g)?.length ?? 0;
  if (calls !== 1) return short;
  return short
    .replace(/(function validate\d+\(data), \{instancePath="", [^}]*\}\}=\{\}\)/, "$1)")
    .replace(/\bfail\(instancePath\+/g, "fail(")
    .replace(/\bfail\(instancePath,/g, 'fail("",');
}

/** Drops `const schemaN = {…};` where nothing else names schemaN. */
function withoutUnusedSchemas(text: string): string {
  let result = text;
  for (const [declaration, name = ""] of text.matchAll(/const (schema\d+) = /g)) {
    const start = result.indexOf(declaration);
    const end = jsonEnd(result, start + declaration.length);
    const rest = result.slice(0, start) + result.slice(end + 1);
    if (start >= 0 && result[end] === ";" && !new RegExp(`\\b${name}\\b`).test(withoutStrings(rest)))
      result = rest;
  }
  return result;
}

/** The offset behind the JSON object or literal that begins at `start`. */
function jsonEnd(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (c === '"') while (text[++i] !== '"') if (text[i] === "\\") i++;
    if (c === "{" || c === "[") depth++;
    if (c === "}" || c === "]") depth--;
    if (depth === 0 && c === ";") return i;
  }
  return text.length;
}

function withoutStrings(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
}
