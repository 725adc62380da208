/**
 * Represents the code of a validator as a tree of statements, and prints it. The keywords of Ajv write the tree through a
 * `TreeBuilder`, and `removeUnusedCode` shortens it.
 */
import { getItem } from "../get-item.js";
import { type _Code, loadAjvInternals, type Name } from "./ajv-package.js";

/** An expression of Ajv: a name, a literal, or a list of names and pieces of text. */
export type Expression = _Code | Name | number | boolean | null;

/** Statements between braces. `kind` tells a plain block from the statements that have a block of their own. */
export interface Block {
  readonly kind: "block";
  body: Statement[];
}

/** An `if` statement. */
export interface Condition {
  readonly kind: "if";
  condition: Expression;
  body: Statement[];
  otherwise: Condition | Block | undefined;
}

/** A `for` statement. */
export interface Loop {
  readonly kind: "for";
  /** The text between the parentheses. */
  header: _Code;
  body: Statement[];
}

/** The declaration of a function. */
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
  /** True if the value must be computed even if no code reads the target. */
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
  /** False if nothing reads the number of errors. */
  readonly counts: boolean;
}

interface Return {
  readonly kind: "return";
  value: Expression;
}

/** Reports an error. An error that is never shown, such as one under `if`, is only counted and has no fields. */
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

/** Code that was printed before, for the same schema in another place. No other code uses its variables. */
interface PrintedCode {
  readonly kind: "printed";
  readonly pieces: readonly Piece[];
  /** The variable that holds the object around the value. */
  readonly data: Name;
  /** The number of times that the code reads this variable. */
  readonly dataReads: number;
  readonly hasPropertyNames: boolean;
}

/** A statement of the code of a validator. */
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
  | Failure
  | PrintedCode;

/** The options of `printStatements`. */
export interface PrintOptions {
  /** True if the function is called with a value only. Then it has no other parameters, and pointers begin at the root of the value. */
  readonly standsAlone: boolean;
  /** True if some error holds the name of a property. */
  readonly hasPropertyNames: boolean;
}

/** A piece of printed code: text, a name, or the pointer of the value that a function validates. */
export type Piece = _Code["_items"][number] | typeof ROOT | typeof ROOT_PREFIX;

/** The pointer of the value that a function validates, as a whole pointer. */
const ROOT = { pointer: "whole" } as const;
/** The pointer of the value that a function validates, as the first part of a longer pointer. */
export const ROOT_PREFIX = { pointer: "part" } as const;

/** Returns the JavaScript of `statements`, without line breaks. */
export function printStatements(statements: readonly Statement[], options: PrintOptions): string {
  const pieces: Piece[] = [];
  printAll(statements, pieces, options);
  let text = "";
  for (const piece of pieces)
    if (piece === ROOT) text += options.standsAlone ? '""' : "instancePath";
    else if (piece === ROOT_PREFIX) text += options.standsAlone ? "" : "instancePath+";
    else text += piece;
  return text;
}

/** Returns the pieces of `statements`, which contain no function. */
export function printPieces(statements: readonly Statement[]): Piece[] {
  const pieces: Piece[] = [];
  printAll(statements, pieces, { standsAlone: false, hasPropertyNames: false });
  return pieces.filter((piece) => piece !== "");
}

function printAll(statements: readonly Statement[], pieces: Piece[], options: PrintOptions): void {
  for (const statement of statements) printStatement(statement, pieces, options);
}

