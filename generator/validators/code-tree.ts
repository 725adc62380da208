/**
 * The code of a validator as a tree of statements: what Ajv's keywords write into a `TreeBuilder`, what
 * `removeUnusedCode` shortens, and what `printStatements` prints.
 */
import type { _Code, Name } from "ajv/dist/compile/codegen/code.js";
import { ajvInternals } from "./ajv-package.js";

/** An expression of Ajv: a name, a literal, or a list of names and pieces of text. */
export type Expression = _Code | Name | number | boolean | null;

/** Statements between braces. `kind` tells a plain block from the statements that have a block of their own. */
export interface Block {
  readonly kind: "block";
  body: Statement[];
}

export interface Condition {
  readonly kind: "if";
  condition: Expression;
  body: Statement[];
  otherwise: Condition | Block | undefined;
}

export interface Loop {
  readonly kind: "for";
  /** The text between the parentheses. */
  header: _Code;
  body: Statement[];
}

export interface FunctionStatement {
  readonly kind: "function";
  readonly name: Name;
  readonly parameters: _Code;
  body: Statement[];
}

interface Definition {
  readonly kind: "define";
  readonly keyword: "const" | "let" | "var";
  readonly name: Name;
  value: Expression | undefined;
}

interface Assignment {
  readonly kind: "assign";
  readonly target: Name | _Code;
  readonly operator: "=" | "+=";
  value: Expression;
  /** Whether the value must be computed even if nobody reads the target. */
  readonly sideEffects: boolean;
}

/** A call, a label, a `break` or another statement without parts of its own. */
interface PlainCode {
  readonly kind: "code";
  code: Expression;
  readonly end: ";" | ":";
}

/** Defines `fail`, which a function calls for each error. */
interface FailDefinition {
  readonly kind: "define fail";
}

interface Return {
  readonly kind: "return";
  value: Expression;
}

/** Reports an error. Under a condition, where nobody sees the error, it is only counted and has no fields. */
export interface Failure {
  readonly kind: "fail";
  readonly fields?: {
    readonly pointer: Expression;
    readonly keyword: string;
    readonly message: Expression;
    /** The property that the error is about. */
    readonly name: Name | undefined;
  };
}

export type Statement =
  | Block
  | Condition
  | Loop
  | FunctionStatement
  | Definition
  | Assignment
  | PlainCode
  | FailDefinition
  | Return
  | Failure;

/** How `printStatements` prints. */
export interface PrintOptions {
  /** Whether the function is only called with a value: it then needs no other parameters, and pointers begin at its root. */
  readonly standsAlone: boolean;
  /** Whether some error holds the name of a property. */
  readonly namesProperties: boolean;
}

/** Returns the JavaScript of `statements`, without line breaks. */
export function printStatements(statements: readonly Statement[], options: PrintOptions): string {
  let text = "";
  for (const statement of statements) text += printStatement(statement, options);
  return text;
}

function printStatement(statement: Statement, options: PrintOptions): string {
  switch (statement.kind) {
    case "block":
      return printBlock(statement, options);
    case "if": {
      const { condition, otherwise } = statement;
      const rest = otherwise === undefined ? "" : `else ${printStatement(otherwise, options)}`;
      return `if(${printCondition(condition)})${printBlock(statement, options)}${rest}`;
    }
    case "for":
      return `for(${statement.header})${printBlock(statement, options)}`;
    case "function": {
      const parameters = options.standsAlone ? ajvInternals().names.data : statement.parameters;
      return `function ${statement.name}(${parameters})${printBlock(statement, options)}`;
    }
    case "define": {
      const { keyword, name, value } = statement;
      return value === undefined ? `${keyword} ${name};` : `${keyword} ${name} = ${value};`;
    }
    case "assign":
      return `${statement.target} ${statement.operator} ${statement.value};`;
    case "code":
      return `${statement.code}${statement.end}`;
    case "define fail": {
      const fields = options.namesProperties
        ? "pointer, keyword, message, name"
        : "pointer, keyword, message";
      return `const fail = (${fields}) => {(vErrors ??= []).push({${fields}});errors++;};`;
    }
    case "return":
      return `return ${statement.value};`;
    case "fail":
      return printFailure(statement, options);
  }
}

function printBlock({ body }: { readonly body: readonly Statement[] }, options: PrintOptions): string {
  return `{${printStatements(body, options)}}`;
}

function printFailure({ fields }: Failure, { standsAlone }: PrintOptions): string {
  if (fields === undefined) return "fail();";
  const { pointer, keyword, message, name } = fields;
  const rest = name === undefined ? "" : `,${name}`;
  const at = standsAlone ? printPointerFromRoot(pointer) : pointer;
  return `fail(${at},${JSON.stringify(keyword)},${message}${rest});`;
}

/** Prints a pointer without the pointer of the value that the function validates, with which it begins. */
function printPointerFromRoot(pointer: Expression): string {
  const { code, names } = ajvInternals();
  const items = pointer instanceof code._Code ? pointer._items : [pointer];
  const [first, plus, ...rest] = items;
  if (String(first) !== names.instancePath.str || (items.length > 1 && plus !== "+"))
    throw new Error(`Ajv writes the pointer of an error in an unknown way: ${pointer}`);
  return rest.length === 0 ? '""' : printItems(rest);
}

