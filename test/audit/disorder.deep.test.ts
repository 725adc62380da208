/** If this fails, an archive with a few streams out of order has other findings or counts than its events in order. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateArchive } from "../../generator/audit/validate-archive.js";
import type { LineRange } from "../../generator/ingest/place.js";
import { createRandom } from "../../generator/random.js";
import type { Validators } from "../../generator/validators/protocol-validators.js";
import { generateCorpus } from "../../scripts/corpus/corpus.js";
import { type FaultName, injectFaults } from "../../scripts/corpus/faults.js";
import { runAccrete } from "../commands/run-in-process.js";
import { validators } from "../conform/check-stream.js";
import { createTemporaryFolder } from "../folders.js";
import type { ReportedFinding } from "./archive.js";
import { writeParquet } from "./parquet-files.js";

/** An archive in its order, and how it is stored. */
interface Archive {
  readonly seed: number;
  readonly faults: readonly FaultName[];
  readonly rate: number;
  /** The number of lines that are moved to any other place. */
  readonly moved: number;
  /** The number of lines whose end is cut off. */
  readonly cut: number;
  readonly forms: readonly Form[];
}

const LINES = 900;

function createLines({ seed, faults, rate, moved, cut }: Archive, count = LINES): string[] {
  const random = createRandom(seed);
  const lines: string[] = [];
  for (const line of injectFaults(generateCorpus(seed), faults, seed, new Map(), rate)) {
    lines.push(line);
    if (lines.length === count) break;
  }
  const pick = (): number => Math.floor(random.next() * lines.length);
  for (let index = 0; index < moved; index++) lines.splice(pick(), 0, ...lines.splice(pick(), 1));
  for (let index = 0; index < cut; index++) {
    const at = pick();
    lines[at] = (lines[at] as string).slice(0, 1 + Math.floor(random.next() * 300));
  }
  return lines;
}

/** Sorts lines by their runs and numbers. A line without a number stays behind the line of its run, and one without a run behind any line. */
function sortByRun(lines: readonly string[]): readonly string[] {
  const lastNumbers = new Map<string, number>();
  let lastRun = "";
  const located = lines.map((line) => {
    const { run = lastRun, number } = locate(line);
    const place = { line, run, number: number ?? lastNumbers.get(run) ?? -Infinity };
    lastNumbers.set(run, place.number);
    lastRun = run;
    return place;
  });
  return located
    .sort((a, b) => {
      if (a.run !== b.run) return a.run < b.run ? -1 : 1;
      return a.number === b.number ? 0 : a.number - b.number;
    })
    .map(({ line }) => line);
}

function locate(line: string): { readonly run?: string; readonly number?: number } {
  try {
    const { run_id: run = "", sequence } = JSON.parse(line);
    return { run, ...(typeof sequence === "number" && { number: sequence }) };
  } catch {
    const [, run] = /"run_id":"([^"\\]*)"/.exec(line) ?? [];
    return run === undefined ? {} : { run };
  }
}

/** The forms in which files store lines. */
const FORMS = {
  lines: async (file: string, lines: readonly string[]) => writeFileSync(`${file}.jsonl`, joinLines(lines)),
  marked: async (file: string, lines: readonly string[]) =>
    writeFileSync(`${file}.jsonl`, `\uFEFF${joinLines(lines)}`),
  gzip: async (file: string, lines: readonly string[]) =>
    writeFileSync(`${file}.jsonl.gz`, gzipSync(joinLines(lines))),
  parquet: (file: string, lines: readonly string[]) =>
    writeParquet(`${file}.parquet`, lines, "SELECT line AS event FROM lines"),
};

type Form = keyof typeof FORMS;

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

interface Report {
  readonly findings: readonly ReportedFinding[];
  readonly summary: { readonly stats: { readonly streams: readonly object[] }; readonly hidden: number };
}

