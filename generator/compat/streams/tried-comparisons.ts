/**
 * Records which outcomes of comparisons a search has tried. Where not every value is tried, a machine may refuse each stream
 * of the samples only because their values are too few: for example, no number of them is the sum that it requires.
 */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { ReportStatement } from "../../conform/machine/interpret.js";
import type { Clause, Condition, Machine, Statement, Value } from "../../conform/machine/language.js";
import { readsFields } from "../../conform/machine/operations.js";
import { isScope, listPaths, type PathPart } from "../../conform/machine/paths.js";
import {
  findChangedTable,
  getTable,
  listLeaves,
  listNodes,
  mapStatements,
  nameCell,
} from "../../conform/machine/walk.js";
import type { StreamFindingKind } from "../../conform/stream-rule.js";
import { formatCanonicalJson, type Json, toJson } from "../../json.js";
import { formatNode } from "./normal-machines.js";

/** A comparison of values by size, equality or text. */
export interface Comparison {
  /** A text that is equal for comparisons with the same or the opposite outcome. */
  readonly name: string;
  /** What the outcome follows from; absent if unknown. */
  readonly meaning?: Meaning;
  /** The conditions that are true if the comparison is true, and if it is false. */
  readonly whenTrue: Condition;
  readonly whenFalse: Condition;
  readonly fields: readonly string[];
  /** The tables and cells that it reads. */
  readonly cells: readonly (readonly [table: string, cell: string])[];
}

/** What the outcome of a comparison follows from, in texts that are equal in any machine. */
interface Meaning {
  /** The operands, and all changes of the memory that they read. */
  readonly whole: string;
  /**
   * The operands, and the changes of their cells that do not empty them; absent if one of these or a row depends on memory, if a
   * table has a limit, or if an operand has a value while its cell has none.
   */
  readonly kept?: string;
  /** The changes that empty the cells, and whether one of them depends on memory. */
  readonly emptied: ReadonlySet<string>;
  readonly isEmptiedByMemory: boolean;
}

/**
 * Returns whether a comparison of the smaller side has the outcome of one of the larger side wherever that one has an outcome.
 * This is so if they are alike, or if the larger side only empties its cells more often: what it remembers is then the same.
 */
export function followsOutcome(small: Meaning, large: Meaning): boolean {
  if (small.whole === large.whole) return true;
  if (small.kept === undefined || small.kept !== large.kept || small.isEmptiedByMemory) return false;
  return [...small.emptied].every((change) => large.emptied.has(change));
}

/** A comparison of a machine that reports each outcome. */
export interface TrackedComparison extends Pick<Comparison, "name" | "meaning"> {
  readonly fields: readonly string[];
  /** The machine with the reports. */
  readonly machine: Machine;
  readonly on: Clause["on"];
  readonly reports: readonly ReportStatement[];
}

/** Never shown, because it is off in each profile. */
const TRIED: StreamFindingKind = {
  id: "comparison-tried",
  summary: "",
  explanation: "",
  hint: "",
  severity: { reader: "off", writer: "off" },
};

/** Returns a machine with reports of the outcomes of the selected comparisons. */
export function trackComparisons(
  planned: PlannedMachine,
  isSelected: (comparison: Comparison) => boolean,
): { readonly tracked: PlannedMachine; readonly comparisons: readonly TrackedComparison[] } {
  const found: Omit<TrackedComparison, "machine">[] = [];
  const clauses = planned.machine.clauses.map(({ on, do: body }): Clause => {
    const paths = new Map(
      listPaths(body, ({ op }) => op === "if").map(({ statement, path }) => [getCondition(statement), path]),
    );
    const track = ({ name, meaning, whenTrue, whenFalse, fields }: Comparison): Statement[] => {
      const reports = [true, false].map(
        (): ReportStatement => ({ op: "report", finding: TRIED.id, message: [] }),
      );
      found.push({ name, ...(meaning !== undefined && { meaning }), fields, on, reports });
      const [isTrue, isFalse] = reports as [ReportStatement, ReportStatement];
      return [
        { op: "if", when: whenTrue, do: [isTrue] },
        { op: "if", when: whenFalse, do: [isFalse] },
      ];
    };
    return {
      on,
      do: mapStatements(body, (statement) => {
        const condition = getCondition(statement);
        const comparisons =
          condition === undefined
            ? []
            : listComparisons(condition, planned.machine, paths.get(condition) ?? []);
        return [...comparisons.filter(isSelected).flatMap(track), statement];
      }),
    };
  });
  if (found.length === 0) return { tracked: planned, comparisons: [] };
  const machine = { ...planned.machine, clauses };
  return {
    tracked: { ...planned, machine, findings: [...planned.findings, TRIED] },
    comparisons: found.map((comparison) => ({ ...comparison, machine })),
  };
}

