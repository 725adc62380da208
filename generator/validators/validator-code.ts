import { isObject, type Json, type JsonObject } from "../json.js";
import type { automaton } from "../runtime/runtime.js";
import type { Schema } from "../schema/json-schema.js";
import { buildDocument, type Reading } from "../schema/readings.js";
import { walk } from "../schema/walk.js";
import { escapeInvisible, formatJavascriptLiteral } from "../text.js";
import type { ValueScopeName } from "./ajv-package.js";
import { hasPropertyNames, type PrintOptions, printStatements } from "./code-tree.js";
import {
  type CompiledFunction,
  type CompileOptions,
  compileFunctions,
  getCodeAjv,
  getCompiledFunction,
} from "./compile-functions.js";
import { CALL } from "./share-definitions.js";

/** The JavaScript of one validator: an expression whose only free names are `imports` and the functions that it calls. */
interface ValidatorCode {
  readonly expression: string;
  /** Functions of the runtime that the expression calls, in alphabetical order. */
  readonly imports: readonly string[];
}

/**
 * `small`: as little code as possible. `quick`: more code, which remembers strings that repeat.
 * `called`: small, and other validators can call it with the place of the value.
 */
export type CodeStyle = "small" | "quick" | "called";

/** Returns tables for a pattern on which a regular expression may take very long; undefined for other patterns. */
export type FindMatcher = (pattern: string) => Readonly<Parameters<typeof automaton>> | undefined;

/**
 * Compiles a reading with Ajv into a self-contained expression. Its text depends on the reading alone, so a change of
 * one event changes one line. Throws on code that would need a module which generated files do not have.
 */
export function createValidatorCode(
  reading: Reading,
  style: CodeStyle = "small",
  findMatcher: FindMatcher = () => undefined,
): ValidatorCode {
  const document = buildDocument(reading);
  // Ajv compiles a mere `false` to a function of another form.
  const schema = document === false ? { allOf: [false] } : document;
  const { options, calls } = inspectSchema(schema);
  const { root, functions } = compileFunctions(schema, getCodeAjv(), options);
  const standsAlone = !root.callsValidators && style !== "called" && !calls;
  const printer: Printer = {
    standsAlone,
    hasPropertyNames: functions.some(({ statements }) => hasPropertyNames(statements)),
    repeatedPatterns: style === "quick" ? findRepeatedPatterns(schema) : new Set(),
    findMatcher,
    printedNames: new Set(),
    imports: new Set(),
  };
  const code = `${printFunction(root, printer)}return ${root.name}`;
  return {
    expression: escapeInvisible(`/* @__PURE__ */ (() => {${code}})()`),
    imports: [...printer.imports].sort(),
  };
}

/** The state of printing one expression. */
interface Printer extends PrintOptions {
  /** Patterns of strings that are likely to repeat, as texts of regular expressions. */
  readonly repeatedPatterns: ReadonlySet<string>;
  readonly findMatcher: FindMatcher;
  /** Names of functions and values that are printed, or are being printed. */
  readonly printedNames: Set<string>;
  readonly imports: Set<string>;
}

/** Prints the values that a function needs, and then the function. */
function printFunction(compiled: CompiledFunction, printer: Printer): string {
  const { name, statements, values, reads, isRepeated, evaluated } = compiled;
  printer.printedNames.add(name.str);
  let text = "";
  // Ajv names every schema, but its code refers to few of them.
  for (const [prefix, group] of values)
    for (const value of group)
      if (prefix !== "schema" || reads.get(value.str)) text += printValue(value, printer);
  text += printStatements(statements, printer);
  if (isRepeated) {
    printer.imports.add("once");
    text += `${name} = once(${name});`;
  }
  return evaluated === undefined
    ? text
    : `${text}${name}.evaluated = ${formatJavascriptLiteral(evaluated as Json)};`;
}

