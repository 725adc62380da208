import type { Ajv2020, KeywordCxt } from "ajv/dist/2020.js";
import { isObject, type JsonObject } from "../json.js";
import type { Schema } from "../schema/json-schema.js";
import { document, type Reading } from "../schema/readings.js";
import { walk } from "../schema/walk.js";
import { makeAjv } from "./ajv.js";
import { ajvPackage, ajvStandalone } from "./ajv-package.js";
import { mendEvaluated } from "./fix-code.js";
import { hideLiterals } from "./hidden-literals.js";
import { CALL } from "./share-definitions.js";

/** Functions of the runtime that a validator's code may call, by the module that Ajv would load instead. */
const RUNTIME = new Map([
  ["ajv/dist/runtime/ucs2length", "codePoints"],
  ["ajv/dist/runtime/equal", "equal"],
]);

/** JavaScript of one compiled validator: an expression without free names but those of `imports` and of what it calls. */
export interface ValidatorCode {
  readonly expression: string;
  readonly imports: readonly string[];
}

/**
 * `small`: as little code as possible. `quick`: more code, for validators that see the same strings again and again.
 * `called`: small, and it can be called by others with the place of the value.
 */
export type Shape = "small" | "quick" | "called";

/**
 * Compiles a reading with Ajv into a self-contained expression. Its text depends on the reading alone, so a change of
 * one event changes one line. Throws on code that would need a module which generated files do not have.
 */
export function validatorCode(reading: Reading, shape: Shape = "small"): ValidatorCode {
  const whole = document(reading);
  // Of false alone Ajv makes a function unlike all others.
  const schema = whole === false ? { allOf: [false] } : whole;
  const ajv = makeAjv({ code: CODE, ...traits(schema) });
  addCalls(ajv);
  if (!uses(schema, ["unevaluatedProperties", "unevaluatedItems"])) ajv.opts.unevaluated = false;
  const validate = ajv.compile(schema);
  const { name, body } = functionOf(ajvStandalone()(ajv, validate));
  const hidden = hideLiterals(body);
  const imports = new Set<string>();
  const code = hidden.code.replace(MODULE, (_all, index) => {
    const module = hidden.string(Number(index));
    const replacement = RUNTIME.get(module);
    if (replacement === undefined) throw new Error(`a validator needs the module ${module}`);
    imports.add(replacement);
    return replacement;
  });
  const repeated = shape === "quick" ? repeatedPatterns(schema) : undefined;
  const called = shape === "called" || uses(schema, [CALL]);
  const short = withoutUnusedSchemas(compact(mendEvaluated(code), called)).replace(
    PATTERN,
    (all, start, regex, index) => {
      if (!repeated?.has(hidden.string(Number(index)))) return all;
      imports.add("matcher");
      return `${start}matcher(${regex});`;
    },
  );
  return {
    expression: `/* @__PURE__ */ (() => {${hidden.show(short)}return ${name}})()`,
    imports: [...imports].sort(),
  };
}

const PATTERN = /(const pattern\d+ = )(new RegExp\("(\d+)", "\d+"\));/g;

/** The patterns of strings that may well come again: ids and names do, but what has a format as well, such as a time, does not. */
function repeatedPatterns(schema: Schema): Set<unknown> {
  const [repeated, single] = [new Set<unknown>(), new Set<unknown>()];
  walk(schema, ({ pattern, format }) => {
    if (pattern !== undefined) (format === undefined ? repeated : single).add(pattern);
  });
  for (const pattern of single) repeated.delete(pattern);
  return repeated;
}

/** The call of a function that another expression makes, as Ajv writes those that it makes itself. */
function addCalls(ajv: Ajv2020): void {
  const { _, Name, str } = ajvPackage();
  const code = ({ gen, data, it, schema }: KeywordCxt): void => {
    const [callee, place, list] = [new Name(schema), new Name("instancePath"), new Name("vErrors")];
    gen.if(_`!${callee}(${data}, {instancePath: ${str`${place}${it.errorPath}`}})`, () => {
      gen.assign(list, _`${list} === null ? ${callee}.errors : ${list}.concat(${callee}.errors)`);
      gen.assign(new Name("errors"), _`${list}.length`);
    });
  };
  ajv.addKeyword({ keyword: CALL, schemaType: "string", code });
}

