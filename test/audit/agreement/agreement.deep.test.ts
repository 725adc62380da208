/**
 * If this fails, the commands, the views and the Spark job do not agree about an archive with faults of every kind, or an
 * independent program counts otherwise. `ACCRETE_TEST_ARCHIVE=1000000` sets the number of events.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import zlib from "node:zlib";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planViews } from "../../../generator/emit/sql/columns.js";
import {
  ARCHIVE_FAULTS,
  compareWithFaults,
  type PlantedFault,
  writeFaultyArchive,
} from "../../../scripts/corpus/faulty-archive.js";
import { runAccrete } from "../../commands/run-in-process.js";
import { startPostgresql } from "../../emit/postgresql/engine.js";
import { prepareSpark } from "../../emit/python/environment.js";
import { LARGE_TABLES, startSpark } from "../../emit/spark/engine.js";
import { runSparkJob } from "../../emit/spark/run-job.js";
import { SQL_RULES } from "../../emit/sql/cases.js";
import type { RawEvent, Row, Views } from "../../emit/sql/engine.js";
import { HECATE } from "../../emit/sql/hecate.js";
import { getCommand } from "../../package/build.js";
import type { ReportedFinding } from "../archive.js";
import { readParquet } from "../parquet-files.js";

const EVENTS = Number(process.env.ACCRETE_TEST_ARCHIVE ?? 8_000);
const isLarge = EVENTS > 100_000;
/** True if a person wants to see the figures. */
const isShown = process.env.ACCRETE_TEST_ARCHIVE !== undefined;
const FILES = 8;
const WRITER = ["--protocol", "hecate/v1", "--profile", "writer"];

/** What confirm.py counts. The second element says whether a name occurs twice in these events. */
interface Confirmed {
  readonly findings: readonly (readonly [rule: string, file: string, line: number])[];
  readonly deliveries: readonly (readonly [
    type: string,
    isTwice: boolean,
    delivery: string,
    count: number,
  ])[];
  readonly firsts: readonly (readonly [type: string, isTwice: boolean, count: number])[];
  readonly bill: readonly (readonly [field: string, isTwice: boolean, sum: number])[];
}

const python = prepareSpark();
const postgresql = await startPostgresql();
const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?(bytes: Buffer): Buffer };

let root: string;
let faults: readonly PlantedFault[];
let confirmed: Confirmed;
/** The findings of `accrete audit` about the lines. */
let findings: readonly ReportedFinding[];
const getFolder = (name: string): string => path.join(root, name);

/** Measures an action that has a number of findings. */
async function measure<T>(what: string, act: () => Promise<T>, count: (result: T) => number): Promise<T> {
  const begin = Date.now();
  const result = await act();
  const seconds = (Date.now() - begin) / 1000;
  if (isShown) console.log(`${what}: ${seconds.toFixed(1)} s, ${count(result)} findings`);
  return result;
}

const findAll = (command: string, target: string): Promise<readonly ReportedFinding[]> =>
  measure(
    `${command} ${path.basename(target)}`,
    async () => {
      const argv = [command, target, ...WRITER, "--format", "json", "--limit", "0"];
      const { stdout, stderr } = await runAccrete(argv);
      expect(stderr).toBe("");
      return JSON.parse(stdout).findings as readonly ReportedFinding[];
    },
    ({ length }) => length,
  );

/** The lines of files as bytes, because some are not UTF-8. */
const linesByFile = new Map<string, readonly Buffer[]>();
function readLines(file: string): readonly Buffer[] {
  const known = linesByFile.get(file);
  if (known !== undefined) return known;
  const bytes = readFileSync(file);
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf("\n", start);
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  linesByFile.set(file, lines);
  return lines;
}

const getStem = (file: string): string => path.basename(file).split(".")[0] ?? "";
const readLine = (stem: string, line: number): string =>
  readLines(getFolder(`lines/${stem}.jsonl`))[line - 1]?.toString("latin1") ?? "";
const readRun = (line: string): string => /"run_id":"([^"]*)"/.exec(line)?.[1] ?? "";

