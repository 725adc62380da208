/** If this fails, `accrete audit --sql` gives other answers than the archive holds, or a query reads or changes other files. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { chooseCases, deep, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";
import { writeParquet } from "./parquet-files.js";

const STREAMS = "fixtures/hecate/v1/streams";

/** Returns the rows of a query. */
async function queryRows(sql: string, ...argv: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await runAccrete(["audit", ...argv, "--sql", sql, "--format", "json"]);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describe("a query over an archive", () => {
  deep.it("gives the same rows whatever the form of the files", async () => {
    const streams = "fixtures/frames/v2/streams";
    const lines = readdirSync(streams).flatMap((file) =>
      readFileSync(path.join(streams, file), "utf8").trimEnd().split("\n"),
    );
    const folder = createTemporaryFolder({
      "a.jsonl": `${lines.join("\n")}\n`,
      "list.json": `[${lines.join(",\n")}]`,
    });
    const files = ["a.jsonl", "list.json", "b.jsonl.gz", "c.parquet"].map((name) => path.join(folder, name));
    const [jsonl = "", , gzip = "", parquet = ""] = files;
    writeFileSync(gzip, gzipSync(readFileSync(jsonl)));
    await writeParquet(parquet, lines, "SELECT line AS event FROM lines");
    const sql = "SELECT * FROM streams ORDER BY stream";
    const expected = await queryRows(sql, streams);
    for (const file of files) expect(await queryRows(sql, file), file).toEqual(expected);
    expect(expected).toHaveLength(5);
  });

  deep.it("finds events with their files and lines", async () => {
    const file = path.join(STREAMS, "agent-loop-shell.jsonl");
    const sql = "SELECT command_string, file, position FROM tool_shell_command ORDER BY file, position";
    const [row] = (await queryRows(sql, STREAMS)) as {
      command_string: string;
      file: string;
      position: number;
    }[];
    const line = readFileSync(row?.file ?? "", "utf8").split("\n")[(row?.position ?? 0) - 1];
    expect(row?.file).toBe(file);
    expect(JSON.parse(line ?? "").data.command_string).toBe(row?.command_string);
  });

  quick.it("keeps protocols apart, each in its schema", async () => {
    const sql =
      "SELECT (SELECT count(*) FROM frames_v1.events) AS one, (SELECT count(*) FROM frames_v2.events) AS two";
    expect(await queryRows(sql, "fixtures/frames/v1/streams", "fixtures/frames/v2/streams")).toEqual([
      { one: 42, two: 68 },
    ]);
  });

  quick.it("prints a table without control characters, and numbers of any size in JSON", async () => {
    const argv = ["audit", STREAMS, "--sql"];
    const table = await runAccrete([
      ...argv,
      "SELECT 12 AS n, 'a' || chr(27) || chr(10) AS \"long name\", NULL AS x",
    ]);
    expect(table.stdout).toBe("n   long name  x\n--  ---------  -\n12  a\\u001b\\n\n");
    const json = await runAccrete([
      ...argv,
      "SELECT 123456789012345678901::HUGEINT AS n",
      "--format",
      "json",
    ]);
    expect(json.stdout).toBe('[\n  {"n": 123456789012345678901}\n]\n');
  });

  quick.it("prints at most --limit rows, and says that there are more", async () => {
    const { stdout, stderr } = await runAccrete([
      "audit",
      STREAMS,
      "--limit",
      "2",
      "--sql",
      "SELECT 1 FROM events",
    ]);
    expect(stdout.split("\n")).toHaveLength(5);
    expect(stderr).toBe("accrete: there are more than 2 rows (--limit 0 prints all)\n");
  });
});

/** Queries that are refused, and a part of the message. */
const REFUSED: readonly (readonly [sql: string, message: string])[] = [
  ["SELECT\n nope FROM streams", "LINE 2:  nope FROM streams\n         ^\n"],
  ["SELECT FROM WHERE", "syntax error"],
  ["", "takes one query"],
  ["SELECT 1; SELECT 2", "takes one query; there are 2"],
  ["FROM read_csv('/etc/passwd')", "file system operations are disabled"],
  ["FROM '/etc/passwd'", "does not exist"],
  ["FROM glob('/*')", "file system operations are disabled"],
  ["COPY (SELECT 1) TO '/tmp/accrete-never.csv'", "file system operations are disabled"],
  ["EXPORT DATABASE '/tmp/accrete-never'", "file system operations are disabled"],
  ["ATTACH '/tmp/accrete-never.db'", "only reads"],
  ["DELETE FROM main.archive", "only reads"],
  ["CREATE TABLE x AS SELECT 1", "only reads"],
  ["EXPLAIN ANALYZE DELETE FROM main.archive", "only reads"],
  ["SET enable_external_access = true", "only reads"],
  ["LOAD httpfs", "only reads"],
  ["PRAGMA enable_profiling", "only reads"],
];

/** Queries whose last row fails, long after DuckDB has given the first ones. */
const FAILING_LATE: readonly string[] = [
  "SELECT CASE WHEN range = 299999 THEN error('too far') END FROM range(300000)",
  "SELECT CASE WHEN range = 299999 THEN error('too far') END AS x, 1 AS x FROM range(300000); -- end",
];

describe("a query that fails after some rows", () => {
  quick.it.each(FAILING_LATE)("%j", async (sql) => {
    const archive = "fixtures/frames/v1/streams";
    const { stdout, stderr, exitCode } = await runAccrete(["audit", archive, "--limit", "0", "--sql", sql]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain("the query failed: Invalid Input Error: too far");
  });
});

describe("a query that is refused", () => {
  it.each(chooseCases(REFUSED, 4))("%j", async (sql, message) => {
    const archive = "fixtures/frames/v1/streams";
    const { stdout, stderr, exitCode } = await runAccrete(["audit", archive, "--sql", sql]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain(message);
  });
});

deep.it(
  "names files that cannot be read, and values that are no events, and answers over the rest",
  async () => {
    const line = readFileSync(path.join(STREAMS, "resume.jsonl"), "utf8").split("\n")[0];
    const folder = createTemporaryFolder({
      "a.jsonl": `${line}\n{"no":"event"}\nno JSON\n`,
      "b.parquet": "no Parquet",
    });
    const { stdout, stderr, exitCode } = await runAccrete([
      "audit",
      folder,
      "--sql",
      "SELECT count(*) AS n FROM events",
    ]);
    expect(stdout).toBe("n\n-\n1\n");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^accrete: cannot read .*b\.parquet: .*\naccrete: 2 values of the archive are not in the views: /,
    );
  },
);

quick.it("refuses other formats and an archive without events", async () => {
  const run = (...argv: readonly string[]) => runAccrete(["audit", "--sql", "SELECT 1", ...argv]);
  expect((await run(STREAMS, "--format", "sarif")).stderr).toContain("--sql cannot be combined");
  expect((await run(STREAMS, "--stats")).stderr).toContain("--sql cannot be combined");
  const folder = createTemporaryFolder({ "a.jsonl": "" });
  expect((await run(folder)).stderr).toContain("There are no events.");
  expect((await run(folder, "--allow-empty")).exitCode).toBe(0);
});