/** Prints the definition of a value outside of functions, unless it is printed already. */
function printValue(name: ValueScopeName, printer: Printer): string {
  if (printer.printedNames.has(name.str)) return "";
  const { prefix, value } = name;
  if (prefix === "validate") return printFunction(getCompiledFunction(value?.ref), printer);
  printer.printedNames.add(name.str);
  if (prefix !== "wrapper" && prefix !== "root") return `const ${name} = ${printScopeValue(name, printer)};`;
  const target = getCompiledFunction(value?.ref);
  const rest = printer.printedNames.has(target.name.str) ? "" : printFunction(target, printer);
  // The function may be replaced later.
  const member = target.isRepeated ? `get validate() {return ${target.name};}` : `validate: ${target.name}`;
  return `const ${name} = {${member}};${rest}`;
}

function printScopeValue(
  { prefix, value }: ValueScopeName,
  { repeatedPatterns, findMatcher, imports }: Printer,
): string {
  const code = String(value?.code);
  if (prefix === "schema") return formatJavascriptLiteral(value?.ref as Json);
  if (prefix === "formats") return code;
  if (prefix === "pattern") {
    const tables = value?.ref instanceof RegExp ? findMatcher(value.ref.source) : undefined;
    const matcher =
      tables === undefined ? code : `automaton(${tables.map((table) => JSON.stringify(table)).join(", ")})`;
    if (tables !== undefined) imports.add("automaton");
    if (!repeatedPatterns.has(String(value?.ref))) return matcher;
    imports.add("matcher");
    return `matcher(${matcher})`;
  }
  const functionName = FUNCTIONS.get(code);
  if (functionName === undefined)
    throw new Error(`A validator needs ${code}, which generated code does not have`);
  if (functionName !== code) imports.add(functionName);
  return functionName;
}

/** Functions that a validator's code may call: those of the runtime by the module that Ajv would load instead. */
const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['require("ajv/dist/runtime/ucs2length").default', "codePoints"],
  ['require("ajv/dist/runtime/equal").default', "equal"],
  ["Object.prototype.hasOwnProperty", "Object.prototype.hasOwnProperty"],
]);

/** Returns the patterns of strings that are likely to repeat, such as ids. Strings with a format, such as times, are not. */
function findRepeatedPatterns(schema: Schema): Set<string> {
  const repeated = new Set<string>();
  const single = new Set<string>();
  walk(schema, ({ pattern, format }) => {
    if (typeof pattern !== "string") return;
    (format === undefined ? repeated : single).add(String(new RegExp(pattern, "u")));
  });
  for (const pattern of single) repeated.delete(pattern);
  return repeated;
}

/** Returns the options that `schema` needs, and whether it calls the validators of other expressions. */
function inspectSchema(schema: Schema): { readonly options: CompileOptions; readonly calls: boolean } {
  let ownProperties = false;
  let unicode = false;
  let unevaluated = false;
  let calls = false;
  walk(schema, (node) => {
    ownProperties ||= namesInheritedField(node);
    // "At least one character" has the same result for code units and code points.
    unicode ||= node.maxLength !== undefined || (typeof node.minLength === "number" && node.minLength > 1);
    unevaluated ||= node.unevaluatedProperties !== undefined || node.unevaluatedItems !== undefined;
    calls ||= node[CALL] !== undefined;
  });
  return { options: { ownProperties, unicode, unevaluated }, calls };
}

/** Returns whether `schema` itself names a field that every object inherits, such as `toString`. */
function namesInheritedField(schema: JsonObject): boolean {
  const { properties, required, dependentRequired, dependentSchemas } = schema;
  const isInherited = (name: Json | undefined): boolean => String(name) in Object.prototype;
  return (
    [properties, dependentRequired, dependentSchemas].some(
      (fields) => isObject(fields) && Object.keys(fields).some(isInherited),
    ) ||
    [required, ...(isObject(dependentRequired) ? Object.values(dependentRequired) : [])]
      .flat()
      .some(isInherited)
  );
}