/** Describes a finding without the place of its text, and without digits that JavaScript cannot hold. */
const describeMessage = ({ rule, message, at }: ReportedFinding): string =>
  `${rule} ${at.pointer} ${message.replace(/\(byte \d+/, "(byte")}`;
const describeByPlace = (finding: ReportedFinding): string =>
  `${getStem(finding.at.file)}:${finding.at.line} ${describeMessage(finding)}`;
const placeRule = (rule: string, file: string, line: number): string => `${rule} ${getStem(file)}:${line}`;

/** Compares texts without their order. Only the first differences are shown, because there may be many. */
function expectEqual(found: readonly string[], expected: readonly string[]): void {
  const count = (texts: readonly string[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
    return counts;
  };
  const [all, wanted] = [count(found), count(expected)];
  const listExcess = (some: Map<string, number>, others: Map<string, number>): string[] =>
    [...some].flatMap(([text, number]) => (number > (others.get(text) ?? 0) ? [text] : [])).slice(0, 20);
  expect({ missed: listExcess(wanted, all), invented: listExcess(all, wanted) }).toEqual({
    missed: [],
    invented: [],
  });
  expect(expected.length).toBeGreaterThan(10);
}

/** Yields the lines that are UTF-8, with their places. The engines of the views cannot read others. */
function* listRawEvents(): Generator<RawEvent> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (const file of readdirSync(getFolder("lines")).sort())
    for (const [index, bytes] of readLines(getFolder(`lines/${file}`)).entries())
      try {
        yield { event: decoder.decode(bytes), file: getStem(file), position: index + 1 };
      } catch {
        // This line is not UTF-8.
      }
}

/** Writes the lines of each file in another form. */
async function writeForm(
  name: string,
  extension: string,
  write: (lines: string, target: string) => unknown,
): Promise<string> {
  mkdirSync(getFolder(name));
  for (const file of readdirSync(getFolder("lines")))
    await write(getFolder(`lines/${file}`), getFolder(`${name}/${getStem(file)}.${extension}`));
  return getFolder(name);
}

/** Writes rows to a Parquet file. Each row has the bytes of a line, and its number. */
async function writeParquetFile(lines: readonly Buffer[], target: string, query: string): Promise<void> {
  const connection: DuckDBConnection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run("CREATE TABLE lines(number INTEGER, line BLOB)");
  const appender = await connection.createAppender("lines");
  for (const [index, line] of lines.entries()) {
    appender.appendInteger(index);
    appender.appendBlob(line);
    appender.endRow();
  }
  appender.closeSync();
  await connection.run(`COPY (${query} ORDER BY number) TO '${target}' (FORMAT parquet)`);
  connection.closeSync();
}

/** The columns of an envelope, of which the event is made again. */
const COLUMNS = `${["schema_version", "event_id", "run_id", "task_id", "session_id", "type", "occurred_at"]
  .map((name) => `json ->> '$.${name}' AS ${name}`)
  .join(", ")}, (json ->> '$.sequence')::BIGINT AS sequence, (json -> '$.data')::VARCHAR AS data`;

/** The faults that columns cannot have. */
const TEXT_FAULTS: readonly string[] = [
  "cut line",
  "bytes that are not UTF-8",
  "name twice",
  "wrong type of a field",
];

/** Returns the runs with one of these faults. */
function listRuns(isWanted: (kind: string) => boolean): ReadonlySet<string> {
  const wanted = faults.filter(({ kind }) => isWanted(kind)).flatMap(({ places }) => [...places]);
  return new Set(wanted.map((place) => readRun(readLine(getStem(place), Number(place.split(":")[1])))));
}

