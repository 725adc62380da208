/** Visits the nodes of a machine. */
import type { Clause, Machine, Statement } from "./language.js";

/** Returns whether every event of a type runs a clause. */
export function runsAt(on: Clause["on"], type: string): boolean {
  return typeof on === "string" ? on === "every" : on.includes(type);
}

/** Returns the ids of the findings that a machine may report. */
export function listFindings(machine: Machine): ReadonlySet<string> {
  return new Set(listReports(machine).map(({ finding }) => finding));
}

/** Returns the statements that report findings, in their order. */
export function listReports({ clauses }: Machine): Extract<Statement, { op: "report" }>[] {
  const reports: Extract<Statement, { op: "report" }>[] = [];
  const visit = (body: readonly Statement[]): void => {
    for (const statement of body) {
      if (statement.op === "report") reports.push(statement);
      if ("do" in statement) visit(statement.do);
      if (statement.op === "if" && statement.else) visit(statement.else);
    }
  };
  for (const clause of clauses) visit(clause.do);
  return reports;
}
