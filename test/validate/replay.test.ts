/** If this fails, `accrete validate --compare` misses a difference of two recordings, or reports equal ones. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";

const LINES = readFileSync("fixtures/hecate/v1/streams/two-runs.jsonl", "utf8").trimEnd().split("\n");
const formatLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const A = "hecate/v1 run_01KQQ9BT2REWQP88EW94DYHAZ3";
const B = "hecate/v1 run_01KQQ9BT2RKSJ7N1FD64NNDTXK";
const selectRun = (run: string): string[] => LINES.filter((line) => line.includes(run.slice(10)));

const first = formatLines(LINES);
const last = LINES.length - 1;

/** Second recordings, which are compared with `first`, and patterns of the findings. */
const CASES: readonly (readonly [name: string, second: string | Uint8Array, want: readonly RegExp[]])[] = [
  ["the same bytes", first, []],
  ["runs in another order", formatLines([...selectRun(B), ...selectRun(A)]), []],
  [
    "redeliveries",
    formatLines(LINES.flatMap((line, index) => (index % 3 === 0 ? [line, line] : [line]))),
    [],
  ],
  ["other line ends", first.replaceAll("\n", "\r\n"), []],
  [
    "a captured feed",
    LINES.map((line, index) => `id: ${index}\ndata: {"object":"event","data":${line}}\n\n`).join(""),
    [],
  ],
  ["a list", `{"object":"list","data":[\n  ${LINES.join(",\n  ")}\n]}`, []],
  ["lists on lines", `[${LINES.slice(0, 7).join(", ")}]\n[${LINES.slice(7).join(",")}]\n`, []],
  ["gzip", gzipSync(first), []],
  [
    "another byte",
    formatLines(
      LINES.map((line, index) =>
        index === 9 ? line.replace('"schema_version":"1"', '"schema_version": "1"') : line,
      ),
    ),
    [
      /^second:10:1: error replay-differs hecate\/v1 run_\w+ differs in its event number \d+, from its byte 18 on: \{"schema_version":"1","event_id":"\w+… became \{"schema_version": "1","event_id":"\w+…\n {4}was first:10:1$/,
    ],
  ],
  [
    "a lost event",
    formatLines(LINES.filter((_line, index) => index !== LINES.indexOf(selectRun(B)[3] ?? ""))),
    [
      new RegExp(
        `^second:\\d+:1: error replay-differs ${B} differs in its event number 4, from its byte \\d+ on: .*\\n {4}was first:`,
      ),
    ],
  ],
  [
    "a run that ends too early",
    formatLines(LINES.slice(0, last)),
    [
      new RegExp(
        `^second: error replay-differs ${A} ends after 27 events here, but goes on in first: \\{"schema_version".*\\n {4}was first:${last + 1}:1$`,
      ),
    ],
  ],
  [
    "a missing run",
    formatLines(selectRun(A)),
    [
      new RegExp(
        `^second: error replay-differs ${B} has no event here, but goes on in first: .*\\n {4}was first:2:1$`,
      ),
    ],
  ],
  [
    "an additional run",
    formatLines([...LINES, (LINES[0] ?? "").replace("run_01K", "run_02K")]),
    [
      new RegExp(
        `^second:${last + 2}:1: error replay-differs hecate/v1 run_02K\\w+ has no event in first, but goes on here: `,
      ),
    ],
  ],
  [
    "a line that is not JSON",
    `${first}nonsense\n`,
    [/^second:\d+:1: error json-syntax The line is not JSON/],
  ],
];

describe("--compare", () => {
  it.each(CASES)("compares a recording with %s", async (_name, second, want) => {
    const root = createTemporaryFolder({ first });
    const files = ["first", "second"].map((name) => path.join(root, name));
    writeFileSync(path.join(root, "second"), second);
    const argv = ["validate", "--compare", ...files, "--protocol", "hecate/v1"];
    const { exitCode, stdout } = await runAccrete(argv);
    const shown = stdout.replaceAll(`${root}/`, "").trimEnd();
    const [summary = "", ...found] = shown.split(/\n(?! )/).reverse();
    expect(exitCode).toBe(want.length > 0 ? 1 : 0);
    expect(summary).toMatch(/^[23] runs with 40 events compared, [01] different$/);
    expect(found.length).toBe(want.length);
    for (const [index, pattern] of want.entries()) expect(found[index]).toMatch(pattern);
  });

  it("compares several protocols, and prints JSON", async () => {
    const others = readFileSync("fixtures/evva/v0/streams/subagent-run.jsonl", "utf8").trimEnd().split("\n");
    const mixed = [...LINES, ...others];
    const changed = mixed.map((line) => line.replace("nightly", "weekly").replace("Nightly", "Weekly"));
    const root = createTemporaryFolder({ a: formatLines(mixed), b: formatLines(changed) });
    const files = [path.join(root, "a"), path.join(root, "b")];
    const { stdout } = await runAccrete(["validate", "--compare", ...files, "--format", "json"]);
    const { summary, findings } = JSON.parse(stdout);
    expect(summary).toEqual({
      runs: 4,
      events: mixed.length,
      different: findings.length,
      errors: findings.length,
      hidden: 0,
    });
    expect(findings[0]).toMatchObject({ rule: "replay-differs", at: { line: 42 }, baseline: { line: 42 } });
  });

  it.each([
    [["one"], /two files/],
    [["a", "b", "c"], /two files/],
    [["-", "b"], /two files/],
    [["none", "none"], /none: there is no such file/],
  ])("refuses the operands %j", async (files, reason) => {
    const { exitCode, stderr } = await runAccrete(["validate", "--compare", ...files]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(reason);
  });
});
