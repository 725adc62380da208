/** If this fails, an archive whose events must be sorted has other findings than its events in order. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect } from "vitest";
import { createRandom } from "../../generator/random.js";
import { runAccrete } from "../commands/run-in-process.js";
import { deep, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";
import { createFaultyLines, describeByText, reportFindings, shuffle, sortLines } from "./archive.js";

/** Returns the first event of a run. */
function createRun(id: string, time = "2026-05-03T10:00:00.000Z"): { [field: string]: unknown } {
  return {
    schema_version: "1",
    event_id: `evt_${id}0`,
    run_id: `run_${id}`,
    task_id: `task_${id}`,
    session_id: `chat_${id}`,
    sequence: 0,
    occurred_at: time,
    type: "run.created",
    data: {},
  };
}

/** Returns the first two events of a run in the wrong order. */
function createSwappedRun(id: string, time?: string): readonly string[] {
  const created = createRun(id, time);
  const queued = {
    ...created,
    event_id: `evt_${id}1`,
    sequence: 1,
    type: "run.queued",
    data: { kind: "agent_loop" },
  };
  return [JSON.stringify(queued), JSON.stringify(created)];
}

function createArchive(lines: readonly string[]): string {
  return path.join(createTemporaryFolder({ "events.jsonl": `${lines.join("\n")}\n` }), "events.jsonl");
}

describe("a line that is not an event", () => {
  const swapped = createSwappedRun("A");

  quick.it.each([
    ["broken JSON", '{"type":', 1],
    ["a line that looks like a feed", "data: x", 1],
    ["a line that looks like a document", "[", 1],
    ["bytes that look like gzip", "\u001f\u008b", 1],
    ["a value that is no event", "7", 1],
    ["a line beyond the limit", `"${"x".repeat(65 * 2 ** 20)}"`, 1],
    ["a blank line", "", 0],
  ])("is found at its place, and the others are sorted: %s", async (_name, line, count) => {
    const inOrder = createArchive([...swapped].reverse().concat(line));
    const [queued = "", created = ""] = swapped;
    const archive = createArchive([queued, line, created]);
    const findings = await reportFindings("audit", archive);
    const expected = await reportFindings("validate", inOrder);
    expect(findings).toHaveLength(count);
    expect(findings.map(({ rule }) => rule)).toEqual(expected.map(({ rule }) => rule));
    if (count > 0) expect(findings[0]?.at).toMatchObject({ file: archive, line: 2 });
    const { stdout } = await runAccrete(["audit", archive]);
    expect(stdout).toContain(`${2 + count} events, ${count} invalid\n`);
  });
});

quick.it("sorts events of documents, and names their places", async () => {
  const [queued = "", created = ""] = createSwappedRun("A");
  const invalid = created.replace('"data": {}', '"data":7').replace('"data":{}', '"data":7');
  const folder = createTemporaryFolder({
    "a.json": JSON.stringify([JSON.parse(queued), JSON.parse(invalid)], undefined, 2),
    "b.jsonl": createSwappedRun("B").join("\n"),
  });
  const findings = await reportFindings("audit", folder);
  expect(findings.map(({ rule, at }) => ({ rule, pointer: at.pointer }))).toContainEqual({
    rule: "event-invalid",
    pointer: "/1/data",
  });
});

deep.it("closes streams that are complete, also if more are open at once than validate keeps", async () => {
  const ids = Array.from({ length: 60_000 }, (_, index) => String(index).padStart(26, "0"));
  const runs = ids
    .map((id) => createSwappedRun(id))
    .map(([queued = "", created = ""]) => ({ queued, created }));
  const archive = createArchive([...runs.map(({ created }) => created), ...runs.map(({ queued }) => queued)]);
  const { stdout, exitCode } = await runAccrete(["audit", archive, "--memory", "64MB"]);
  expect(stdout).toBe("120000 events, 0 invalid\n");
  expect(exitCode).toBe(0);
});