/** Runs the independent program. */
async function confirm(): Promise<Confirmed> {
  const program = spawn(
    "python3",
    [
      ...[path.resolve("test/audit/agreement/confirm.py"), getFolder("lines")],
      ...[path.resolve("schemas/hecate/v1"), getFolder("sorted.jsonl")],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  return JSON.parse(await readText(program.stdout));
}

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), "accrete-agreement-"));
  mkdirSync(getFolder("lines"));
  const runsPerFault = isLarge ? 20 : 1;
  const archive = { folder: getFolder("lines"), events: EVENTS, files: FILES, seed: 43, runsPerFault };
  faults = writeFaultyArchive({ ...archive, redelivered: 0.01 }).faults;
  confirmed = await measure("confirm.py", confirm, (each) => each.findings.length);
  findings = await findAll("audit", getFolder("lines"));
}, 3_600_000);
afterAll(async () => {
  await postgresql?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe("an archive with faults of every kind and redeliveries", { timeout: 3_600_000 }, () => {
  it("has the findings that an independent program has", () => {
    expectEqual(
      findings.map(({ rule, at }) => placeRule(rule, at.file, at.line)),
      confirmed.findings.map((each) => placeRule(...each)),
    );
    const { missed, kinds } = compareWithFaults(faults, findings as Parameters<typeof compareWithFaults>[1]);
    expect(missed).toEqual([]);
    expect(Object.keys(kinds).sort()).toEqual(Object.keys(ARCHIVE_FAULTS).sort());
    if (isShown) console.table(kinds);
  });

  it("has them in each compressed form", async () => {
    const expected = findings.map(describeByPlace);
    const gzip = await writeForm("gz", "jsonl.gz", (lines, target) =>
      writeFileSync(target, zlib.gzipSync(readFileSync(lines), { level: 1 })),
    );
    expectEqual((await findAll("audit", gzip)).map(describeByPlace), expected);
    if (zstdCompressSync === undefined) return console.warn("Node is older than 22.15: zstd is not read");
    const zstd = await writeForm("zst", "jsonl.zst", (lines, target) =>
      writeFileSync(target, zstdCompressSync(readFileSync(lines))),
    );
    expectEqual((await findAll("audit", zstd)).map(describeByPlace), expected);
  });

  it("has them as a column of Parquet files", async () => {
    const folder = await writeForm("parquet", "parquet", (lines, target) =>
      writeParquetFile(readLines(lines), target, "SELECT line AS event FROM lines"),
    );
    expectEqual((await findAll("audit", folder)).map(describeByPlace), findings.map(describeByPlace));
  });

  it("has them in columns of Parquet files, as far as columns can hold the faults", async () => {
    const omitted = listRuns((kind) => TEXT_FAULTS.includes(kind));
    const numbers = new Map<string, readonly number[]>();
    const folder = await writeForm("columns", "parquet", (lines, target) => {
      const kept = [...readLines(lines).entries()].filter(
        ([, line]) => !omitted.has(readRun(line.toString("latin1"))),
      );
      numbers.set(
        getStem(target),
        kept.map(([index]) => index + 1),
      );
      const query = `SELECT ${COLUMNS} FROM (SELECT number, decode(line)::JSON AS json FROM lines)`;
      return writeParquetFile(
        kept.map(([, line]) => line),
        target,
        query,
      );
    });
    const found = (await findAll("audit", folder)).map((finding) => {
      const line = numbers.get(getStem(finding.at.file))?.[finding.at.line - 1] ?? 0;
      return describeByPlace({ ...finding, at: { ...finding.at, line } });
    });
    const expected = findings.filter(({ at }) => !omitted.has(readRun(readLine(getStem(at.file), at.line))));
    expectEqual(found, expected.map(describeByPlace));
  });

  it("has them when its events are sorted", async () => {
    const sorted = readLines(getFolder("sorted.jsonl"));
    const found = await findAll("validate", getFolder("sorted.jsonl"));
    expectEqual(
      found.map((each) => `${sorted[each.at.line - 1]?.toString("latin1")} ${describeMessage(each)}`),
      findings.map((each) => `${readLine(getStem(each.at.file), each.at.line)} ${describeMessage(each)}`),
    );
    linesByFile.delete(getFolder("sorted.jsonl"));
  });
});

describe.skipIf(python === undefined)("the Spark job over such an archive", { timeout: 7_200_000 }, () => {
  it("finds what audit finds", async () => {
    mkdirSync(getFolder("job"));
    const run = await measure(
      "Spark job",
      () =>
        runSparkJob(python ?? "", {
          ...{
            folder: getFolder("job"),
            archive: getFolder("lines"),
            command: `${process.execPath} ${getCommand()}`,
          },
          ...{ profile: "writer", workers: 0, memory: 1024, settings: ["spark.ui.enabled=false"] },
        }),
      () => 0,
    );
    // There are errors.
    expect(run.exitCode, run.log.slice(-2000)).toBe(1);
    const rows = (await readParquet(path.join(run.output, "findings/*.parquet"))) as readonly Row[];
    const describeRow = (row: Row): string =>
      [
        row.rule,
        row.pointer,
        `${row.message}`.replace(/\(byte \d+/, "(byte"),
        getStem(`${row.file}`),
        row.stream,
        row.sequence,
      ].join(" ");
    expectEqual(
      rows.map(describeRow),
      findings.map((finding) => {
        const { run_id: stream = "", sequence = null } = parseObject(
          readLine(getStem(finding.at.file), finding.at.line),
        );
        return describeRow({
          ...finding,
          pointer: finding.at.pointer,
          file: finding.at.file,
          stream,
          sequence,
        });
      }),
    );
  });
});

/** The event types whose views are asked where that takes long, because each of them reads all events. */
const SOME_TYPES: readonly string[] = [
  "artifact.created",
  "assistant.text_complete",
  "run.finished",
  "tool.completed",
  "turn.completed",
];
const TYPES = isLarge ? SOME_TYPES : HECATE.events.map(({ type }) => type);

/** An engine with the views. */
interface AskedEngine {
  readonly name: string;
  readonly query: Views["query"];
  /** Whether it reads events in which a name occurs twice. */
  readonly readsTwice: boolean;
  /** The event types whose views are asked. */
  readonly types: readonly string[];
}

/** Compares the numbers of the views with those of the independent program. */
const compareNumbers = ({ name: engine, query, readsTwice, types }: AskedEngine): Promise<void> =>
  measure(
    `numbers on ${engine}`,
    async () => {
      const add = (
        entries: readonly (readonly [key: string, isTwice: boolean, count: number])[],
      ): string[] => {
        const sums = new Map<string, number>();
        for (const [key, isTwice, count] of entries)
          if (readsTwice || !isTwice) sums.set(key, (sums.get(key) ?? 0) + count);
        return [...sums].map(([key, sum]) => `${key} ${sum}`).sort();
      };
      const format = (rows: readonly Row[]): string[] =>
        rows.map((row) => Object.values(row).join(" ")).sort();
      const deliveries = await query(
        "SELECT type, delivery, count(*) AS count FROM deliveries WHERE type IS NOT NULL GROUP BY type, delivery",
      );
      expect(format(deliveries)).toEqual(
        add(confirmed.deliveries.map(([type, isTwice, way, count]) => [`${type} ${way}`, isTwice, count])),
      );
      const counts = await query(
        planViews(HECATE)
          .views.filter(({ eventType }) => types.includes(eventType))
          .map(
            ({ name, eventType }) =>
              `SELECT '${eventType}' AS type, count(*) AS count, count(CASE WHEN is_first THEN 1 END) AS firsts FROM ${name}`,
          )
          .join("\nUNION ALL "),
      );
      const isAsked = ([type]: readonly [type: string, ...rest: readonly unknown[]]): boolean =>
        types.includes(type);
      const found = counts.filter(({ count }) => Number(count) > 0);
      expect(format(found.map(({ type, count }) => ({ type, count })))).toEqual(
        add(confirmed.deliveries.filter(isAsked).map(([type, isTwice, , count]) => [type, isTwice, count])),
      );
      expect(format(found.map(({ type, firsts }) => ({ type, firsts })))).toEqual(
        add(confirmed.firsts.filter(isAsked)),
      );
      const [bill = {}] = await query(
        "SELECT sum(cost_micros_usd) AS cost_micros_usd, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens FROM turn_spans",
      );
      expect(
        Object.entries(bill)
          .map(([field, sum]) => `${field} ${sum}`)
          .sort(),
      ).toEqual(add(confirmed.bill));
    },
    () => 0,
  );

const queryViolations = (engine: string, query: Views["query"]): Promise<readonly string[]> =>
  measure(
    `violations on ${engine}`,
    async () => {
      const rows = await query("SELECT rule, file, position FROM violations");
      return rows.map(({ rule, file, position }) => placeRule(`${rule}`, `${file}`, Number(position)));
    },
    ({ length }) => length,
  );

/**
 * Returns the findings that the views should have if they also read events with a name that occurs twice: in the runs of these,
 * what audit finds if the name is there once.
 */
async function expectViolations(): Promise<readonly string[]> {
  const runs = listRuns((kind) => kind === "name twice");
  const twice: RawEvent[] = [];
  for (const event of listRawEvents()) if (runs.has(readRun(event.event))) twice.push(event);
  const file = getFolder("once.jsonl");
  writeFileSync(
    file,
    twice
      .map(({ event }) => `${event.replace('{"schema_version":"1","schema_version"', '{"schema_version"')}\n`)
      .join(""),
  );
  const found = (await findAll("audit", file)).map(({ rule, at }) => {
    const { file: own = "", position = 0 } = twice[at.line - 1] ?? {};
    return { rule, file: own, line: position };
  });
  const others = findings
    .filter(({ at }) => !runs.has(readRun(readLine(getStem(at.file), at.line))))
    .map(({ rule, at: { file, line } }) => ({ rule, file, line }));
  return [...found, ...others]
    .filter(({ rule }) => SQL_RULES.includes(rule))
    .map(({ rule, file, line }) => placeRule(rule, file, line));
}

describe("the views over such an archive", { timeout: 7_200_000 }, () => {
  it("agree on DuckDB, which `accrete audit --sql` fills with the events that can be read", async () => {
    const query = async (sql: string): Promise<readonly Row[]> => {
      const argv = ["audit", getFolder("lines"), "--protocol", "hecate/v1", "--sql", sql];
      const { stdout, exitCode } = await runAccrete([
        ...argv,
        "--format",
        "json",
        "--limit",
        "0",
        "--memory",
        "4GB",
      ]);
      expect(exitCode).toBe(0);
      return JSON.parse(stdout);
    };
    await compareNumbers({ name: "DuckDB", query, readsTwice: false, types: TYPES });
    const expected = findings.filter(({ rule }) => SQL_RULES.includes(rule));
    expectEqual(
      await queryViolations("DuckDB", query),
      expected.map(({ rule, at }) => placeRule(rule, at.file, at.line)),
    );
  });

  it.skipIf(postgresql === undefined)("agree on PostgreSQL", async () => {
    if (postgresql === undefined) return;
    const { query } = await measure(
      "load PostgreSQL",
      () => postgresql.openViews(HECATE, listRawEvents()),
      () => 0,
    );
    await compareNumbers({ name: "PostgreSQL", query, readsTwice: true, types: TYPES });
    const found = await queryViolations("PostgreSQL", query);
    const isOfDeliveries = (each: string): boolean =>
      /^(sequence-late|event-conflict|event-repeated) /.test(each);
    expectEqual(found, (await expectViolations()).filter(isOfDeliveries));
  });

  it.skipIf(python === undefined)("agree on Spark", async () => {
    const spark = startSpark(python ?? "", root, isLarge ? LARGE_TABLES : []);
    const { query } = await measure(
      "load Spark",
      () => spark.openViews(HECATE, listRawEvents()),
      () => 0,
    );
    await compareNumbers({ name: "Spark", query, readsTwice: true, types: SOME_TYPES });
    expectEqual(await queryViolations("Spark", query), await expectViolations());
    spark.stop();
  });
});

function parseObject(line: string): { readonly [name: string]: unknown } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
