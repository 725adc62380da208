/** If this fails, one damaged file of an archive ends the audit, or is skipped without a word. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import zlib, { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../generator/random.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { createFaultyLines, shuffle, sortLines } from "./archive.js";

const lines = sortLines(createFaultyLines(9, 3000));
const text = Buffer.from(`${lines.join("\n")}\n`);

async function createParquet(query: string): Promise<Buffer> {
  const file = path.join(createTemporaryFolder({ "a.jsonl": text.toString() }), "a.parquet");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`);
  return readFileSync(file);
}

/** Returns bytes with other ones in the middle. */
function damage(bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes);
  const start = Math.floor(bytes.length / 3);
  damaged.fill(0xaa, start, start + 200);
  return damaged;
}

const cut = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);

const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?(bytes: Buffer): Buffer };
const eventQuery = `SELECT repeat('x', 100) || i AS event FROM range(20000) t(i)`;
const longQuery = "SELECT hash(i)::VARCHAR || hash(-i) AS event FROM range(700000) t(i)";

/** Damaged files, each with the reason in the report. Zstd needs Node 22.15. */
const FILES: readonly (readonly [name: string, create: () => Buffer | Promise<Buffer>, reason: RegExp])[] = [
  ["cut.jsonl.gz", () => cut(gzipSync(text)), /its compressed data is cut off/],
  ["damaged.jsonl.gz", () => damage(gzipSync(text)), /its compressed data is damaged/],
  ...(zstdCompressSync
    ? ([
        ["cut.jsonl.zst", () => cut(zstdCompressSync(text)), /its compressed data is cut off/],
        [
          "damaged.jsonl.zst",
          () => damage(zstdCompressSync(text)),
          /its compressed data is damaged or cut off/,
        ],
      ] as const)
    : []),
  ["empty.parquet", () => Buffer.alloc(0), /too small to be a Parquet file/],
  ["cut.parquet", async () => cut(await createParquet(eventQuery)), /No magic bytes found at end of file/],
  ["damaged.parquet", async () => damage(await createParquet(eventQuery)), /./],
  // DuckDB gives thousands of rows before it comes to the damage.
  ["damaged-later.parquet", async () => damage(await createParquet(longQuery)), /decompression failure/],
  [
    "numbers.parquet",
    () => createParquet("SELECT 7 AS event"),
    /it is unclear which column holds the events/,
  ],
];

it.each(FILES)("%s is named with a reason, and all other files are read", async (name, create, reason) => {
  const folder = createTemporaryFolder({ "a.jsonl": text.toString(), "z.jsonl": "{}\n" });
  writeFileSync(path.join(folder, name), await create());
  const { stdout, stderr, exitCode } = await runAccrete([
    "audit",
    folder,
    "--format",
    "json",
    "--limit",
    "0",
  ]);
  expect(exitCode).toBe(2);
  const sentences = stderr.trimEnd().split("\n");
  expect(sentences).toHaveLength(1);
  expect(stderr).toContain(`accrete: cannot read ${folder}/${name}: `);
  expect(stderr).toMatch(reason);
  const { findings, summary } = JSON.parse(stdout);
  expect(summary.events).toBeGreaterThanOrEqual(lines.length + 1);
  expect(findings.map(({ at }: { at: { file: string } }) => at.file)).toContain(`${folder}/z.jsonl`);
});

it("a row that is not UTF-8 is a finding about the row", async () => {
  const folder = createTemporaryFolder();
  writeFileSync(
    path.join(folder, "a.parquet"),
    await createParquet(String.raw`SELECT unnest(['{}'::BLOB, '\xFF\xFE'::BLOB, '{}'::BLOB]) AS event`),
  );
  const { stdout, stderr } = await runAccrete(["audit", folder, "--format", "json"]);
  expect(stderr).toBe("");
  const { findings } = JSON.parse(stdout);
  expect(findings).toContainEqual(
    expect.objectContaining({ rule: "json-encoding", at: expect.objectContaining({ line: 2 }) }),
  );
});

it("a row with line ends is one event", async () => {
  const folder = createTemporaryFolder();
  const line = lines.at(-1) ?? "";
  const pretty = JSON.stringify(JSON.parse(line), undefined, 2).replaceAll("'", "''");
  writeFileSync(path.join(folder, "a.parquet"), await createParquet(`SELECT '${pretty}' AS event`));
  const { stdout } = await runAccrete(["audit", folder]);
  expect(stdout).toMatch(/(^|\n)1 event, 0 invalid\n$/);
});

/** Mounts a file system of one megabyte; undefined if this user may not. */
function mountSmallFolder(): string | undefined {
  const folder = createTemporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    return undefined;
  }
}

describe("without space for temporary files", () => {
  const { TMPDIR } = process.env;

  it.for<readonly [name: string, options: readonly string[], sentences: RegExp, report: RegExp]>([
    [
      "sorts nothing, and checks the events one by one",
      [],
      /^accrete: cannot sort the events, because no space is left in .*\n$/,
      /^\d+ events, \d+ invalid/m,
    ],
    [
      "answers no query",
      ["--sql", "SELECT count(*) FROM events"],
      /^accrete: The events could not be loaded for the query: no space is left in .*\n$/,
      /^$/,
    ],
    [
      "prints the findings, and writes none to a file",
      ["--output", "findings.parquet"],
      /^accrete: cannot sort .*\naccrete: The findings could not be written to findings\.parquet: no space is left in .*\n$/,
      /^\d+ events, \d+ invalid/m,
    ],
  ])("%s", async ([_name, options, sentences, report], context) => {
    const folder = mountSmallFolder();
    if (folder === undefined) return context.skip("mounting a file system is not permitted");
    const events = lines.map((line, index) =>
      index % 2 > 0 ? line.replace(/"occurred_at":"[^"]*"/, '"occurred_at":7') : line,
    );
    const file = path.join(
      createTemporaryFolder({
        "a.jsonl": `${shuffle(Array(9).fill(events).flat(), createRandom(1)).join("\n")}\n`,
      }),
      "a.jsonl",
    );
    try {
      process.env.TMPDIR = folder;
      const { stderr, stdout, exitCode } = await runAccrete(["audit", file, "--memory", "64MB", ...options]);
      expect(stderr).toMatch(sentences);
      expect(stdout).toMatch(report);
      expect(exitCode).toBe(2);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
      execFileSync("umount", [folder]);
    }
  });
});

it("a signal ends an audit that reads Parquet, and removes its temporary files", async () => {
  const rows = "SELECT '{\"run_id\":\"run_' || i || '\"}' AS event FROM range(3000000) t(i)";
  const folder = createTemporaryFolder();
  const file = path.join(folder, "a.parquet");
  writeFileSync(file, await createParquet(rows));
  const temporary = createTemporaryFolder();
  const argv = ["--import", "tsx", "generator/cli.ts", "audit", file, "--sample", "50"];
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = child.stderr.toArray();
  const end = once(child, "exit");
  const listFolders = (): string[] => readdirSync(temporary).filter((name) => name.startsWith("accrete-"));
  await expect.poll(listFolders, { timeout: 60_000 }).toHaveLength(1);
  child.kill("SIGINT");
  expect(await end).toEqual([null, "SIGINT"]);
  expect(Buffer.concat(await stderr).toString()).toBe("accrete: ended by SIGINT; nothing was changed\n");
  expect(listFolders()).toEqual([]);
});
