/** If this fails, `accrete validate` finds something else in the rows of a log than in the events that they hold, or in another place. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { fixtureStreams } from "../conform/check-stream.js";
import { chooseCases, quick } from "../depth.js";
import { createTemporaryFolder, readTree } from "../folders.js";
import { createRow } from "../rows/rows.js";

type Events = readonly JsonObject[];

const STREAMS = fixtureStreams
  .filter(({ id }) => id === "hecate/v1")
  .map(({ file, lines }) => ({ file, events: lines.map((line): JsonObject => JSON.parse(line)) }));

/** Changes of a stream that give findings. */
const FAULTS: { readonly [name: string]: (events: Events) => Events } = {
  nothing: (events) => events,
  "a lost event": (events) => events.toSpliced(2, 1),
  "an event that is sent again": (events) => [...events.slice(0, 3), ...events.slice(1)],
  "two events with one id": (events) => events.toSpliced(2, 0, { ...events[1], data: { more: 1 } }),
  "events in another order": (events) => [...events].reverse(),
  "calls and texts without an end": (events) =>
    events.filter(({ type }) => !/complete|finished|resolved|exited/.test(String(type))),
  "a wrong sequence": (events) => events.with(1, { ...events[1], sequence: "1" }),
  "a wrong run": (events) => events.with(1, { ...events[1], run_id: "x" }),
  "an unknown type": (events) => events.with(1, { ...events[1], type: "made.up" }),
  "an empty payload": (events) => events.with(-1, { ...events.at(-1), data: {} }),
  "wrong fields": (events) => events.map((event) => ({ ...event, data: { tool_call_id: 5, text: [] } })),
};

/** Returns the findings of a recording as line, rule and place. */
async function listFindings(lines: readonly JsonObject[], options: readonly string[]): Promise<string[]> {
  const root = createTemporaryFolder({
    "run.jsonl": lines.map((line) => JSON.stringify(line)).join("\n"),
  });
  const { stdout } = await runAccrete(["validate", `${root}/run.jsonl`, "--format", "json", ...options]);
  const { findings } = JSON.parse(stdout) as {
    findings: { rule: string; at: { line: number; pointer: string } }[];
  };
  return findings.map(({ rule, at }) => `${at.line} ${rule} ${at.pointer}`);
}

/** Returns a finding about an event as one about its row. A row has no id, so a finding about the id names the whole row. */
function renamePlace(finding: string): string {
  return finding
    .replace(" /data", " /event_data")
    .replace(/ \/type$/, " /event_type")
    .replace(/ \/occurred_at$/, " /created_at")
    .replace(/ \/event_id$/, " ");
}

describe.each(chooseCases(Object.entries(FAULTS), 3))(
  "validate finds in rows what it finds in events: %s",
  (_name, inject) => {
    const faulty = STREAMS.flatMap(({ events }) => inject(events));
    const rows = faulty.map((event) => createRow(event));
    // A row has no session, and each one has a task.
    const events = faulty.map(({ session_id: _session, ...event }, index) => ({
      ...event,
      task_id: rows[index]?.task_id ?? "",
    }));

    it.each([["--profile", "reader"], ["--profile", "writer"], ["--events-only"]])(
      "%s %s",
      async (...options) => {
        const expected = (await listFindings(events, options)).map(renamePlace);
        expect(await listFindings(rows, options)).toEqual(expected);
      },
    );
  },
);

quick.it("several threads find in rows what one thread finds", async () => {
  const rows = STREAMS.flatMap(({ events }) => events.toSpliced(2, 1)).map((event) => createRow(event));
  const options = ["--profile", "writer"];
  expect(await listFindings(rows, [...options, "--threads", "2"])).toEqual(await listFindings(rows, options));
});

const [{ events: EVENTS } = { events: [] }] = STREAMS;
const ROW = createRow(EVENTS[1] ?? {});

