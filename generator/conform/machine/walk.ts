/** Visits and rewrites the nodes of machines. */
import { memoizeByObject } from "../../sample/memoize.js";
import type { Clause, Condition, Machine, Statement, Value } from "./language.js";

/** A part of a machine that has an operation. */
type Node = Statement | Value | Condition;

/** Returns whether every event of a type runs a clause. */
export function runsAt(on: Clause["on"], type: string): boolean {
  return typeof on === "string" ? on === "every" : on.includes(type);
}

/** Returns whether a clause names a type. */
export function isAbout({ on }: Clause, type: string): boolean {
  return typeof on !== "string" && on.includes(type);
}

/** Returns the nodes of a part of a machine, an outer one before those in it. */
export function listNodes(part: unknown): Node[] {
  const nodes: Node[] = [];
  const visit = (each: unknown): void => {
    if (typeof each !== "object" || each === null) return;
    const isNode = "op" in each && typeof each.op === "string";
    if (isNode) nodes.push(each as Node);
    // Constants are data, whatever they contain.
    for (const [name, inner] of Object.entries(each))
      if (!isNode || (name !== "value" && name !== "values")) visit(inner);
  };
  visit(part);
  return nodes;
}

/** Returns the nodes with these operations. */
export function selectNodes<Op extends Node["op"]>(
  part: unknown,
  ...operations: readonly Op[]
): Extract<Node, { op: Op }>[] {
  return listNodes(part).filter(({ op }) => operations.includes(op as Op)) as Extract<Node, { op: Op }>[];
}

/** A condition that has no conditions as parts. */
type Leaf = Exclude<Condition, { op: "not" | "all" | "any" }>;

/** Returns the conditions in a condition that have no conditions as parts. */
export function listLeaves(condition: Condition): readonly Leaf[] {
  const isLeaf = condition.op !== "not" && condition.op !== "all" && condition.op !== "any";
  return isLeaf ? [condition] : [condition.of].flat().flatMap(listLeaves);
}

/** Returns the statements of clauses, or of those that events of a type run, an outer one before those in it. */
export function listStatements(clauses: readonly Clause[], type?: string): Statement[] {
  return clauses.flatMap(({ on, do: body }) => (type === undefined || runsAt(on, type) ? listAll(body) : []));
}

function listAll(body: readonly Statement[]): Statement[] {
  return body.flatMap((statement) => [
    statement,
    ...("do" in statement ? listAll(statement.do) : []),
    ...(statement.op === "if" && statement.else ? listAll(statement.else) : []),
  ]);
}

/** Returns the statements of clauses that report findings, in their order. */
export function listReports(clauses: readonly Clause[]): Extract<Statement, { op: "report" }>[] {
  return listStatements(clauses).filter((each) => each.op === "report");
}

/** Returns the ids of the findings that a machine may report. */
export function listFindings({ clauses }: Machine): ReadonlySet<string> {
  return new Set(listReports(clauses).map(({ finding }) => finding));
}

/**
 * Rewrites a body from the inside. `map` returns what replaces a statement, and gets it with the statements in it rewritten.
 */
export function mapStatements(
  body: readonly Statement[],
  map: (statement: Statement) => readonly Statement[],
): Statement[] {
  return body.flatMap((statement): readonly Statement[] => {
    if (!("do" in statement)) return map(statement);
    const { else: otherwise = [], ...others } = statement as Extract<Statement, { op: "if" }>;
    const rewritten = mapStatements(otherwise, map);
    return map({
      ...others,
      do: mapStatements(statement.do, map),
      ...(rewritten.length > 0 && { else: rewritten }),
    });
  });
}

/** Returns whether a statement holds others, but none is left. */
export function isEmpty(statement: Statement): boolean {
  return "do" in statement && statement.do.length === 0 && !("else" in statement);
}

/** Returns the table of each row that has a name. The rows of different tables have different names. */
const findRowTables = memoizeByObject(({ clauses }: Machine): ReadonlyMap<string, string> => {
  const tables = new Map<string, string>();
  for (const { row, table } of selectNodes(clauses, "find", "rows", "keys")) {
    if ((tables.get(row) ?? table) !== table) throw new Error(`Rows of two tables have the name ${row}.`);
    tables.set(row, table);
  }
  return tables;
});

/** Returns the table of a row that has a name. */
export function getTable(machine: Machine, row: string): string {
  return findRowTables(machine).get(row) ?? "";
}

/** Returns the name of a cell that no other cell of the machine has. */
export function nameCell(machine: Machine, row: string, cell: string): string {
  return `${getTable(machine, row)}\n${cell}`;
}

/** Returns the table whose rows a statement changes itself; undefined if it changes none. */
export function findChangedTable(machine: Machine, statement: Statement): string | undefined {
  if (statement.op === "clear") return statement.table;
  if ("do" in statement || !("row" in statement)) return undefined;
  return getTable(machine, statement.row);
}
