/**
 * Removes unused code from the tree of a validator: conditions that are always or never true, empty blocks, and
 * variables that are never read. Ajv's optimizer does the same, but counts the names of a block again for each block
 * around it. This module counts once, so its time is linear in the size of the code.
 */
import { type _Code, loadAjvInternals } from "./ajv-package.js";
import { type Block, type Condition, countNames, type Expression, type Statement } from "./code-tree.js";

/** Values that may replace a variable that is read once, by the name of the variable. */
type Constants = ReadonlyMap<string, Expression>;

/**
 * Shortens `statements` in place; `readElsewhere` names variables that other code reads. Returns how often each name is
 * still read.
 */
export function removeUnusedCode(
  statements: Statement[],
  constants: Constants,
  readElsewhere: readonly string[] = [],
): ReadonlyMap<string, number> {
  replaceContent(statements, resolveConditions(statements));
  const reads = new Map(readElsewhere.map((name) => [name, 1]));
  countNames(statements, reads, 1);
  removeUnread(statements, reads, constants);
  return reads;
}

function replaceContent<T>(list: T[], content: readonly T[]): void {
  list.splice(0, list.length, ...content);
}

/** Returns `statements` without conditions whose result is known, and without empty blocks and statements. */
function resolveConditions(statements: readonly Statement[]): Statement[] {
  return statements.flatMap((statement): readonly Statement[] => {
    switch (statement.kind) {
      case "if":
        return [resolveCondition(statement)].flat();
      case "for":
      case "block":
      case "function":
        statement.body = resolveConditions(statement.body);
        return statement.body.length > 0 ? [statement] : [];
      case "code":
        return String(statement.code) === "" ? [] : [statement];
      default:
        return [statement];
    }
  });
}

/** Returns the statements that replace a condition, or the condition itself. */
function resolveCondition(statement: Condition): Condition | readonly Statement[] {
  const { condition } = statement;
  const body = resolveConditions(statement.body);
  if (condition === true) return body;
  const otherwise = statement.otherwise && resolveOtherwise(statement.otherwise);
  if (condition === false) return otherwise?.kind === "block" ? otherwise.body : (otherwise ?? []);
  if (body.length > 0) return Object.assign(statement, { body, otherwise });
  if (otherwise === undefined) return [];
  const negated = loadAjvInternals().codegen.not(condition);
  const instead = otherwise.kind === "block" ? otherwise.body : [otherwise];
  return { kind: "if", condition: negated, body: instead, otherwise: undefined };
}

function resolveOtherwise(otherwise: Condition | Block): Condition | Block | undefined {
  const resolved = otherwise.kind === "if" ? resolveCondition(otherwise) : resolveConditions(otherwise.body);
  if ("kind" in resolved) return resolved;
  return resolved.length > 0 ? { kind: "block", body: [...resolved] } : undefined;
}

/** Removes variables that are never read, and statements that become empty. Returns whether any statement remains. */
function removeUnread(statements: Statement[], reads: Map<string, number>, constants: Constants): boolean {
  const needed: Statement[] = [];
  // From the end, because a removed statement may have been the only one to read an earlier variable.
  for (const statement of statements.toReversed())
    if (isNeeded(statement, reads, constants)) needed.push(statement);
    else countNames([statement], reads, -1);
  if (needed.length < statements.length) replaceContent(statements, needed.reverse());
  return needed.length > 0;
}

/** Returns whether `statement`, after its own parts were shortened, is needed. */
function isNeeded(statement: Statement, reads: Map<string, number>, constants: Constants): boolean {
  switch (statement.kind) {
    case "define":
      if (!reads.get(statement.name.str)) return false;
      if (statement.value !== undefined) statement.value = inlineConstants(statement.value, reads, constants);
      return true;
    case "assign": {
      const { target, sideEffects } = statement;
      if (!("_items" in target) && !reads.get(target.str) && !sideEffects) return false;
      statement.value = inlineConstants(statement.value, reads, constants);
      return true;
    }
    case "code":
      statement.code = inlineConstants(statement.code, reads, constants);
      return true;
    case "return":
      statement.value = inlineConstants(statement.value, reads, constants);
      return true;
    case "fail":
    case "define fail":
    case "printed":
      return true;
    case "if": {
      const { otherwise } = statement;
      if (otherwise && !isNeeded(otherwise, reads, constants)) statement.otherwise = undefined;
      if (!removeUnread(statement.body, reads, constants) && !statement.otherwise) return false;
      statement.condition = inlineConstants(statement.condition, reads, constants);
      return true;
    }
    case "for":
      if (!removeUnread(statement.body, reads, constants)) return false;
      statement.header = inlineConstants(statement.header, reads, constants) as _Code;
      return true;
    case "block":
    case "function":
      return removeUnread(statement.body, reads, constants);
  }
}

/** Replaces each variable in `expression` that is read nowhere else by its value. */
function inlineConstants(
  expression: Expression,
  reads: Map<string, number>,
  constants: Constants,
): Expression {
  if (typeof expression !== "object" || expression === null) return expression;
  if (!("_items" in expression)) {
    const value = findConstant(expression, reads, constants);
    if (value === undefined) return expression;
    reads.delete(expression.str);
    return value;
  }
  const { _items: items } = expression;
  if (!items.some((item) => findConstant(item, reads, constants) !== undefined)) return expression;
  const inlined = items.flatMap((item) => {
    const value = findConstant(item, reads, constants);
    if (value === undefined) return [item];
    reads.delete(String(item));
    return typeof value === "object" && value !== null && "_items" in value ? value._items : [value];
  });
  return new (loadAjvInternals().code._Code)(inlined);
}

function findConstant(
  item: _Code["_items"][number],
  reads: ReadonlyMap<string, number>,
  constants: Constants,
): Expression | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { str } = item;
  return reads.get(str) === 1 ? constants.get(str) : undefined;
}
