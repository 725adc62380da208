/** Archives of generated events with faults, and the findings about them. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Random } from "../../generator/random.js";
import { generateCorpus } from "../../scripts/corpus/corpus.js";
import { injectFaults } from "../../scripts/corpus/faults.js";
import { runAccrete } from "../commands/run-in-process.js";

/** A finding in the JSON report. */
export interface ReportedFinding {
  readonly rule: string;
  readonly message: string;
  readonly at: { readonly file: string; readonly line: number; readonly pointer: string };
}

/** Returns the findings that a command line reports. */
export async function reportFindings(...argv: readonly string[]): Promise<readonly ReportedFinding[]> {
  const outcome = await runAccrete([...argv, "--format", "json", "--limit", "0"]);
  expect(outcome.stderr).toBe("");
  return JSON.parse(outcome.stdout).findings;
}

/** Returns findings with the text of the line that each is about, which stands in another place in another file. */
export function describeByText(findings: readonly ReportedFinding[]): unknown[] {
  return findings.map(({ rule, message, at }) => {
    const text = readFileSync(at.file, "utf8").split("\n")[at.line - 1];
    return { rule, message, pointer: at.pointer, text };
  });
}

function isEvent(line: string): boolean {
  try {
    const { run_id, sequence } = JSON.parse(line);
    return typeof run_id === "string" && Number.isSafeInteger(sequence);
  } catch {
    return false;
  }
}

/** Returns the lines of generated runs with faults in every twentieth line. */
export function createFaultyLines(seed: number, count: number): string[] {
  const lines: string[] = [];
  for (const line of injectFaults(
    generateCorpus(seed),
    ["drop", "duplicate", "reorder", "corrupt", "unknown"],
    seed,
    new Map(),
    0.05,
  )) {
    if (isEvent(line)) lines.push(line);
    if (lines.length >= count) return lines;
  }
  return lines;
}

/** Returns lines in another order. */
export function shuffle(lines: readonly string[], { next }: Random): string[] {
  return lines
    .map((line) => ({ line, order: next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ line }) => line);
}

/** Sorts lines by their runs and numbers. Equal ones keep their order. */
export function sortLines(lines: readonly string[]): string[] {
  const events = lines.map((line) => ({ line, event: JSON.parse(line) }));
  events.sort(({ event: a }, { event: b }) =>
    a.run_id === b.run_id ? a.sequence - b.sequence : a.run_id < b.run_id ? -1 : 1,
  );
  return events.map(({ line }) => line);
}
