/** The ways to statements of machines: the conditions and loops around them. */
import type { Condition, Machine, Statement, Value } from "./language.js";
import { getTable } from "./walk.js";

/** A condition, and the result that leads to a statement. It has no parts that must all have their results. */
export interface Guard {
  readonly condition: Condition;
  readonly wanted: boolean;
}

/** A statement that gives a row or an item its name while the statements in it run. */
export type Scope = Extract<Statement, { op: "find" | "rows" | "each" | "uncovered" }>;

/** A part of the way to a statement. */
export type PathPart = Guard | Scope;

/** Returns whether a part of a way is not a guard. */
export function isScope(part: PathPart): part is Scope {
  return "op" in part;
}

/** A statement, and the way to it. The outermost part comes first. */
interface StatementPath {
  readonly statement: Statement;
  readonly path: readonly PathPart[];
}

/** Splits a condition into guards that all have their results if the condition has the wanted one. */
export function listGuards(condition: Condition, wanted: boolean): Guard[] {
  if (condition.op === "not") return listGuards(condition.of, !wanted);
  if (condition.op !== (wanted ? "all" : "any")) return [{ condition, wanted }];
  return condition.of.flatMap((part) => listGuards(part, wanted));
}

/** Returns the wanted statements of a body. */
export function listPaths(
  body: readonly Statement[],
  isWanted: (statement: Statement) => boolean,
  path: readonly PathPart[] = [],
): StatementPath[] {
  return body.flatMap((statement): StatementPath[] => {
    const own = isWanted(statement) ? [{ statement, path }] : [];
    if (statement.op === "if")
      return [
        ...own,
        ...listPaths(statement.do, isWanted, [...path, ...listGuards(statement.when, true)]),
        ...listPaths(statement.else ?? [], isWanted, [...path, ...listGuards(statement.when, false)]),
      ];
    if (!("do" in statement)) return own;
    return [...own, ...listPaths(statement.do, isWanted, [...path, statement])];
  });
}

/** Returns tables without whose rows the statements do nothing, so that they can be skipped while one of these is empty. */
export function findNeededTables(machine: Machine, body: readonly Statement[]): readonly string[] {
  const hasEffect = (statement: Statement): boolean => !("do" in statement) && statement.op !== "stop";
  const [first = [], ...others] = listPaths(body, hasEffect).map(({ statement, path }) => [
    ...path.flatMap((part) => (isScope(part) ? listScopeTables(part) : listGuardTables(part, machine))),
    ...listChangedTables(statement, machine),
  ]);
  return first.filter((table) => others.every((tables) => tables.includes(table)));
}

function listScopeTables(scope: Scope): string[] {
  return scope.op === "rows" ? [scope.table] : [];
}

/** Returns the tables of the rows that a statement changes but does not create. */
function listChangedTables(statement: Statement, machine: Machine): string[] {
  if (statement.op === "clear") return [statement.table];
  const changesRow = statement.op === "append" || statement.op === "cover" || statement.op === "drop";
  return changesRow ? [getTable(machine, statement.row)] : [];
}

/** Returns tables without whose rows a guard fails. */
function listGuardTables({ condition, wanted }: Guard, machine: Machine): string[] {
  if (!wanted) return [];
  const listTable = (value: Value): string[] => (value.op === "cell" ? [getTable(machine, value.row)] : []);
  switch (condition.op) {
    case "equal":
    case "differ":
    case "less":
    case "atMost":
      return condition.of.flatMap(listTable);
    case "present":
    case "is":
      return listTable(condition.of);
    case "exists":
    case "current":
      return [getTable(machine, condition.row)];
    default:
      return [];
  }
}