function printStatement(statement: Statement, pieces: Piece[], options: PrintOptions): void {
  switch (statement.kind) {
    case "block":
      printBlock(statement.body, pieces, options);
      return;
    case "if":
      pieces.push("if(");
      printCondition(statement.condition, pieces);
      pieces.push(")");
      printBlock(statement.body, pieces, options);
      if (statement.otherwise === undefined) return;
      pieces.push("else ");
      printStatement(statement.otherwise, pieces, options);
      return;
    case "for":
      pieces.push("for(", ...statement.header._items, ")");
      printBlock(statement.body, pieces, options);
      return;
    case "function":
      pieces.push("function ", statement.name, "(");
      printExpression(options.standsAlone ? loadAjvInternals().names.data : statement.parameters, pieces);
      pieces.push(")");
      printBlock(statement.body, pieces, options);
      return;
    case "define":
      pieces.push(`${statement.keyword} `, statement.name);
      if (statement.value !== undefined) pieces.push(" = ");
      if (statement.value !== undefined) printExpression(statement.value, pieces);
      pieces.push(";");
      return;
    case "assign":
      printExpression(statement.target, pieces);
      pieces.push(` ${statement.operator} `);
      printExpression(statement.value, pieces);
      pieces.push(";");
      return;
    case "code":
      printExpression(statement.code, pieces);
      pieces.push(statement.end);
      return;
    case "define fail": {
      const fields = `pointer, keyword, message${options.hasPropertyNames ? ", name" : ""}`;
      pieces.push(
        `const fail = (${fields}) => {(vErrors ??= []).push({${fields}});${statement.counts ? "errors++;" : ""}};`,
      );
      return;
    }
    case "return":
      pieces.push("return ");
      printExpression(statement.value, pieces);
      pieces.push(";");
      return;
    case "fail":
      printFailure(statement, pieces);
      return;
    case "printed":
      for (const piece of statement.pieces) pieces.push(piece);
  }
}

function printBlock(body: readonly Statement[], pieces: Piece[], options: PrintOptions): void {
  pieces.push("{");
  printAll(body, pieces, options);
  pieces.push("}");
}

function printExpression(expression: Expression, pieces: Piece[]): void {
  if (typeof expression === "object" && expression !== null && "_items" in expression)
    for (const item of expression._items) pieces.push(item);
  else pieces.push(expression);
}

function printFailure({ fields }: Failure, pieces: Piece[]): void {
  pieces.push("fail(");
  if (fields !== undefined) {
    printPointer(fields.pointer, pieces);
    pieces.push(`,${JSON.stringify(fields.keyword)},`);
    printExpression(fields.message, pieces);
    if (fields.name !== undefined) pieces.push(",", fields.name);
  }
  pieces.push(");");
}

/** Prints a pointer, which begins with the pointer of the value that the function validates. */
function printPointer(pointer: Expression, pieces: Piece[]): void {
  const { code, names } = loadAjvInternals();
  const [first, plus, ...rest] = pointer instanceof code._Code ? pointer._items : [pointer];
  const expectedPlus = rest.length > 0 ? "+" : undefined;
  if (first !== names.instancePath || plus !== expectedPlus)
    throw new Error(`Ajv writes the pointer of an error in an unknown way: ${pointer}`);
  pieces.push(rest.length === 0 ? ROOT : ROOT_PREFIX, ...rest);
}

/** Prints a condition. Ajv's checks of numbers become shorter ones with the same result for every JSON value. */
function printCondition(condition: Expression, pieces: Piece[]): void {
  if (typeof condition !== "object" || condition === null || !("_items" in condition)) pieces.push(condition);
  else for (const item of shortenNumberChecks(dropNanCheck(condition._items))) pieces.push(item);
}

/** Drops the check for NaN from a comparison with a number, because NaN is not a JSON value. */
function dropNanCheck(items: Items): Items {
  // Such a comparison ends with `limit || isNaN(name)`, in four items.
  const [limit, text, name] = items.slice(-4);
  const checksNan = text === " || isNaN(" && typeof limit === "number" && String(name).startsWith("data");
  return checksNan ? items.slice(0, -3) : items;
}

type Items = _Code["_items"];

/** A sequence of items that Ajv writes, and the texts that are printed instead. */
interface Replacement {
  /** The items. `placeholder` stands for the name of the value. */
  readonly items: Items;
  /** The text before the name. */
  readonly before: string;
  /** The text after the name. */
  readonly after: string;
}