describe("validate", () => {
  quick.it.each([
    [
      "a payload that is a text without JSON",
      { ...ROW, event_data: "{" },
      'row-invalid /event_data The column "event_data" is neither an object nor a text with a JSON object.',
    ],
    [
      "a row without its run",
      { ...ROW, run_id: null },
      'row-invalid /run_id The column "run_id" is null, but every event has run_id.',
    ],
  ])("reports %s with its place", async (_name, row, message) => {
    const text = JSON.stringify(row);
    const root = createTemporaryFolder({
      "rows.jsonl": `${JSON.stringify(createRow(EVENTS[0] ?? {}))}\n${text}`,
    });
    const { exitCode, stdout } = await runAccrete(["validate", `${root}/rows.jsonl`]);
    const name = message.match(/\/(\w+)/)?.[1] ?? "";
    const column = text.indexOf(`"${name}":`) + name.length + 4;
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`rows.jsonl:2:${column}: error ${message}`);
  });

  quick.it("finds in payloads that are texts what it finds in objects, at the column", async () => {
    const faulty = STREAMS.flatMap(({ events }) => events.map((event) => ({ ...event, data: { text: [] } })));
    const rows = faulty.map((event) => createRow(event));
    const texts = rows.map((row) => ({ ...row, event_data: JSON.stringify(row.event_data) }));
    const options = ["--profile", "writer"];
    const expected = await listFindings(rows, options);
    expect(expected.some((finding) => finding.includes("/event_data/"))).toBe(true);
    const found = expected.map((finding) => finding.replace(/\/event_data\/.*/, "/event_data"));
    expect(await listFindings(texts, options)).toEqual(found);
  });

  quick.it("reads lists of rows over several lines, and points into the row", async () => {
    const list = { object: "list", data: [createRow(EVENTS[0] ?? {}), { ...ROW, created_at: 5 }] };
    const root = createTemporaryFolder({ "rows.json": JSON.stringify(list, undefined, 2) });
    const { stdout } = await runAccrete(["validate", `${root}/rows.json`]);
    const text = JSON.stringify(list, undefined, 2).split("\n");
    const line = text.findIndex((each) => each.includes('"created_at": 5')) + 1;
    expect(stdout).toContain(`rows.json:${line}:21: error event-invalid /data/1/created_at`);
  });

  quick.it("does not warn of secrets that stay in the log", async () => {
    const secret = "AKIAIOSFODNN7EXAMPLF";
    const validate = async (row: JsonObject): Promise<string> => {
      const root = createTemporaryFolder({ "rows.jsonl": JSON.stringify(row) });
      return (await runAccrete(["validate", `${root}/rows.jsonl`, "--profile", "writer"])).stdout;
    };
    expect(await validate(createRow(EVENTS[1] ?? {}, { run: { key: secret } }))).not.toContain(
      "secret-exposed",
    );
    expect(await validate(createRow(EVENTS[1] ?? {}, { redacted_keys: [secret] }))).toContain(
      "secret-exposed /event_data/redacted_keys/0",
    );
  });

  quick.it("compares rows with the events that were made of them", async () => {
    const rows = EVENTS.map((event) => JSON.stringify(createRow(event))).join("\n");
    const root = createTemporaryFolder({ "rows.jsonl": rows });
    const mapped = await runAccrete(["map-rows", `${root}/rows.jsonl`]);
    const both = createTemporaryFolder({ "rows.jsonl": rows, "events.jsonl": mapped.stdout });
    const { exitCode, stdout } = await runAccrete([
      "validate",
      "--compare",
      `${both}/rows.jsonl`,
      `${both}/events.jsonl`,
    ]);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  });
});

describe("map-rows", () => {
  const run = async (files: { readonly [name: string]: string }, line: string) => {
    const root = createTemporaryFolder(files);
    const { exitCode, stdout, stderr } = await runAccrete(
      line.split(" ").map((word) => word.replace(/^@/, root)),
    );
    return { exitCode, text: (stdout + stderr).replaceAll(`${root}/`, ""), files: readTree(root) };
  };
  const rows = `${EVENTS.map((event) => JSON.stringify(createRow(event))).join("\n")}\n`;

  quick.it("writes every recording under its name", async () => {
    const { exitCode, text, files } = await run(
      { "a.jsonl": rows, "b.jsonl": rows },
      "map-rows @/a.jsonl @/b.jsonl --out @/out",
    );
    expect({ exitCode, text }).toEqual({
      exitCode: 0,
      text: `${2 * EVENTS.length} rows mapped to public events\n`,
    });
    expect(
      Object.keys(files)
        .filter((name) => name.startsWith("out/"))
        .sort(),
    ).toEqual(["out/a.jsonl", "out/b.jsonl"]);
  });

  quick.it("writes nothing if one row is not valid, and names its place", async () => {
    const faulty = rows.replace('"created_at"', '"created"');
    const { exitCode, text, files } = await run({ "a.jsonl": faulty }, "map-rows @/a.jsonl --out @/out");
    expect(exitCode).toBe(1);
    expect(text).toContain(
      'a.jsonl:1:1: error row-invalid The row has no column "created_at", but every event has occurred_at.',
    );
    expect(text).toContain("1 error; nothing was written");
    expect(Object.keys(files)).toEqual(["a.jsonl"]);
  });

  quick.it.each([
    ["map-rows @/a.jsonl @/b.jsonl", "--out DIR"],
    ["map-rows @/missing.jsonl", "missing.jsonl"],
    ["map-rows --schemas @/none @/a.jsonl", 'add "rows" to its protocol.json'],
  ])("%s is refused", async (line, message) => {
    const frames = Object.fromEntries(
      Object.entries(readTree("schemas/frames/v1"))
        .filter(([name]) => !name.startsWith("releases"))
        .map(([name, text]) => [`none/frames/v1/${name}`, text]),
    );
    const { exitCode, text } = await run({ ...frames, "a.jsonl": rows, "b.jsonl": rows }, line);
    expect({ exitCode, text }).toMatchObject({ exitCode: 2, text: expect.stringContaining(message) });
  });
});
