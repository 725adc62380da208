/**
 * Records which outcomes of comparisons a search has tried. Where not every value is tried, a machine may refuse each stream
 * of the samples only because their values are too few: for example, no number of them is the sum that it requires.
 */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { ReportStatement } from "../../conform/machine/interpret.js";
import type { Clause, Condition, Machine, Statement, Value } from "../../conform/machine/language.js";
import { getTable, listLeaves, listNodes, mapStatements } from "../../conform/machine/walk.js";
import type { StreamFindingKind } from "../../conform/stream-rule.js";
import { formatNode } from "./normal-machines.js";

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
      do: mapStatements(body, (statement) => {
        const comparisons = statement.op === "if" ? listComparisons(statement.when, planned.machine) : [];
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

/** Returns the comparisons in a condition. */
function listComparisons(condition: Condition, machine: Machine): Comparison[] {
  return listLeaves(condition).flatMap((leaf) => readComparison(leaf, machine) ?? []);
}

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
