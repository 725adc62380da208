/** If this fails, `accrete audit` finds other things in an archive than `validate` finds in the same events in order. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../generator/random.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { createFaultyLines, describeByText, reportFindings, shuffle, sortLines } from "./archive.js";

describe("an archive whose streams are spread over many files", () => {
  it("has the findings of the sorted events, each with its own file and line", async () => {
    // A few faults may hit events that nobody would miss, so one archive may have no findings.
    let findings = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 50 }), async (seed, fileCount) => {
        const random = createRandom(seed);
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
        const expected = describeByText(await reportFindings("validate", sorted));
        const found = describeByText(await reportFindings("audit", archive));
        expect(sortFindings(found)).toEqual(sortFindings(expected));
        findings += expected.length;
      }),
      { numRuns: 4 },
    );
    expect(findings).toBeGreaterThan(0);
  });
});

describe("validate --lines", () => {
  it("prints the findings of sorted events, and none about a stream after the next one has begun", async () => {
    const folder = createTemporaryFolder({
      "sorted.jsonl": `${sortLines(createFaultyLines(3, 800)).join("\n")}\n`,
    });
    const sorted = path.join(folder, "sorted.jsonl");
    for (const profile of ["reader", "writer"]) {
      const expected = await reportFindings("validate", sorted, "--profile", profile);
      const { stdout, exitCode } = await runAccrete(["validate", "--lines", sorted, "--profile", profile]);
      expect(exitCode).toBe(0);
      const found = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(sortFindings(found)).toEqual(sortFindings(expected));
      expect(found.length).toBeGreaterThan(3);
      const runs = found.map(({ at }) => JSON.parse(readLine(sorted, at.line)).run_id);
      expect(runs).toEqual([...runs].sort());
    }
  });

  it("refuses options for other tasks", async () => {
    const { exitCode, stderr } = await runAccrete(["validate", "--lines", "--stats", "-"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "accrete: --lines cannot be combined with --url, --compare, --stats or --events-only.\n",
    });
  });
});

function sortFindings(findings: readonly unknown[]): string[] {
  return findings.map((finding) => JSON.stringify(finding)).sort();
}

function readLine(file: string, line: number): string {
  return readFileSync(file, "utf8").split("\n")[line - 1] ?? "";
}