let replacements: { readonly placeholder: Name; readonly rows: readonly Replacement[] } | undefined;

/** Creates the replacements from the code that Ajv writes for its checks of numbers. */
function createReplacements(): NonNullable<typeof replacements> {
  const { codegen, dataType } = loadAjvInternals();
  const placeholder = new codegen.Name("data");
  const { Wrong, Correct } = dataType.DataType;
  const check = (type: "integer" | "number", correct: typeof Wrong | typeof Correct): Items =>
    (dataType.checkDataType(type, placeholder, true, correct) as _Code)._items;
  return {
    placeholder,
    rows: [
      { items: check("integer", Wrong), before: "!Number.isInteger(", after: ")" },
      { items: check("number", Correct), before: "Number.isFinite(", after: ")" },
    ],
  };
}

function shortenNumberChecks(items: Items): Items {
  if (!items.includes(' == "number"')) return items;
  replacements ??= createReplacements();
  const { placeholder, rows } = replacements;
  const result: Items[number][] = [];
  for (let i = 0; i < items.length; i++) {
    const row = rows.find((each) => startsWith(items, i, each.items, placeholder));
    if (row === undefined) result.push(getItem(items, i));
    else {
      result.push(row.before, getItem(items, i + row.items.indexOf(placeholder)), row.after);
      i += row.items.length - 1;
    }
  }
  return result;
}

/** Returns whether `items` from `start` are `pattern` with one name of a value in place of `placeholder`. */
function startsWith(items: Items, start: number, pattern: Items, placeholder: Name): boolean {
  const name = items[start + pattern.indexOf(placeholder)];
  return (
    String(name).startsWith("data") &&
    pattern.every((item, i) => items[start + i] === (item === placeholder ? name : item))
  );
}

/** Returns whether an error that `statements` report holds the name of a property. */
export function hasPropertyNames(statements: readonly Statement[]): boolean {
  return statements.some(
    (statement) =>
      (statement.kind === "fail" && statement.fields?.name !== undefined) ||
      (statement.kind === "printed" && statement.hasPropertyNames) ||
      ("body" in statement && hasPropertyNames(statement.body)) ||
      (statement.kind === "if" && statement.otherwise && hasPropertyNames([statement.otherwise])),
  );
}

/** Adds how often each name is read in `statements` to `counts`, `times` times. */
export function countNames(
  statements: readonly Statement[],
  counts: Map<string, number>,
  times: number,
): void {
  for (const statement of statements) countNamesInStatement(statement, counts, times);
}

function countNamesInStatement(statement: Statement, counts: Map<string, number>, times: number): void {
  switch (statement.kind) {
    case "if":
      countExpression(statement.condition, counts, times);
      if (statement.otherwise) countNamesInStatement(statement.otherwise, counts, times);
      break;
    case "for":
      countExpression(statement.header, counts, times);
      break;
    case "assign":
      // Writing a variable does not read it.
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
    case "printed":
      counts.set(statement.data.str, (counts.get(statement.data.str) ?? 0) + times * statement.dataReads);
      break;
    case "fail":
      if (statement.fields === undefined) break;
      countExpression(statement.fields.pointer, counts, times);
      countExpression(statement.fields.message, counts, times);
      countExpression(statement.fields.name, counts, times);
  }
  if ("body" in statement) countNames(statement.body, counts, times);
}

// Counting visits every piece of code of every validator. To be fast, it creates no functions, and it distinguishes
// expressions by their fields instead of their classes.
function countExpression(
  expression: Expression | undefined,
  counts: Map<string, number>,
  times: number,
): void {
  if (typeof expression !== "object" || expression === null) return;
  if ("_items" in expression) {
    for (const item of expression._items)
      if (typeof item === "object" && item !== null) countName(item, counts, times);
  } else countName(expression, counts, times);
}

function countName({ str }: Name, counts: Map<string, number>, times: number): void {
  counts.set(str, (counts.get(str) ?? 0) + times);
}
