/** The parts of machines that queries need: statements without messages, each with the conditions and the loop around it. */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { Clause, Condition, Statement, Table, Value } from "../../conform/machine/language.js";
import { readsRow } from "../../conform/machine/operations.js";
import { isEmpty, listNodes, mapStatements, selectNodes } from "../../conform/machine/walk.js";

/** Thrown if a machine has no query. */
export class UnsupportedMachine extends Error {}

export function refuse(reason: string): never {
  throw new UnsupportedMachine(reason);
}

export interface NamedTable extends Table {
  readonly name: string;
}

export interface SimpleMachine {
  readonly tables: readonly NamedTable[];
  readonly relations: NonNullable<PlannedMachine["machine"]["relations"]>;
  readonly parts: readonly Part[];
}

/** A statement of a clause, with the conditions and the loop around it that depend on the event only. */
export interface Part {
  readonly types: Clause["on"];
  readonly guards: readonly Condition[];
  readonly each: Each | undefined;
  readonly statement: Statement;
}

/** Removes messages, findings that are off, and cells that only messages read. */
export function simplifyMachine({ machine, findings }: PlannedMachine): SimpleMachine {
  // A fold of all streams takes a time that grows with the square of their number.
  if (machine.shared) refuse("rows of all streams");
  const reported = new Set(findings.filter(({ severity }) => severity.writer !== "off").map(({ id }) => id));
  const clauses = machine.clauses.map((clause) => ({
    ...clause,
    do: mapStatements(clause.do, (statement): readonly Statement[] => {
      if (statement.op === "report") {
        const { op, finding, index } = statement;
        return reported.has(finding) ? [{ op, finding, message: [], ...(index && { index }) }] : [];
      }
      if (statement.op === "if" && isSame(statement.do, statement.else ?? [])) return statement.do;
      return isEmpty(statement) ? [] : [statement];
    }),
  }));
  const readCells = new Set(listNodes(clauses).flatMap((node) => ("cell" in node ? [node.cell] : [])));
  const keepRead = <T>(cells: { readonly [cell: string]: T }): { readonly [cell: string]: T } =>
    Object.fromEntries(Object.entries(cells).filter(([cell]) => readCells.has(cell)));
  const dropUnread = (body: readonly Statement[]): Statement[] =>
    mapStatements(body, (each) => [each.op === "set" ? { ...each, cells: keepRead(each.cells) } : each]);
  return {
    tables: Object.entries(machine.tables).map(([name, table]) => ({
      ...table,
      name,
      cells: keepRead(table.cells),
    })),
    relations: machine.relations ?? {},
    parts: clauses.flatMap((clause) =>
      clause.on === "end"
        ? dropUnread(clause.do).map((statement) => ({
            types: clause.on,
            guards: [],
            each: undefined,
            statement,
          }))
        : listPartsOf(dropUnread(clause.do), { types: clause.on, guards: [], each: undefined }),
    ),
  };
}

/** Returns the parts of statements. */
function listPartsOf(body: readonly Statement[], outer: Omit<Part, "statement">): Part[] {
  return body.flatMap((statement): Part[] => {
    if (statement.op === "if" && !readsRows(statement.when))
      return [
        ...listPartsOf(statement.do, { ...outer, guards: [...outer.guards, statement.when] }),
        ...listPartsOf(statement.else ?? [], {
          ...outer,
          guards: [...outer.guards, { op: "not", of: statement.when }],
        }),
      ];
    if (statement.op === "each") {
      if (outer.each !== undefined || !canIgnoreStop(statement)) refuse("loops in loops");
      return listPartsOf(statement.do, { ...outer, each: statement });
    }
    if (statement.op === "stop") return [];
    // A row without a key is the same for each of its statements.
    if (statement.op === "find" && statement.key.length === 0 && selectNodes(statement.do, "each").length > 0)
      return listPartsOf(statement.do, outer).map((part) =>
        JSON.stringify(part.statement).includes(`"row":"${statement.row}"`)
          ? { ...part, statement: { ...statement, do: [part.statement] } }
          : part,
      );
    return [{ ...outer, statement }];
  });
}

/** Returns machines whose parts have no table in common. Findings that depend on no row belong to the first one. */
export function splitMachine(machine: SimpleMachine): SimpleMachine[] {
  const groups: { readonly tables: ReadonlySet<string>; readonly parts: readonly Part[] }[] = [];
  for (const part of machine.parts) {
    const tables = new Set(
      selectNodes(part.statement, "find", "rows", "clear", "keys").map(({ table }) => table),
    );
    const connected = groups.filter((group) => [...group.tables].some((name) => tables.has(name)));
    for (const group of connected) groups.splice(groups.indexOf(group), 1);
    groups.push({
      tables: new Set([...connected.flatMap((group) => [...group.tables]), ...tables]),
      parts: machine.parts.filter(
        (each) => each === part || connected.some((group) => group.parts.includes(each)),
      ),
    });
  }
  return groups.map(({ tables, parts }) => ({
    ...machine,
    tables: machine.tables.filter(({ name }) => tables.has(name)),
    parts,
  }));
}

export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export function readsRows(node: unknown): boolean {
  return listNodes(node).some(readsRow);
}

export type Each = Extract<Statement, { op: "each" }>;

/** A part that finds rows. */
export interface Step extends Part {
  /** The first ids of the keys of all rows; undefined if the step belongs to all keys. */
  readonly key: readonly Value[] | undefined;
  /** The values and conditions that the fold reads. */
  readonly values: EventNode[];
}

/** A value or condition that depends on the event only, or the id that a value is. */
export type EventNode = Value | Condition | { readonly op: "id"; readonly of: Value };

/** Returns whether `stop` only prevents findings that a loop has reported already. */
export function canIgnoreStop(loop: Statement): boolean {
  const ops = new Set<string>(listNodes(loop).map(({ op }) => op));
  const rules = new Set(selectNodes(loop, "report").map(({ finding }) => finding));
  const changes = ops.has("clear") || [...CHANGES].some((op) => ops.has(op));
  return !ops.has("stop") || (rules.size === 1 && !changes && !ops.has("index"));
}

export const CHANGES = new Set(["set", "drop", "append", "cover"]);
