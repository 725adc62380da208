/** Compiles the values and conditions of machines to SQL. */
import type { Condition, Value } from "../../conform/machine/language.js";
import { tagNumber } from "./dialects.js";
import type { FoldingContext } from "./event-views.js";
import type { SimpleMachine } from "./machine-parts.js";

/** A value as a tagged text or as a number. */
export interface Expression {
  readonly text?: string;
  readonly number?: string;
}

export function getText({ text, number = "" }: Expression): string {
  return text ?? `(${tagNumber(number)})`;
}

export function getNumber({ text = "", number }: Expression): string {
  return number ?? `TRY_CAST(${text} AS DOUBLE)`;
}

/** Returns the text of a tagged value; null if it is no text. */
export const getString = (value: Expression): string =>
  `CASE WHEN left(${getText(value)}, 1) = 's' THEN substr(${getText(value)}, 2) END`;

/** Returns the id of a tagged value; null if it is neither a text nor a number. */
export const getId = (value: Expression): string =>
  `CASE left(${getText(value)}, 1) WHEN 's' THEN substr(${getText(value)}, 2) WHEN 'j' THEN NULL ELSE ${getText(value)} END`;

/** Returns the number of UTF-16 units of a text. */
export const countUnits = (text: string, { machines, quoteText }: FoldingContext["dialect"]): string =>
  `(length(${text}) + length(${machines.replaceAll(text, quoteText("[^\\x{10000}-\\x{10FFFF}]"), "''")}))`;

export const holds = (condition: string): string => `coalesce(${condition}, FALSE)`;

export function joinConditions(conditions: readonly string[], word: "AND" | "OR"): string {
  const [neutral, absorbing] = word === "AND" ? ["TRUE", "FALSE"] : ["FALSE", "TRUE"];
  const parts = [...new Set(conditions)].filter((each) => each !== neutral);
  if (parts.includes(absorbing as string)) return absorbing as string;
  return parts.length > 1 ? `(${parts.join(` ${word} `)})` : (parts[0] ?? (neutral as string));
}

export const negate = (condition: string): string =>
  condition === "TRUE" ? "FALSE" : condition === "FALSE" ? "TRUE" : `NOT ${condition}`;

export const choose = (condition: string, value: string, other: string): string =>
  condition === "TRUE" || value === other
    ? value
    : condition === "FALSE"
      ? other
      : `CASE WHEN ${condition} THEN ${value} ELSE ${other} END`;

/** Reads the values that expressions refer to. What is absent is not supported at its place. */
export interface Scope {
  readonly context: FoldingContext;
  readonly relations: SimpleMachine["relations"];
  /** Returns the expression of a value or condition that depends on the event only; undefined if it has to be compiled. */
  readEvent?(node: Value | Condition): Expression | undefined;
  readValue(value: Value): Expression;
  /** Returns the path of a field of the event; undefined for other values. */
  findPath?(value: Value): readonly string[] | undefined;
  readCondition(condition: Condition): string;
}

export function compileValue(value: Value, scope: Scope): Expression {
  const { quoteText, machines } = scope.context.dialect;
  const read = (each: Value): Expression => compileValue(each, scope);
  if (value.op === "constant") {
    const { value: constant } = value;
    if (typeof constant === "number") {
      const number = constant.toExponential();
      return Number.isSafeInteger(constant) ? { text: `'${constant}'`, number } : { number };
    }
    return {
      text: quoteText(typeof constant === "string" ? `s${constant}` : `j${JSON.stringify(constant)}`),
    };
  }
  const known = scope.readEvent?.(value);
  if (known) return known;
  const combine = (of: readonly Value[], operator: string): Expression => ({
    number: `(${of.map((each) => getNumber(read(each))).join(` ${operator} `)})`,
  });
  switch (value.op) {
    case "first":
      return value.of.length === 0
        ? { text: "CAST(NULL AS STRING)" }
        : { text: `coalesce(${value.of.map((each) => getText(read(each))).join(", ")})` };
    case "add":
      return combine(value.of, "+");
    case "multiply":
      return combine(value.of, "*");
    case "subtract":
      return combine(value.of, "-");
    case "divide": {
      const [amount, by] = value.of.map((each) => getNumber(read(each)));
      return { number: `CASE WHEN ${by} <> 0 THEN ${amount} / ${by} END` };
    }
    case "minimum": {
      const [a, b] = value.of.map((each) => getNumber(read(each)));
      return { number: `CASE WHEN ${a} <= ${b} THEN ${a} WHEN ${b} < ${a} THEN ${b} END` };
    }
    case "bytes":
      return { number: `CAST(${machines.countBytes(getString(read(value.of)))} AS DOUBLE)` };
    case "units":
      return { number: `CAST(${countUnits(getString(read(value.of)), scope.context.dialect)} AS DOUBLE)` };
    case "join":
      return { text: `('s' || ${value.of.map((each) => getString(read(each))).join(" || ")})` };
    default:
      return scope.readValue(value);
  }
}

