import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findInexactNumber } from "../../generator/source/numbers.js";
import { accrete } from "../cli/run-in-process.js";

describe("numbers that a double cannot hold as they are written", () => {
  it.each([
    ["9007199254740993", "9007199254740993", "", 1, 1],
    ["[1e-400]", "1e-400", "/0", 1, 2],
    ['{"a": [true, -1E400]}', "-1E400", "/a/1", 1, 14],
    [
      '{\n  "b/~": {"c": "]"},\n  "n": 0.1000000000000000055511151231257827}',
      "0.1000000000000000055511151231257827",
      "/n",
      3,
      8,
    ],
    ['{"x": [[], {"\\u0061/": [0, 12345678901234567890]}]}', "12345678901234567890", "/x/1/a~1/1", 1, 28],
    ["1e99999999999999999999", "1e99999999999999999999", "", 1, 1],
  ] as const)("%s", (json, text, pointer, line, column) => {
    expect(findInexactNumber(json)).toEqual({ text, pointer, line, column });
  });

  it.each([
    "9007199254740992",
    "100000000000000000000000",
    "1e23",
    "0.10",
    "-0.0e5",
    "1.50E+1",
    "5e-324",
    '{"9007199254740993": "9007199254740993, \\" 1e400"}',
  ])("not %s", (json) => {
    expect(findInexactNumber(json)).toBeUndefined();
  });
});

describe("accrete subset", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "inexact-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const run = async (...argv: string[]) => {
    const { exitCode, stdout } = await accrete(["subset", ...argv]);
    return { code: exitCode, out: stdout };
  };

  it("says which number it would take for another one, and where it stands", async () => {
    const [a, b] = [
      file("a.json", '{\n  "const": 9007199254740993\n}'),
      file("b.json", '{"type":"integer"}'),
    ];
    for (const files of [
      [a, b],
      [b, a],
    ]) {
      const { code, out } = await run(...files);
      expect(code).toBe(3);
      expect(out).toContain(`9007199254740993 (${a}:2:12, /const)`);
    }
  });

  it("lets the fault of one line stay in its line", async () => {
    const pair = (id: number, value: string) => `{"id":${id},"a":{"const":${value}},"b":{"type":"integer"}}`;
    const pairs = file("pairs.jsonl", [pair(1, "1e400"), pair(2, "2")].join("\n"));
    const { code, out } = await run("--pairs", pairs);
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { id: 1, verdict: "undecided", reason: expect.stringContaining("1e400") },
      { id: 2, verdict: "contained" },
    ]);
  });
});
