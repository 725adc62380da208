/**
 * Records which outcomes of comparisons a search has tried. Where not every value is tried, a machine may refuse each stream
 * of the samples only because their values are too few: for example, no number of them is the sum that it requires.
 */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { ReportStatement } from "../../conform/machine/interpret.js";
import type { Clause, Condition, Machine, Statement, Value } from "../../conform/machine/language.js";
import type { StreamFindingKind } from "../../conform/stream-rule.js";
import type { Json } from "../../json.js";
import { formatNode, listNodes } from "./normal-machines.js";

/** A comparison of values by size, equality or text. */
export interface Comparison {
  /** A text that is equal for comparisons with the same or the opposite outcome. */
  readonly name: string;
  /** The conditions that are true if the comparison is true, and if it is false. */
  readonly whenTrue: Condition;
  readonly whenFalse: Condition;
  readonly fields: readonly string[];
  /** The tables and cells that it reads. */
  readonly cells: readonly (readonly [table: string, cell: string])[];
}

/** A comparison of a machine that reports each outcome. */
export interface TrackedComparison {
  readonly name: string;
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
    const track = ({ name, whenTrue, whenFalse, fields }: Comparison): Statement[] => {
      const reports = [true, false].map(
        (): ReportStatement => ({ op: "report", finding: TRIED.id, message: [] }),
      );
      found.push({ name, fields, on, reports });
      const [isTrue, isFalse] = reports as [ReportStatement, ReportStatement];
      return [
        { op: "if", when: whenTrue, do: [isTrue] },
        { op: "if", when: whenFalse, do: [isFalse] },
      ];
    };
    return {
      on,
      do: mapBodies(body, (statement, tables) =>
        listOwnComparisons(statement, tables).filter(isSelected).flatMap(track),
      ),
    };
  });
  if (found.length === 0) return { tracked: planned, comparisons: [] };
  const machine = { ...planned.machine, clauses };
  return {
    tracked: { ...planned, machine, findings: [...planned.findings, TRIED] },
    comparisons: found.map((comparison) => ({ ...comparison, machine })),
  };
}

function listOwnComparisons(statement: Statement, tables: ReadonlyMap<string, string>): Comparison[] {
  return statement.op === "if" ? readComparisons(statement.when, tables) : [];
}

/** Returns a body with further statements before each statement. */
function mapBodies(
  body: readonly Statement[],
  addBefore: (statement: Statement, tables: ReadonlyMap<string, string>) => readonly Statement[],
  tables: ReadonlyMap<string, string> = new Map(),
): Statement[] {
  return body.flatMap((statement): Statement[] => {
    const added = addBefore(statement, tables);
    if (!("do" in statement)) return [...added, statement];
    const inner = "table" in statement ? new Map([...tables, [statement.row, statement.table]]) : tables;
    const mapped = { ...statement, do: mapBodies(statement.do, addBefore, inner) };
    if (mapped.op !== "if" || mapped.else === undefined) return [...added, mapped];
    return [...added, { ...mapped, else: mapBodies(mapped.else, addBefore, inner) }];
  });
}

function readComparisons(condition: Condition, tables: ReadonlyMap<string, string>): Comparison[] {
  switch (condition.op) {
    case "not":
      return readComparisons(condition.of, tables);
    case "all":
    case "any":
      return condition.of.flatMap((each) => readComparisons(each, tables));
    case "equal":
    case "differ": {
      const [equal, differ] = (["equal", "differ"] as const).map((op) => ({ ...condition, op }));
      const operands = condition.of.map(formatNode).sort();
      return [
        createComparison(`equal ${operands.join(" ")}`, equal as Condition, differ as Condition, tables),
      ];
    }
    case "less":
    case "atMost": {
      const [a, b] = condition.op === "less" ? condition.of : ([condition.of[1], condition.of[0]] as const);
      const less: Condition = { op: "less", of: [a, b] };
      return [createComparison(`less ${formatNode(less)}`, less, { op: "atMost", of: [b, a] }, tables)];
    }
    case "sameText":
    case "endsWithText":
    case "matches":
      return [
        createComparison(formatNode(condition), condition, createMismatch(condition, condition.of), tables),
      ];
    default:
      return [];
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
  tables: ReadonlyMap<string, string>,
): Comparison {
  const nodes = listNodes(whenTrue as unknown as Json);
  return {
    name,
    whenTrue,
    whenFalse,
    fields: nodes.flatMap((node) => (node.op === "payload" || node.op === "envelope" ? [node.field] : [])),
    cells: nodes.flatMap((node): (readonly [string, string])[] =>
      "row" in node && "cell" in node ? [[tables.get(node.row) ?? "", node.cell]] : [],
    ),
  };
}

/** Returns the name of an outcome; `index` is that of its report. */
export function nameOutcome({ name }: TrackedComparison, index: number): string {
  return `${index} ${name}`;
}

/** What the searches about one machine have seen. */
export class SearchRecord {
  private readonly findings = new Set<string>();
  private readonly outcomes = new Set<string>();
  /** The outcomes that were seen at the same event as a finding. */
  private readonly pairs = new Set<string>();
  private findingsNow: string[] = [];
  private outcomesNow: string[] = [];

  beginEvent(): void {
    this.findingsNow = [];
    this.outcomesNow = [];
  }

  addFinding(finding: string): void {
    this.findings.add(finding);
    this.findingsNow.push(finding);
    for (const outcome of this.outcomesNow) this.pairs.add(`${finding}\n${outcome}`);
  }

  addOutcome(outcome: string): void {
    this.outcomes.add(outcome);
    this.outcomesNow.push(outcome);
    for (const finding of this.findingsNow) this.pairs.add(`${finding}\n${outcome}`);
  }

  hasFinding(finding: string): boolean {
    return this.findings.has(finding);
  }

  /** Returns whether a comparison had an outcome; with a finding, at an event that the finding is about. */
  hasOutcome(outcome: string, finding?: string): boolean {
    return finding === undefined ? this.outcomes.has(outcome) : this.pairs.has(`${finding}\n${outcome}`);
  }
}