export function compileCondition(condition: Condition, scope: Scope): string {
  const { quoteText, machines } = scope.context.dialect;
  const known = scope.readEvent?.(condition);
  if (known) return holds(`${known.text} = 'true'`);
  const read = (value: Value): Expression => compileValue(value, scope);
  const test = (each: Condition): string => compileCondition(each, scope);
  switch (condition.op) {
    case "not":
      return negate(test(condition.of));
    case "all":
      return joinConditions(condition.of.map(test), "AND");
    case "any":
      return joinConditions(condition.of.map(test), "OR");
    case "equal":
    case "differ": {
      const [a, b] = condition.of.map(read) as [Expression, Expression];
      const sort = (each: Expression): string =>
        condition.asSets ? machines.sortItems(getText(each)) : getText(each);
      const isNumeric = a.number !== undefined || b.number !== undefined;
      const [one, other] = isNumeric ? [getNumber(a), getNumber(b)] : [sort(a), sort(b)];
      if (condition.op === "equal") return holds(`${one} = ${other}`);
      if (!isNumeric) return holds(`${one} <> ${other}`);
      const present = [a, b].map((each) => `${each.number ?? each.text} IS NOT NULL`);
      return joinConditions([...present, `NOT ${holds(`${one} = ${other}`)}`], "AND");
    }
    case "less":
    case "atMost": {
      const [a, b] = condition.of.map((each) => getNumber(read(each)));
      return holds(`${a} ${condition.op === "less" ? "<" : "<="} ${b}`);
    }
    case "present": {
      const { text, number } = read(condition.of);
      return `${text ?? number} IS NOT NULL`;
    }
    case "is": {
      const value = read(condition.of);
      if (condition.type === "text" || condition.type === "list")
        return holds(
          condition.type === "text"
            ? `left(${getText(value)}, 1) = 's'`
            : `left(${getText(value)}, 2) = 'j['`,
        );
      const number = getNumber(value);
      if (condition.type === "number") return `${number} IS NOT NULL`;
      const isInteger = `${number} = floor(${number})`;
      return holds(
        condition.type === "integer"
          ? isInteger
          : `(${isInteger} AND abs(${number}) <= ${Number.MAX_SAFE_INTEGER})`,
      );
    }
    case "in": {
      const values = condition.values.map((each) =>
        getText(compileValue({ op: "constant", value: each }, scope)),
      );
      const { text } = read(condition.of);
      if (text !== undefined && /^'s[^']*'$/.test(text)) return values.includes(text) ? "TRUE" : "FALSE";
      return values.length === 0
        ? "FALSE"
        : holds(`${getText(read(condition.of))} IN (${values.join(", ")})`);
    }
    case "matches":
      return holds(machines.matches(getString(read(condition.of)), quoteText(condition.pattern)));
    case "related":
      return compileRelation(condition, scope);
    case "lists":
      return holds(compileListTest(condition, getText(read(condition.of)), quoteText));
    case "hasReplacement":
      return holds(`contains(${getString(read(condition.of))}, ${quoteText("\ufffd")})`);
    default:
      return scope.readCondition(condition);
  }
}

/** Returns the condition that a text holds a list with one of some texts. */
function compileListTest(
  { values }: Extract<Condition, { op: "lists" }>,
  list: string,
  quoteText: FoldingContext["dialect"]["quoteText"],
): string {
  const items = values.map((each) => `contains(${list}, ${quoteText(JSON.stringify(each))})`);
  return `(left(${list}, 2) = 'j[' AND (${items.join(" OR ")}))`;
}

/** Returns the condition that a relation has the second text for the first one. */
function compileRelation(
  { relation, of: [from, to] }: Extract<Condition, { op: "related" }>,
  scope: Scope,
): string {
  const { quoteText } = scope.context.dialect;
  const cases = Object.entries(scope.relations[relation] ?? {}).map(
    ([name, others]) =>
      `WHEN ${quoteText(`s${name}`)} THEN ${compileCondition({ op: "in", of: to, values: others }, scope)}`,
  );
  return cases.length === 0
    ? "FALSE"
    : `CASE ${getText(compileValue(from, scope))} ${cases.join(" ")} ELSE FALSE END`;
}
