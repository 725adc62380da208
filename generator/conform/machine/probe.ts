/**
 * Lets a solver see why a machine reports a finding. A machine is data, so it is rewritten: each report is followed by
 * reports of the values that decide about it, and the texts that are appended to a cell are also kept as they are. The
 * result is interpreted like every machine.
 */
import type { Json } from "../../json.js";
import type { Step } from "../stream-rule.js";
import { firstOf, literal, when } from "./build.js";
import type { Clause, Condition, Machine, Statement, Table, Value } from "./language.js";
import { type Guard, isScope, listGuards, type PathPart, type Scope } from "./paths.js";
import { getTable, listLeaves, mapStatements } from "./walk.js";

/** One report statement of a machine, and the way to it. */
export interface ReportSite {
  readonly finding: string;
  readonly on: Clause["on"];
  /** The outermost part comes first. */
  readonly path: readonly PathPart[];
}

/** A machine whose reports state the values that decide about them. */
export interface ProbedMachine {
  readonly machine: Machine;
  readonly sites: readonly ReportSite[];
}

/** The values on the way to a site, by the JSON of their nodes. */
export type Values = ReadonlyMap<string, Json | undefined>;

/** What a probed machine said about one event. */
export interface Probe {
  readonly site: number;
  /** The number of the parts of its path that the event has passed; undefined if the site has reported. */
  readonly passed: number | undefined;
  readonly values: Values;
}

/** The separators in the messages of probes, which name the site, the part of its path, and the value. */
const END = "!";

/** Rewrites a machine. With `isTraced`, each part of the way to a report is probed, also if the report does not happen. */
export function probeMachine(machine: Machine, isTraced = false): ProbedMachine {
  const sites: ReportSite[] = [];
  const clauses = machine.clauses.map((clause) => ({
    ...clause,
    do: rewrite(
      mapStatements(clause.do, (statement) => copyTexts(statement, machine)),
      { on: clause.on, sites, isTraced, path: [] },
    ),
  }));
  const tables = Object.entries(machine.tables).map(([name, table]) => [name, addTextCopies(table)] as const);
  return { machine: { ...machine, tables: Object.fromEntries(tables), clauses }, sites };
}

/** The name of the cell that keeps the texts of another one. */
function nameTextCopy(cell: string): string {
  return `${cell} as text`;
}

function addTextCopies(table: Table): Table {
  const texts = Object.keys(table.cells).filter((cell) => table.cells[cell] === "text");
  const copies = texts.map((cell) => [nameTextCopy(cell), "value"] as const);
  return { ...table, cells: { ...table.cells, ...Object.fromEntries(copies) } };
}

/** Returns a statement that also keeps texts as they are. */
function copyTexts(statement: Statement, machine: Machine): readonly Statement[] {
  if (statement.op === "append") {
    const { row, cell, text } = statement;
    const copy = nameTextCopy(cell);
    const known = firstOf({ op: "cell", row, cell: copy }, literal(""));
    const cells = { [copy]: { op: "join", of: [known, text] } as const };
    return [statement, when({ op: "exists", row }, { op: "set", row, cells })];
  }
  if (statement.op !== "set") return [statement];
  const kinds = machine.tables[getTable(machine, statement.row)]?.cells ?? {};
  const copies = Object.entries(statement.cells)
    .filter(([cell]) => kinds[cell] === "text")
    .map(([cell, value]) => [nameTextCopy(cell), value] as const);
  return [{ ...statement, cells: { ...statement.cells, ...Object.fromEntries(copies) } }];
}

interface Rewriting {
  readonly on: Clause["on"];
  readonly sites: ReportSite[];
  readonly isTraced: boolean;
  readonly path: readonly PathPart[];
}

function rewrite(body: readonly Statement[], context: Rewriting): Statement[] {
  return body.flatMap((statement): Statement[] => {
    if (statement.op === "report") return rewriteReport(statement, context);
    if (statement.op === "if") {
      const { when: condition, do: then, else: otherwise } = statement;
      const extend = (wanted: boolean): Rewriting => ({
        ...context,
        path: [...context.path, ...listGuards(condition, wanted)],
      });
      const firstSite = context.sites.length;
      const then2 = rewrite(then, extend(true));
      const middle = context.sites.length;
      const else2 = otherwise && rewrite(otherwise, extend(false));
      const traces = context.isTraced
        ? [
            ...traceGuards(firstSite, middle, context.path, listGuards(condition, true)),
            ...traceGuards(middle, context.sites.length, context.path, listGuards(condition, false)),
          ]
        : [];
      return [...traces, { op: "if", when: condition, do: then2, ...(else2 && { else: else2 }) }];
    }
    if (!("do" in statement)) return [statement];
    const inner = { ...context, path: [...context.path, statement] };
    return [{ ...statement, do: rewrite(statement.do, inner) }];
  });
}

