/** If this fails, `accrete audit` reads other events from Parquet files than were written, or stops at a damaged one. */
import { spawnSync } from "node:child_process";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openMemoryDatabase } from "../../generator/audit/database.js";
import { readParquetRows } from "../../generator/audit/parquet-input.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { createFaultyLines, reportFindings } from "./archive.js";
import { writeParquet } from "./parquet-files.js";

/** The parameters of a process that runs accrete. */
const CLI = ["--import", "tsx", "generator/cli.ts"];

const FIELDS = ["schema_version", "event_id", "run_id", "task_id", "session_id", "type"];
const TEXT_FIELDS = FIELDS.map((name) => `line ->> '$.${name}' AS ${name}`).join(", ");
const NUMBER = "(line ->> '$.sequence')::BIGINT AS sequence";

/** Reads the file `events.jsonl` with a type for each field, so that each payload has the fields of all event types. */
const TYPED_EVENTS =
  "read_json('FOLDER/events.jsonl', maximum_depth = -1, sample_size = -1, field_appearance_threshold = 0, map_inference_threshold = -1)";

/** Queries that write events in different columns. */
const FORMS: readonly (readonly [name: string, query: string])[] = [
  ["one column of texts", "SELECT line AS payload FROM lines"],
  ["a text column named event among others", "SELECT 'eu' AS region, line AS event FROM lines"],
  ["one column of bytes", "SELECT encode(line) AS raw, 7 AS shard FROM lines"],
  [
    "a column for each field, with times and a payload as text",
    `SELECT ${TEXT_FIELDS}, ${NUMBER}, (line ->> '$.occurred_at')::TIMESTAMPTZ AS occurred_at, (line -> '$.data')::VARCHAR AS data FROM lines`,
  ],
  [
    "a column for each field, with a payload as a struct",
    `SELECT ${FIELDS.join(", ")}, sequence, occurred_at, data FROM ${TYPED_EVENTS}`,
  ],
  [
    "a column for each field, with a payload as JSON",
    `SELECT ${TEXT_FIELDS}, ${NUMBER}, line ->> '$.occurred_at' AS occurred_at, line -> '$.data' AS data FROM lines`,
  ],
];

describe("a Parquet file", () => {
  // Columns of times cannot hold a damaged time.
  const lines = createFaultyLines(11, 300).filter(
    (line) => !Number.isNaN(Date.parse(JSON.parse(line).occurred_at)),
  );

  it.each(FORMS)("has the findings of its events: %s", async (_name, query) => {
    const folder = createTemporaryFolder({ "events.jsonl": `${lines.join("\n")}\n` });
    const file = path.join(folder, "events.parquet");
    await writeParquet(file, lines, query.replace("FOLDER", folder));
    const describeFindings = (findings: Awaited<ReturnType<typeof reportFindings>>): unknown[] =>
      findings.map(({ rule, message, at }) => ({ rule, message, line: at.line }));
    const expected = describeFindings(await reportFindings("audit", path.join(folder, "events.jsonl")));
    expect(describeFindings(await reportFindings("audit", file))).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  it("with a name that is a pattern for DuckDB is read, and not the files that the pattern matches", async () => {
    const folder = createTemporaryFolder();
    for (const name of ["a1", "b"])
      await writeParquet(`${folder}/${name}.parquet`, lines, "SELECT 1 AS other");
    const names = ["a[1].parquet", "?.parquet", "*.parquet"];
    for (const name of names)
      await writeParquet(path.join(folder, name), lines.slice(0, 5), "SELECT line FROM lines");
    const { stdout, stderr } = await runAccrete(["audit", ...names.map((name) => path.join(folder, name))]);
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining("15 events"), stderr: "" });
  });

  it("is recognised by its content, whatever its name", async () => {
    const file = path.join(createTemporaryFolder(), "part-00000");
    await writeParquet(file, lines.slice(0, 5), "SELECT line FROM lines");
    expect((await runAccrete(["audit", file])).stdout).toContain("5 events");
  });

  it("has times in UTC, whatever the time zone of the machine", async () => {
    const file = path.join(createTemporaryFolder(), "events.parquet");
    const columns = `${TEXT_FIELDS}, ${NUMBER}, '2026-05-03T10:00:00Z'::TIMESTAMPTZ AS occurred_at, {'at': '2026-05-03T10:00:00Z'::TIMESTAMPTZ} AS data`;
    await writeParquet(file, lines.slice(0, 1), `SELECT ${columns} FROM lines`);
    const sql =
      "SELECT time, event ->> '$.data.at' AS at, '2026-05-03T10:00:00Z'::TIMESTAMPTZ::VARCHAR AS zone FROM deliveries";
    const { stdout } = spawnSync(
      process.execPath,
      [...CLI, "audit", file, "--sql", sql, "--format", "json"],
      {
        encoding: "utf8",
        env: { ...process.env, TZ: "America/New_York" },
      },
    );
    expect(JSON.parse(stdout)).toEqual([
      { time: "2026-05-03 10:00:00", at: "2026-05-03T10:00:00.000Z", zone: "2026-05-03 10:00:00+00" },
    ]);
  });

  it("that is damaged does not keep others from being read", async () => {
    const folder = createTemporaryFolder({ "a.parquet": "not Parquet", "c.jsonl": `${lines[0]}\n` });
    const cut = path.join(folder, "b.parquet");
    await writeParquet(cut, lines, "SELECT line FROM lines");
    truncateSync(cut, readFileSync(cut).length - 10);
    const { stdout, stderr, exitCode } = await runAccrete(["audit", folder]);
    expect(exitCode).toBe(2);
    expect(stdout).toContain("1 event, 0 invalid");
    expect(stderr).toMatch(
      /^accrete: cannot read .*a\.parquet: .*\naccrete: cannot read .*b\.parquet: .*\n$/,
    );
  });

  it.each([
    [["--column", "list"], "its column list does not hold texts, but values of type VARCHAR[]"],
    [["--column", "evnt"], 'it has no column evnt; did you mean "event"? Its columns: event, other, list'],
    [[], "it is unclear which column holds the events; name it with --column. Its columns: event, other"],
  ])("without a clear column of events is named, with %j", async (options, reason) => {
    const folder = createTemporaryFolder();
    const file = path.join(folder, "a.parquet");
    await writeParquet(
      file,
      lines,
      options.length > 0
        ? "SELECT line AS event, line AS other, [line] AS list FROM lines"
        : "SELECT 1 AS event, 2 AS other",
    );
    const { stderr, exitCode } = await runAccrete(["audit", file, ...options]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`cannot read ${file}: ${reason}`);
  });
});

