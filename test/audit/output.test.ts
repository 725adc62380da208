/** If this fails, the file of findings differs from what is printed, or statistics miss a day. */
import { readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../generator/random.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { createFaultyLines, reportFindings, shuffle, sortLines } from "./archive.js";
import { readParquet } from "./parquet-files.js";

describe("the Parquet file of findings", () => {
  const lines = createFaultyLines(7, 2000);

  it.each([
    ["in order", sortLines(lines)],
    ["with a few streams out of order", lines],
    ["out of order, with a line that is not JSON", [...shuffle(lines, createRandom(3)), "{"]],
  ])("has all findings, also those that are not printed: an archive %s", async (_name, archived) => {
    const folder = createTemporaryFolder({ "a.jsonl": `${archived.join("\n")}\n` });
    const archive = path.join(folder, "a.jsonl");
    const file = path.join(folder, "findings.parquet");
    const printed = await reportFindings("audit", archive);
    const { stdout } = await runAccrete(["audit", archive, "--limit", "2", "--output", file]);
    expect(stdout).toContain(`${printed.length - 2} more findings not shown`);
    const rows = printed.map(({ rule, message, at }) => ({
      file: archive,
      line: String(at.line),
      pointer: at.pointer,
      rule,
      message,
    }));
    expect(sortRows(await readParquet(file))).toEqual(
      sortRows(rows).map((row) => expect.objectContaining(row)),
    );
    expect(rows.length).toBeGreaterThan(5);
  });

  it.each([
    ["findings.csv", "It must end in .parquet."],
    ["missing/findings.parquet", "of --output does not exist; create it."],
    ["events.parquet", "of --output is also a file to audit, and would be overwritten. Name another file."],
  ])("is refused with a sentence: %s", async (name, reason) => {
    const folder = createTemporaryFolder({ "a.jsonl": `${lines[0]}\n`, "events.parquet": "PAR1" });
    const { stdout, stderr, exitCode } = await runAccrete([
      "audit",
      folder,
      "--output",
      path.join(folder, name),
    ]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain(reason);
    expect(readFileSync(path.join(folder, "events.parquet"), "utf8")).toBe("PAR1");
  });
});

function sortRows(rows: readonly unknown[]): readonly object[] {
  const createKey = (row: unknown): string => {
    const { line, rule, message } = row as { [name: string]: string };
    return [line, rule, message].join("\n");
  };
  return (rows as object[]).sort((a, b) => (createKey(a) < createKey(b) ? -1 : 1));
}

it("counts events by protocol, day and type", async () => {
  const event = (day: string, type: string, sequence: number): string =>
    JSON.stringify({
      ...{ schema_version: "1", event_id: `evt_${sequence}`, run_id: "run_A", task_id: "task_A" },
      ...{ session_id: "chat_A", sequence, occurred_at: `${day}T23:30:00.000Z`, type, data: {} },
    });
  const lines = [
    event("2026-05-01", "run.created", 0),
    event("2026-05-02", "custom.one", 1),
    event("2026-05-02", "custom.one", 2),
    event("2026-05-02", "custom.two", 3),
  ];
  const folder = createTemporaryFolder({ "a.jsonl": `${lines.join("\n")}\n` });
  const { stdout } = await runAccrete(["audit", folder, "--stats", "--format", "json"]);
  expect(JSON.parse(stdout).summary.stats.days).toEqual([
    { protocol: "hecate/v1", day: "2026-05-01", type: "run.created", events: 1 },
    { protocol: "hecate/v1", day: "2026-05-02", type: "custom.one", events: 2 },
    { protocol: "hecate/v1", day: "2026-05-02", type: "custom.two", events: 1 },
  ]);
  const text = (await runAccrete(["audit", folder, "--stats"])).stdout;
  expect(text).toContain("hecate/v1 2026-05-01: 1 event\nhecate/v1 2026-05-02: 3 events\n");
});

describe("a pattern of file names", () => {
  const [line = ""] = createFaultyLines(1, 1);
  const files = { "x/2026/a.jsonl": line, "x/2026/b.txt": line, "x/2027/c.jsonl": line, "y/d.jsonl": line };

  it.each([
    ["x/**/*.jsonl", 2],
    ["*/2026/*", 2],
    ["{x/2027,y}/*.jsonl", 2],
    ["x/202?/[ab].*", 2],
  ])("names the files that it matches: %s", async (pattern, count) => {
    const folder = createTemporaryFolder(files);
    const { stdout } = await runAccrete(["audit", path.posix.join(folder, pattern)]);
    expect(stdout).toContain(`${count} events`);
  });

  it("names each file once, also if links lead to it", async () => {
    const folder = createTemporaryFolder(files);
    symlinkSync("2027", path.join(folder, "x/latest"));
    symlinkSync(".", path.join(folder, "x/2026/again"));
    const pattern = path.posix.join(folder, "x/**/*.jsonl");
    expect((await runAccrete(["audit", pattern])).stdout).toContain("2 events");
  });

  it("is a sentence if it matches nothing", async () => {
    const { stderr, exitCode } = await runAccrete(["audit", `${createTemporaryFolder(files)}/z/*.jsonl`]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^accrete: cannot read .*\/z\/\*\.jsonl: there is no such file or folder\n/);
  });
});