deep.it.each([1, 2, 3])("sorts events of all protocols and majors in one file, seed %i", async (seed) => {
  const protocols = ["frames/v1", "frames/v2", "hecate/v1"];
  const folders = protocols.map((id) => `fixtures/${id}/streams`);
  const lines = folders.flatMap((folder) =>
    readdirSync(folder).flatMap((file) =>
      readFileSync(path.join(folder, file), "utf8").trimEnd().split("\n"),
    ),
  );
  const archive = createArchive(shuffle(lines, createRandom(seed)));
  const { stdout } = await runAccrete(["audit", archive]);
  expect(stdout).toBe("388 events, 0 invalid, 42 of frames/v1, 68 of frames/v2\n");
  const sql =
    "SELECT count(*) AS events FROM frames_v1.events UNION ALL SELECT count(*) FROM frames_v2.events";
  const counts = await runAccrete(["audit", archive, "--sql", sql, "--format", "json"]);
  expect(JSON.parse(counts.stdout)).toEqual([{ events: 42 }, { events: 68 }]);
});

describe("selected streams", () => {
  const days = ["2026-05-01", "2026-05-02", "2026-05-03"];
  const lines = days.flatMap((day, index) => createSwappedRun(`D${index}`, `${day}T12:00:00.000Z`));

  quick.it.each([
    [["--since", "2026-05-02"], 4],
    [["--until", "2026-05-02"], 2],
    [["--since", "2026-05-02T12:00:00Z", "--until", "2026-05-02T12:00:01Z"], 2],
    [["--since", "2026-05-02T12:00:01Z", "--until", "2026-05-03T12:00:00Z"], 0],
    [["--sample", "100"], 6],
  ])("are those of the period: %j", async (options, count) => {
    const { stdout } = await runAccrete(["audit", createArchive(lines), "--allow-empty", ...options]);
    expect(stdout).toBe(`${count} events, 0 invalid\n`);
  });

  quick.it.each([
    [
      ["--since", "2026-06-01"],
      "there are no events in the streams of --sample, --since and --until. Use --allow-empty if that is right.",
    ],
    [["--since", "2026-05-02", "--until", "2026-05-02"], "--since must be before --until."],
  ])("must be some: %j", async (options, reason) => {
    const { stderr, exitCode } = await runAccrete(["audit", createArchive(lines), ...options]);
    expect({ stderr, exitCode }).toEqual({ stderr: `accrete: ${reason}\n`, exitCode: 2 });
  });

  quick.it("are whole streams, the same ones each time", async () => {
    const events = createFaultyLines(5, 3000);
    const all = describeByText(await reportFindings("audit", createArchive(sortLines(events))));
    const archive = createArchive(shuffle(events, createRandom(5)));
    const [first, second] = [
      await reportFindings("audit", archive, "--sample", "40"),
      await reportFindings("audit", archive, "--sample", "40"),
    ];
    expect(first).toEqual(second);
    expect(first.length).toBeGreaterThan(0);
    for (const finding of describeByText(first)) expect(all).toContainEqual(finding);
    expect(first.length).toBeLessThan(all.length);
  });
});

describe("the options of audit", () => {
  quick.it.each([
    ["--memory", "much", "It must be a size in MB or GB, such as 512MB or 2GB."],
    ["--memory", "512", "It must be a size in MB or GB, such as 512MB or 2GB."],
    ["--memory", "5MB", "It must be 64MB or more."],
    ["--sample", "0", "It must be a percentage above 0, up to 100, such as 5."],
    ["--sample", "101", "It must be a percentage above 0, up to 100, such as 5."],
    ["--since", "2026-02-30", "It must be a date or a time, such as 2026-11-01 or 2026-11-01T12:00:00Z."],
    ["--since", "2026-13-01", "It must be a date or a time, such as 2026-11-01 or 2026-11-01T12:00:00Z."],
    ["--since", "yesterday", "It must be a date or a time, such as 2026-11-01 or 2026-11-01T12:00:00Z."],
    ["--until", "2026-13-01", "It must be a date or a time, such as 2026-11-01 or 2026-11-01T12:00:00Z."],
  ])("refuse %s %s", async (option, value, reason) => {
    const { stderr, exitCode } = await runAccrete(["audit", "archive", option, value]);
    expect({ stderr, exitCode }).toEqual({
      stderr: expect.stringContaining(`argument '${value}' is invalid. ${reason}`),
      exitCode: 2,
    });
  });
});