async function readReport(...argv: readonly string[]): Promise<Report> {
  const { stdout, stderr } = await runAccrete([...argv, "--protocol", "hecate/v1", "--format", "json"]);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

/** Returns findings with the lines that they are about, and counts, both without an order. */
function describeReport(
  { findings, summary }: Report,
  readLine: (at: ReportedFinding["at"]) => string,
): unknown {
  const sortTexts = (values: readonly unknown[]): string[] =>
    values.map((value) => JSON.stringify(value)).sort();
  const { streams, ...stats } = summary.stats;
  const days = { ...stats, days: undefined };
  return {
    findings: sortTexts(
      findings.map(({ rule, message, at }) => [
        rule,
        message.replace(/(?<=byte )\d+/, "N"),
        at.pointer,
        readLine(at),
      ]),
    ),
    summary: { ...summary, stats: { ...days, streams: sortTexts(streams) } },
  };
}

const ARCHIVE: fc.Arbitrary<Archive> = fc.record({
  seed: fc.nat(),
  faults: fc.subarray<FaultName>(["drop", "duplicate", "reorder", "corrupt", "unknown"]),
  rate: fc.constantFrom(0.003, 0.01, 0.03),
  moved: fc.nat(2),
  cut: fc.nat(3),
  forms: fc.array(fc.constantFrom<Form>("lines", "marked", "gzip", "parquet"), {
    minLength: 1,
    maxLength: 4,
  }),
});

describe("an archive with a few streams out of order", () => {
  it("has the findings and the counts of the sorted events", async () => {
    await fc.assert(
      fc.asyncProperty(ARCHIVE, async (archive) => {
        const lines = createLines(archive);
        const folder = createTemporaryFolder();
        const sortedLines = sortByRun(lines);
        const sorted = path.join(createTemporaryFolder(), "sorted.jsonl");
        writeFileSync(sorted, joinLines(sortedLines));
        const files = new Map<string, readonly string[]>();
        const size = Math.ceil(lines.length / archive.forms.length);
        for (const [index, form] of archive.forms.entries()) {
          const part = lines.slice(index * size, (index + 1) * size);
          await FORMS[form](path.join(folder, String(index)), part);
          files.set(String(index), part);
        }
        const all = ["--stats", "--limit", "0"];
        const expected = await readReport("validate", sorted, ...all);
        const found = await readReport("audit", folder, ...all);
        expect(
          describeReport(
            found,
            ({ file, line }) => files.get(path.basename(file).split(".")[0] ?? "")?.[line - 1] ?? "",
          ),
        ).toEqual(describeReport(expected, ({ line }) => sortedLines[line - 1] ?? ""));
        const places = found.findings.map(({ at }) => `${at.file}:${String(at.line).padStart(9)}`);
        expect(places).toEqual([...places].sort());
        const first = await readReport("audit", folder, "--stats", "--limit", "2");
        expect(first.findings).toEqual(found.findings.slice(0, 2));
        expect(first.summary.hidden).toBe(Math.max(0, found.findings.length - 2));
      }),
      { numRuns: 8 },
    );
  });

  it.each([
    ["in order", [0, 1]],
    ["out of order", [1, 0]],
  ])(
    "reports a wrong text also if a line of an unknown stream comes in between: %s",
    async (_name, order) => {
      const createEvent = (run: string, sequence: number, type: string, data: object): string =>
        JSON.stringify({
          ...{
            schema_version: "1",
            event_id: `evt_${run}${sequence}`,
            run_id: `run_${run}`,
            task_id: `task_${run}`,
          },
          ...{ session_id: `chat_${run}`, sequence, occurred_at: "2026-05-03T10:00:00.000Z", type, data },
        });
      const text = { turn_index: 1, block_index: 0 };
      const lines = [
        ...order.map((number) =>
          number === 0
            ? createEvent("A", 0, "run.created", {})
            : createEvent("A", 1, "assistant.text_delta", { ...text, delta: "a" }),
        ),
        createEvent("B", 0, "run.created", {}),
        '{"type":',
        createEvent("A", 2, "assistant.text_complete", { ...text, text: "abc" }),
        createEvent("B", 1, "run.queued", []),
      ];
      const folder = createTemporaryFolder({
        "archive.jsonl": joinLines(lines),
        "sorted.jsonl": joinLines(sortByRun(lines)),
      });
      const { findings } = await readReport("audit", path.join(folder, "archive.jsonl"));
      expect(findings.map(({ rule, at }) => [rule, at.line])).toEqual([
        ["json-syntax", 4],
        ["text-mismatch", 5],
        ["event-invalid", 6],
      ]);
      const expected = await readReport("validate", path.join(folder, "sorted.jsonl"));
      expect(expected.findings.map(({ rule }) => rule).sort()).toEqual([
        "event-invalid",
        "json-syntax",
        "text-mismatch",
      ]);
    },
  );

  it("has the finding about an event that comes long after the end of its stream", async () => {
    const lines: string[] = [];
    let bytes = 0;
    for (const line of generateCorpus(2)) {
      lines.push(line);
      bytes += line.length;
      // The validation remembers streams that have ended for at most 8 MiB.
      if (bytes > 10 * 2 ** 20) break;
    }
    const end = JSON.parse(lines.find((line) => line.includes('"type":"run.finished"')) ?? "");
    lines.push(
      JSON.stringify({ ...end, event_id: `${end.event_id.slice(0, -4)}ZZZZ`, sequence: end.sequence + 1 }),
    );
    const folder = createTemporaryFolder({
      "archive.jsonl": joinLines(lines),
      "sorted.jsonl": joinLines(sortByRun(lines)),
    });
    const writer = ["--profile", "writer", "--limit", "0"];
    const expected = await readReport("validate", path.join(folder, "sorted.jsonl"), ...writer);
    const found = await readReport("audit", path.join(folder, "archive.jsonl"), ...writer);
    const describe = ({ findings }: Report): string[] =>
      findings.map(({ rule, message }) => `${rule}: ${message}`).sort();
    expect(describe(found)).toEqual(describe(expected));
    const late = found.findings.filter(({ at }) => at.line === lines.length);
    expect(late.map(({ rule }) => rule)).toEqual(["terminal-repeated"]);
  });

  it("is read again only where these streams are", async () => {
    const lines = createLines({ seed: 4, faults: [], rate: 0, moved: 0, cut: 0, forms: [] }, 9_000);
    const runs = lines.map((line) => locate(line).run);
    const extents = [600, 8_000].map((index) => {
      const own = [...runs.keys()].filter((each) => runs[each] === runs[index]);
      const [earlier = 0, later = 0] = own.slice(2, 4);
      [lines[earlier], lines[later]] = [lines[later] as string, lines[earlier] as string];
      return { first: (own[0] as number) + 1, last: (own.at(-1) as number) + 1 };
    });
    // A redelivery is not out of order.
    lines.push(...lines.slice(0, 3));
    const reads: unknown[] = [];
    const open = async function* (ranges?: readonly LineRange[]) {
      reads.push(ranges);
      const [begin, end] = [ranges?.[0]?.first ?? 1, ranges?.at(-1)?.last ?? Infinity];
      yield Buffer.from(joinLines(lines.slice(begin - 1, end)));
    };
    const folder = createTemporaryFolder();
    const { findings, outcome } = await validateArchive(
      {
        inputs: [{ index: 0, name: "a", format: "lines", open }],
        validators: [validators.get("hecate/v1") as Validators],
        profile: "reader",
        stats: false,
        limit: 0,
        table: undefined,
        selection: undefined,
        memory: 2 ** 26,
        folder: { getPath: () => folder, remove: () => {} },
      },
      { showsProgress: false, stderr: () => {} } as unknown as Parameters<typeof validateArchive>[1],
    );
    expect(findings).toEqual([]);
    expect(outcome.tally).toMatchObject({ events: lines.length, findings: 0 });
    expect(reads).toEqual([undefined, extents]);
  });

  it("is read from the beginning again before a large Parquet file was read to its end", async () => {
    // The thread that reads the file is some pieces of 2,048 rows ahead.
    const lines = Array.from({ length: 70_000 }, (_, index) => {
      const sequence = index % 2 === 0 ? 1 : 0;
      const ids = { event_id: `evt_${index}`, run_id: `run_${index >> 1}`, sequence };
      return JSON.stringify({ ...ids, type: sequence === 0 ? "run.created" : "run.queued", data: {} });
    });
    const folder = createTemporaryFolder({ "archive.jsonl": joinLines(lines) });
    await writeParquet(path.join(folder, "archive.parquet"), lines, "SELECT line AS event FROM lines");
    const [expected, found] = await Promise.all(
      ["archive.jsonl", "archive.parquet"].map((name) =>
        readReport("audit", path.join(folder, name), "--stats", "--limit", "20000"),
      ),
    );
    const omitFile = (report: Report | undefined): unknown => ({
      summary: report?.summary,
      lines: report?.findings.map(({ at }) => at.line),
    });
    expect(omitFile(found)).toEqual(omitFile(expected));
  });
});