it("has a finding for a row with bytes that are not UTF-8, and reads undeclared bytes as base64", async () => {
  const file = path.join(createTemporaryFolder(), "a.parquet");
  const columns = `${TEXT_FIELDS.replace("line ->> '$.session_id'", "CASE WHEN line LIKE '%_two\"%' THEN unhex('ff') ELSE encode('chat_A') END")}, ${NUMBER}, line ->> '$.occurred_at' AS occurred_at, {'hash': unhex('fffe'), 'name': encode('é')} AS data`;
  const texts = ["one", "two", "three"].map((id, sequence) =>
    JSON.stringify({
      ...{ schema_version: "1", event_id: `evt_${id}`, run_id: "run_A", task_id: "task_A", sequence },
      ...{ occurred_at: "2026-05-03T10:00:00.000Z", type: "custom.one" },
    }),
  );
  await writeParquet(file, texts, `SELECT ${columns} FROM lines`);
  const findings = await reportFindings("audit", file, "--protocol", "hecate/v1");
  expect(findings.map(({ rule, message, at }) => [rule, message, at.line])).toEqual([
    ["json-syntax", expect.stringContaining('"session_id":not UTF-8'), 2],
  ]);
  const { stdout } = await runAccrete([
    "audit",
    file,
    "--sql",
    "SELECT event -> '$.data' AS data FROM deliveries",
    "--format",
    "json",
    "--limit",
    "1",
  ]);
  expect(JSON.parse(stdout)).toEqual([{ data: { hash: "//4=", name: "é" } }]);
});

/** Bytes of all lengths near those that DuckDB stores in another way: up to 12 bytes, and more than fits into the memory of a few rows. */
const ROW = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.integer({ min: 9, max: 14 }).map((length) => new Uint8Array(length).fill(0x61)),
  fc.constantFrom(2 ** 18 - 2, 2 ** 18, 2 ** 18 + 2).map((length) => new Uint8Array(length).fill(0x62)),
  fc.constantFrom(undefined, Buffer.from("\n{\n}\n")),
);

it("reads each row of a Parquet file as a line, and leaves out the rows between the wanted ones", async () => {
  const database = await openMemoryDatabase(2 ** 29);
  const file = path.join(createTemporaryFolder(), "rows.parquet");
  await fc.assert(
    fc.asyncProperty(
      fc.array(ROW, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(1, 8, 300, 2_048, 5_000),
      fc.array(fc.nat(), { maxLength: 6 }),
      async (pattern, count, cuts) => {
        const isLarge = pattern.some((row) => row !== undefined && row.length > 1_000);
        const rows = Array.from(
          { length: isLarge ? 40 : count },
          (_, index) => pattern[index % pattern.length],
        );
        const texts = rows.map((row) => (row ? Buffer.from(row).toString("hex") : "null"));
        await writeParquet(file, texts, "SELECT unhex(nullif(line, 'null')) AS event FROM lines");
        const limits = [...new Set([1, ...cuts.map((cut) => (cut % rows.length) + 1)])].sort((a, b) => a - b);
        const ranges = limits.flatMap((first, index) => {
          const end = limits[index + 1] ?? rows.length + 1;
          return index % 2 === cuts.length % 2 || index === limits.length - 1
            ? [{ first, last: end - 1 }]
            : [];
        });
        const pieces: Uint8Array[] = [];
        const form = { protocols: [], column: "event" };
        for await (const rows of readParquetRows(database, file, form, ranges)) pieces.push(...rows);
        const isWanted = (line: number): boolean =>
          ranges.some(({ first, last }) => first <= line && line <= last);
        const expected = rows.map((row, index) => {
          if (!isWanted(index + 1)) return "\n";
          return `${Buffer.from(row ?? "null")
            .toString("latin1")
            .replaceAll("\n", " ")}\n`;
        });
        const begin = (ranges[0]?.first ?? 1) - 1;
        expect(Buffer.concat(pieces).toString("latin1") === expected.slice(begin).join("")).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
  database.close();
});

it("refuses an archive without events, unless that is allowed", async () => {
  const folder = createTemporaryFolder();
  writeFileSync(path.join(folder, "a.jsonl"), "");
  const refused = await runAccrete(["audit", folder]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toBe("accrete: there are no events. Use --allow-empty if that is right.\n");
  expect((await runAccrete(["audit", folder, "--allow-empty"])).exitCode).toBe(0);
});

it("refuses standard input, which cannot be read a second time", async () => {
  const { exitCode, stderr } = await runAccrete(["audit", "-"], "{}");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr:
      "accrete: <stdin> can be read only once, and audit may have to read twice. Write it to a file, or use validate.\n",
  });
});
