/** If this fails, `accrete audit` finds other things in an archive than `validate` finds in the same events in order. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../../generator/random.js";
import { generateCorpus } from "../../scripts/corpus/corpus.js";
import { injectFaults } from "../../scripts/corpus/faults.js";
import { runAccrete } from "../cli/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";

/** A finding in the JSON report. */
interface ReportedFinding {
  readonly rule: string;
  readonly message: string;
  readonly at: { readonly file: string; readonly line: number; readonly pointer: string };
}

async function report(...argv: readonly string[]): Promise<readonly ReportedFinding[]> {
  const outcome = await runAccrete([...argv, "--format", "json", "--limit", "0"]);
  expect(outcome.stderr).toBe("");
  return JSON.parse(outcome.stdout).findings;
}

/** Returns findings with the text of the line that each is about, which stands in another place in another file. */
function describeByText(findings: readonly ReportedFinding[]): unknown[] {
  return findings.map(({ rule, message, at }) => {
    const text = readFileSync(at.file, "utf8").split("\n")[at.line - 1];
    return { rule, message, pointer: at.pointer, text };
  });
}

const isEvent = (line: string): boolean => {
  try {
    const { run_id, sequence } = JSON.parse(line);
    return typeof run_id === "string" && Number.isSafeInteger(sequence);
  } catch {
    return false;
  }
};

/** Returns the lines of generated runs with faults in every twentieth line. */
function createFaultyLines(seed: number, count: number): string[] {
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

function shuffle(lines: readonly string[], { next }: Random): string[] {
  return lines
    .map((line) => ({ line, order: next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ line }) => line);
}

/** Sorts lines by their runs and numbers. Equal ones keep their order. */
function sortLines(lines: readonly string[]): string[] {
  const events = lines.map((line) => ({ line, event: JSON.parse(line) }));
  events.sort(({ event: a }, { event: b }) =>
    a.run_id === b.run_id ? a.sequence - b.sequence : a.run_id < b.run_id ? -1 : 1,
  );
  return events.map(({ line }) => line);
}

describe("an archive whose streams are spread over many files", () => {
  it("has the findings of the sorted events, each with its own file and line", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 50 }), async (seed, fileCount) => {
        const random = seededRandom(seed);
        const files = Array.from({ length: fileCount }, (): string[] => []);
        for (const line of shuffle(createFaultyLines(seed, 400), random)) random.pick(files).push(line);
        const folder = createTemporaryFolder();
        const archive = createTemporaryFolder();
        for (const [index, lines] of files.entries())
          writeFileSync(
            path.join(archive, `${String(index).padStart(2, "0")}.jsonl`),
            lines.map((line) => `${line}\n`).join(""),
          );
        const sorted = path.join(folder, "sorted.jsonl");
        writeFileSync(sorted, `${sortLines(files.flat()).join("\n")}\n`);
        const expected = describeByText(await report("validate", sorted));
        const found = describeByText(await report("audit", archive));
        expect(found).toEqual(expected);
        expect(expected.length).toBeGreaterThan(0);
      }),
      { numRuns: 4 },
    );
  });
});