function getCondition(statement: Statement): Condition | undefined {
  return statement.op === "if" ? statement.when : undefined;
}

/** Returns the comparisons in a condition. `path` is the way to it. */
function listComparisons(condition: Condition, machine: Machine, path: readonly PathPart[]): Comparison[] {
  return listLeaves(condition).flatMap((leaf) => {
    const comparison = readComparison(leaf, machine);
    if (comparison === undefined) return [];
    const meaning = describeMeaning(comparison, machine, path);
    return [{ ...comparison, ...(meaning !== undefined && { meaning }) }];
  });
}

/**
 * Returns what a comparison follows from: its operands, with the values whose parts are its items, and the changes of the memory
 * that it reads. Undefined if it reads anything else.
 */
function describeMeaning(
  { name, whenTrue }: Comparison,
  machine: Machine,
  path: readonly PathPart[],
): Meaning | undefined {
  const loops = path.filter((part) => isScope(part) && part.op === "each") as EachStatement[];
  const isKnown = (item: string): boolean => loops.some((loop) => loop.item === item);
  const isReadable = (node: ReturnType<typeof listNodes>[number]): boolean =>
    readsFields(node) || node.op === "cell" || ("item" in node && isKnown(node.item));
  if (!listNodes(whenTrue).every(isReadable)) return undefined;
  const rows = path.filter((part) => isScope(part) && part.op !== "each");
  const describe = (memory: readonly Json[]): string =>
    formatCanonicalJson(toJson([name, loops.map(dropBody), memory.length > 0 && rows.map(dropBody), memory]));
  const own = listReadCells([whenTrue], machine).flatMap((cell) => listChanges(cell, machine));
  const [emptied, kept] = [own.filter(emptiesCell), own.filter((change) => !emptiesCell(change))];
  const readsMemory = ({ way, change }: CellChange): boolean =>
    listReadCells([way, change], machine).length > 0;
  // Rows of a table with a limit are forgotten for other rows, so that one that is emptied may remember more.
  const isExact =
    ![...listReadTables([whenTrue], machine)].some((table) => machine.tables[table]?.limit !== undefined) &&
    !listNodes(whenTrue).some(({ op }) => op === "first") &&
    listReadCells(rows.map(dropBody), machine).length === 0;
  return {
    whole: describe(describeMemory([whenTrue], machine)),
    ...(isExact && !kept.some(readsMemory) && { kept: describe(kept.map(formatChange)) }),
    emptied: new Set(emptied.flatMap(splitTypes).map(formatChange)),
    isEmptiedByMemory: emptied.some(readsMemory),
  };
}

/** A change of a cell, and the way to it. */
interface CellChange {
  readonly on: Clause["on"];
  readonly way: readonly object[];
  readonly change: Statement;
}

/** Returns the changes of a cell. Of a statement that sets several cells, only this one is kept. */
function listChanges(cell: string, machine: Machine): CellChange[] {
  const [, name = ""] = cell.split("\n");
  return machine.clauses.flatMap(({ on, do: body }) =>
    listPaths(body, (each) => changesCell(each, cell, machine)).map(({ statement, path }) => ({
      on,
      way: path.map(dropBody),
      change: statement.op === "set" ? { ...statement, cells: pickCell(statement, name) } : statement,
    })),
  );
}

/** Returns a change for each of its event types. */
function splitTypes(change: CellChange): CellChange[] {
  return typeof change.on === "string" ? [change] : change.on.map((type) => ({ ...change, on: [type] }));
}

function formatChange({ on, way, change }: CellChange): string {
  return formatCanonicalJson(toJson([on, way, change]));
}

/** Returns whether a change leaves a cell without a value. */
function emptiesCell({ change }: CellChange): boolean {
  if (change.op === "drop" || change.op === "clear") return true;
  if (change.op !== "set") return false;
  const values = Object.values(change.cells);
  return values.length > 0 && values.every((value) => value.op === "first" && value.of.length === 0);
}

/** Returns all changes of the cells that parts of a machine read, and of those on which these changes depend. */
function describeMemory(parts: readonly unknown[], machine: Machine): readonly Json[] {
  const cells = new Set(parts.flatMap((part) => listReadCells(part, machine)));
  const changes = new Set<string>();
  // The set grows while it is visited.
  for (const cell of cells)
    for (const change of listChanges(cell, machine)) {
      changes.add(formatChange(change));
      for (const read of listReadCells([change.way, change.change], machine)) cells.add(read);
    }
  return [...changes].sort();
}

/** The name that stands for the existence of rows. */
const ROWS = "*";