function printItems(items: readonly (Items[number] | Expression)[]): string {
  return items.reduce<string>((text, item) => `${text}${item}`, "");
}

/** Prints a condition; Ajv's checks of numbers become shorter ones that say the same of every JSON value. */
function printCondition(condition: Expression): string {
  if (!(condition instanceof ajvInternals().code._Code)) return String(condition);
  return printItems(shortenNumberChecks(withoutNanCheck(condition._items)));
}

/** Returns the items of a comparison with a number without the question whether the value is NaN: no JSON value is. */
function withoutNanCheck(items: Items): Items {
  const [limit, text, name] = items.slice(-4);
  const asks = text === " || isNaN(" && typeof limit === "number" && String(name).startsWith("data");
  return asks ? items.slice(0, -3) : items;
}

type Items = _Code["_items"];

/** A sequence of items that Ajv writes, and what is printed instead; `hole` stands for the name of the value. */
interface Replacement {
  readonly items: Items;
  readonly before: string;
  readonly after: string;
}

let replacements: { readonly hole: Name; readonly rows: readonly Replacement[] } | undefined;

/** Asks Ajv how it checks numbers, so that its checks are found wherever it writes them. */
function numberChecks(): NonNullable<typeof replacements> {
  const { codegen, dataType } = ajvInternals();
  const hole = new codegen.Name("data");
  const { Wrong, Correct } = dataType.DataType;
  const check = (type: "integer" | "number", correct: typeof Wrong | typeof Correct): Items =>
    (dataType.checkDataType(type, hole, true, correct) as _Code)._items;
  return {
    hole,
    rows: [
      { items: check("integer", Wrong), before: "!Number.isInteger(", after: ")" },
      { items: check("number", Correct), before: "Number.isFinite(", after: ")" },
    ],
  };
}

function shortenNumberChecks(items: Items): Items {
  if (!items.includes(' == "number"')) return items;
  replacements ??= numberChecks();
  const { hole, rows } = replacements;
  const short: Items[number][] = [];
  for (let i = 0; i < items.length; i++) {
    const row = rows.find((each) => startsWith(items, i, each.items, hole));
    if (row === undefined) short.push(items[i] as Items[number]);
    else {
      short.push(row.before, items[i + row.items.indexOf(hole)] as Name, row.after);
      i += row.items.length - 1;
    }
  }
  return short;
}

/** Whether `items` from `start` are `pattern` with one name of a value in place of `hole`. */
function startsWith(items: Items, start: number, pattern: Items, hole: Name): boolean {
  const name = items[start + pattern.indexOf(hole)];
  return (
    String(name).startsWith("data") &&
    pattern.every((item, i) => items[start + i] === (item === hole ? name : item))
  );
}

/** Whether an error that `statements` report holds the name of a property. */
export function namesProperties(statements: readonly Statement[]): boolean {
  return statements.some(
    (statement) =>
      (statement.kind === "fail" && statement.fields?.name !== undefined) ||
      ("body" in statement && namesProperties(statement.body)) ||
      (statement.kind === "if" && statement.otherwise && namesProperties([statement.otherwise])),
  );
}

/** Adds how often each name is read in `statements` to `counts`, `times` times. */
export function countNames(
  statements: readonly Statement[],
  counts: Map<string, number>,
  times: number,
): void {
  for (const statement of statements) countIn(statement, counts, times);
}

function countIn(statement: Statement, counts: Map<string, number>, times: number): void {
  switch (statement.kind) {
    case "if":
      countExpression(statement.condition, counts, times);
      if (statement.otherwise) countIn(statement.otherwise, counts, times);
      break;
    case "for":
      countExpression(statement.header, counts, times);
      break;
    case "assign":
      // To write a variable is not to read it.
      if ("_items" in statement.target) countExpression(statement.target, counts, times);
      countExpression(statement.value, counts, times);
      break;
    case "define":
    case "return":
      countExpression(statement.value, counts, times);
      break;
    case "code":
      countExpression(statement.code, counts, times);
      break;
    case "fail":
      if (statement.fields === undefined) break;
      countExpression(statement.fields.pointer, counts, times);
      countExpression(statement.fields.message, counts, times);
      countExpression(statement.fields.name, counts, times);
  }
  if ("body" in statement) countNames(statement.body, counts, times);
}

// Counting visits every piece of code of every validator: it makes no functions, and tells expressions by their fields.
function countExpression(
  expression: Expression | undefined,
  counts: Map<string, number>,
  times: number,
): void {
  if (typeof expression !== "object" || expression === null) return;
  if ("_items" in expression) {
    for (const item of expression._items)
      if (typeof item === "object" && item !== null) countName(item as Name, counts, times);
  } else countName(expression, counts, times);
}

function countName({ str }: Name, counts: Map<string, number>, times: number): void {
  counts.set(str, (counts.get(str) ?? 0) + times);
}