function rewriteReport(
  { finding, at, index: _, ...report }: Extract<Statement, { op: "report" }>,
  { on, sites, path }: Rewriting,
): Statement[] {
  const site = sites.length;
  sites.push({ finding, on, path });
  const values = path.flatMap((part) => (isScope(part) ? listScopeValues(part) : listValues(part.condition)));
  return [
    ...probeValues(`${site}`, finding, values, path),
    { ...report, op: "report", finding, message: [`${site}${END}`], ...(at && { at }) },
  ];
}

/** States for each guard whether it has the wanted result, and the values in it. */
function traceGuards(
  from: number,
  to: number,
  path: readonly PathPart[],
  guards: readonly Guard[],
): Statement[] {
  const sites = Array.from({ length: to - from }, (_, index) => from + index);
  return sites.flatMap((site) =>
    guards.map(({ condition, wanted }, index): Statement => {
      const fail: Statement[] = [
        ...probeValues(`${site}`, "", listValues(condition), path),
        { op: "report", finding: "", message: [`${site}${END}${path.length + index}`] },
      ];
      return { op: "if", when: condition, do: wanted ? [] : fail, else: wanted ? fail : [] };
    }),
  );
}

function probeValues(
  prefix: string,
  finding: string,
  values: readonly Value[],
  path: readonly PathPart[],
): Statement[] {
  // Only the parts of a value have paths.
  const items = path.flatMap((part) => (isScope(part) && part.op === "each" ? [part.item] : []));
  const nodes = new Map(
    values
      .filter((value) => value.op !== "path" || items.includes(value.item))
      .map((value) => [JSON.stringify(value), value]),
  );
  return [...nodes].map(([name, value]) => ({
    op: "report",
    finding,
    message: [`${prefix} ${name}`],
    index: value,
  }));
}

/** Returns the values in a condition, and those of which they consist. */
export function listValues(condition: Condition): Value[] {
  return listLeaves(condition).flatMap((leaf) => {
    if (!("of" in leaf)) return [];
    const copy = "cell" in leaf ? [readTextCopy(leaf)] : [];
    return [...[leaf.of].flat().flatMap(listParts), ...copy];
  });
}

/** Returns the value that holds the texts with which a condition compares. */
export function readTextCopy({ row, cell }: { readonly row: string; readonly cell: string }): Value {
  return { op: "cell", row, cell: nameTextCopy(cell) };
}

function listParts(value: Value): Value[] {
  if (value.op === "item") return [value, { op: "path", item: value.item }];
  // The rows of `keys` have names only inside of it.
  if (value.op === "keys") return [value];
  const of = "of" in value ? ([value.of].flat() as Value[]) : [];
  const ends = value.op === "covered" ? [value.first, value.last] : [];
  const path: Value[] = value.op === "counterpart" ? [{ op: "path", item: value.item }] : [];
  return [value, ...path, ...[...of, ...ends].flatMap(listParts)];
}

function listScopeValues(scope: Scope): Value[] {
  if (scope.op === "find") return scope.key.flatMap(listParts);
  if (scope.op === "rows") return scope.key ? listParts(scope.key) : [];
  if (scope.op === "each") return [...listParts(scope.of), { op: "path", item: scope.item }];
  return [
    { op: "item", item: scope.item },
    { op: "item", item: scope.end },
  ];
}

/** Collects what a probed machine says. `step.report` gets each message and the value after it. */
export function createProbeCollector(add: (probe: Probe) => void): Step["report"] {
  let values = new Map<string, Json | undefined>();
  return (_kind, message, _pointer, value) => {
    const space = message.indexOf(" ");
    const end = message.indexOf(END);
    if (end < 0 || (space >= 0 && space < end)) {
      values.set(message.slice(space + 1), value as Json | undefined);
      return;
    }
    const passed = message.slice(end + 1);
    add({ site: Number(message.slice(0, end)), passed: passed === "" ? undefined : Number(passed), values });
    values = new Map();
  };
}