/** Only the text is wanted: the function that Ajv would make of it is replaced by one that costs nothing. */
const CODE = {
  source: true,
  esm: false,
  lines: false,
  optimize: 1,
  process: () => "return () => false",
} as const;

const MODULE = /(?<![.\w$])require\("(\d+)"\)\.default/g;

/** Ajv options that a schema needs; both cost speed or size where it does not. */
function traits(schema: Schema): { ownProperties: boolean; unicode: boolean } {
  let inherited = false;
  let counts = false;
  walk(schema, (node) => {
    const names = [
      ...[node.properties, node.dependentRequired, node.dependentSchemas].flatMap((map) =>
        isObject(map) ? Object.keys(map) : [],
      ),
      ...[node.required ?? []].flat(),
      ...(isObject(node.dependentRequired) ? Object.values(node.dependentRequired).flat() : []),
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

const PUSH = String.raw`if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;`;

/** An error object of Ajv and its way onto the list, literals hidden. */
const ERROR = new RegExp(
  String.raw`const (err\d+) = \{instancePath(?::([^{}:;]+))?,schemaPath:"\d+",keyword:("\d+"),` +
    String.raw`params:\{(?:(?:additional|unevaluated)Property: (\w+)|[^{}]*)\},message:([^{}:;]+?)(?:,propertyName:\w+)?\};${PUSH}`,
  "g",
);

/** The same inside of a condition, where nobody sees the error. */
const SILENT_ERROR = new RegExp(String.raw`const (err\d+) = \{\};${PUSH}`, "g");

/** Ajv's checks of numbers, in the words that JavaScript has for them. No JSON value is NaN. */
const NUMBERS: readonly (readonly [RegExp, string])[] = [
  [
    /\(\(\(typeof (data\d*) == ("\d+")\) && \(!\(\1 % 1\) && !isNaN\(\1\)\)\) && \(isFinite\(\1\)\)\)/g,
    "Number.isInteger($1)",
  ],
  [/\(typeof (data\d*) == "\d+"\) && \(isFinite\(\1\)\)/g, "Number.isFinite($1)"],
  [/( [<>]=? -?[\d.e+-]+) \|\| isNaN\(data\d*\)\)/g, "$1)"],
];

const START = "let vErrors = null;let errors = 0;";
const failWith = (names: string): string =>
  `const fail = (${names}) => {(vErrors ??= []).push({${names}});errors++;};`;

/**
 * Ajv's code, literals hidden, with one call in place of the statements that make and push an error, which are most of
 * it. A validator that calls no other one and is called by none needs none of Ajv's parameters either.
 */
function compact(code: string, isCalled: boolean): string {
  let named = false;
  const called = code
    .replace(ERROR, (_all, _name, pointer, keyword, name, message) => {
      named ||= name !== undefined;
      return `fail(${[pointer ?? "instancePath", keyword, message, ...(name === undefined ? [] : [name])].join(",")});`;
    })
    .replace(SILENT_ERROR, "fail();");
  const unknown = /(?<!\.)\b(?:err\d+\b|schemaPath:).{0,200}/.exec(called);
  if (unknown) throw new Error(`Ajv reports an error in an unknown way: ${unknown[0]}`);
  const short = NUMBERS.reduce((text, [from, to]) => text.replace(from, to), called).replaceAll(
    START,
    START + failWith(`pointer, keyword, message${named ? ", name" : ""}`),
  );
  const calls = short.match(/(?<!\.)\bvalidate\d+\(/g)?.length ?? 0;
  if (isCalled || calls !== 1) return short;
  return short
    .replace(/(function validate\d+\(data), \{instancePath="\d+", [^}]*\}\}=\{\}\)/, "$1)")
    .replace(/\bfail\(instancePath\+/g, "fail(")
    .replace(/\bfail\(instancePath,/g, 'fail("",');
}

/** Drops `const schemaN = {…};` where nothing else names schemaN. Literals are hidden. */
function withoutUnusedSchemas(code: string): string {
  return [...code.matchAll(/const (schema\d+) = /g)].reduce((result, [declaration, name]) => {
    const start = result.indexOf(declaration);
    const end = result.indexOf(";", start) + 1;
    const rest = result.slice(0, start) + result.slice(end);
    return new RegExp(`(?<!\\.)\\b${name}\\b`).test(rest) ? result : rest;
  }, code);
}