/** Returns the cells that a part of a machine reads. Rows of a table with a limit may be forgotten for other rows. */
function listReadCells(part: unknown, machine: Machine): readonly string[] {
  return listNodes(part).flatMap((node): string[] => {
    if (node.op === "keys") return [`${node.table}\n${ROWS}`];
    if (node.op === "exists" || node.op === "key") return [nameCell(machine, node.row, ROWS)];
    if (!("row" in node && "cell" in node)) return [];
    const isLimited = machine.tables[getTable(machine, node.row)]?.limit !== undefined;
    return [node.cell, ...(isLimited ? [ROWS] : [])].map((cell) => nameCell(machine, node.row, cell));
  });
}

/** Returns the tables whose cells a part of a machine reads. */
function listReadTables(part: unknown, machine: Machine): ReadonlySet<string> {
  return new Set(listReadCells(part, machine).flatMap((cell) => cell.split("\n").slice(0, 1)));
}

function changesCell(statement: Statement, cell: string, machine: Machine): boolean {
  const [table, name = ""] = cell.split("\n");
  if (findChangedTable(machine, statement) !== table) return false;
  if (name === ROWS) return true;
  return statement.op === "set" ? name in statement.cells : !("cell" in statement) || statement.cell === name;
}

function pickCell(
  { cells }: Extract<Statement, { op: "set" }>,
  name: string,
): { readonly [cell: string]: Value } {
  const value = cells[name];
  return value === undefined ? {} : { [name]: value };
}

function dropBody(part: PathPart): object {
  return isScope(part) ? { ...part, do: [] } : part;
}

type EachStatement = Extract<Statement, { op: "each" }>;

function readComparison(condition: Condition, machine: Machine): Comparison | undefined {
  switch (condition.op) {
    case "equal":
    case "differ": {
      const [equal, differ] = (["equal", "differ"] as const).map((op) => ({ ...condition, op }));
      const operands = condition.of.map(formatNode).sort();
      return createComparison(
        `equal ${operands.join(" ")}`,
        equal as Condition,
        differ as Condition,
        machine,
      );
    }
    case "less":
    case "atMost": {
      const [a, b] = condition.op === "less" ? condition.of : ([condition.of[1], condition.of[0]] as const);
      const less: Condition = { op: "less", of: [a, b] };
      return createComparison(`less ${formatNode(less)}`, less, { op: "atMost", of: [b, a] }, machine);
    }
    case "sameText":
    case "endsWithText":
    case "matches":
      return createComparison(
        formatNode(condition),
        condition,
        createMismatch(condition, condition.of),
        machine,
      );
    default:
      return undefined;
  }
}

/** Returns the condition that a text fails a condition. */
function createMismatch(condition: Condition, text: Value): Condition {
  return {
    op: "all",
    of: [
      { op: "is", type: "text", of: text },
      { op: "not", of: condition },
    ],
  };
}

function createComparison(
  name: string,
  whenTrue: Condition,
  whenFalse: Condition,
  machine: Machine,
): Comparison {
  const nodes = listNodes(whenTrue);
  return {
    name,
    whenTrue,
    whenFalse,
    fields: nodes.flatMap((node) => (node.op === "payload" || node.op === "envelope" ? [node.field] : [])),
    cells: nodes.flatMap((node): (readonly [string, string])[] =>
      "row" in node && "cell" in node ? [[getTable(machine, node.row), node.cell]] : [],
    ),
  };
}

/** Returns the name of an outcome; `index` is that of its report. */
export function nameOutcome({ name }: TrackedComparison, index: number): string {
  return `${index} ${name}`;
}

/** What the searches about one machine have seen. */
export class SearchRecord {
  /** Findings, outcomes, and pairs of a finding and an outcome that were seen at the same event. */
  private readonly seen = new Set<string>();
  private findings: string[] = [];
  private outcomes: string[] = [];

  beginEvent(): void {
    this.findings = [];
    this.outcomes = [];
  }

  addFinding(finding: string): void {
    this.seen.add(finding);
    this.findings.push(finding);
    for (const outcome of this.outcomes) this.seen.add(`${finding}\n${outcome}`);
  }

  addOutcome(outcome: string): void {
    this.seen.add(outcome);
    this.outcomes.push(outcome);
    for (const finding of this.findings) this.seen.add(`${finding}\n${outcome}`);
  }

  hasFinding(finding: string): boolean {
    return this.seen.has(finding);
  }

  /** Returns whether a comparison had an outcome; with a finding, at an event that the finding is about. */
  hasOutcome(outcome: string, finding?: string): boolean {
    return this.seen.has(finding === undefined ? outcome : `${finding}\n${outcome}`);
  }
}
