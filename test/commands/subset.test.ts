/** If this fails, `accrete subset` gives scripts a wrong answer or exit code. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createSharedFolder } from "../folders.js";
import { runAccrete } from "./run-in-process.js";

const folder = createSharedFolder();

function writeInput(name: string, content: string): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  return target;
}

const narrow = writeInput("narrow.json", '{"type":"integer"}');
const wide = writeInput("wide.json", '{"type":"number"}');
const broken = writeInput("broken.json", "{");
const outside = writeInput("outside.json", '{"$ref":"https://example.test/x"}');

/** Runs `accrete subset` on these operands and options. */
async function runSubset(options: {
  a?: string;
  b?: string;
  pairs?: string;
  dialect?: string;
  format: string;
}) {
  const { a, b, ...named } = options;
  const flags = Object.entries(named).flatMap(([name, value]) => [`--${name}`, value]);
  const { exitCode, stdout, stderr } = await runAccrete([
    "subset",
    ...[a, b].filter((file) => file !== undefined),
    ...flags,
  ]);
  return { code: exitCode, out: stdout, err: stderr };
}

describe("subset A.json B.json", () => {
  it.each([
    ["contained", narrow, wide, 0, /^contained/],
    [
      "not contained, with a witness",
      wide,
      narrow,
      1,
      /^not contained.*\n0\.5\n$|^not contained.*\n[\d.-]+\n$/,
    ],
    ["undecided, with the reason", outside, wide, 3, /^undecided: the reference/],
  ] as const)("%s", async (_name, a, b, code, out) => {
    const result = await runSubset({ a, b, format: "text" });
    expect(result).toMatchObject({ code, err: "" });
    expect(result.out).toMatch(out);
  });

  it("shortens a very long witness in text, and prints all of it in JSON", async () => {
    const a = writeInput("long.json", '{"type":"string","minLength":5000}');
    const b = writeInput("x.json", '{"pattern":"x"}');
    const { out } = await runSubset({ a, b, format: "text" });
    expect(out.length).toBeLessThan(1_400);
    expect(out).toContain("5002 characters");
    const answer = JSON.parse((await runSubset({ a, b, format: "json" })).out);
    expect(answer.witness).toHaveLength(5_000);
  });

  it("answers in JSON", async () => {
    expect(JSON.parse((await runSubset({ a: narrow, b: wide, format: "json" })).out)).toEqual({
      verdict: "contained",
    });
  });

  it.each([
    ["one file", { a: narrow }],
    ["no file", {}],
    [
      "a file that does not exist",
      { a: narrow, b: path.join(folder, "none.json") },
      /none\.json: there is no such/,
    ],
    ["a folder", { a: narrow, b: folder }, /accrete-test-.*: it is a folder/],
    ["a folder of pairs", { pairs: folder }, /accrete-test-.*: it is a folder/],
    ["a file that is not JSON", { a: broken, b: wide }, /broken\.json:1:2: The file is not JSON/],
    ["an unknown dialect", { a: narrow, b: wide, dialect: "draft3" }],
    ["pairs and files", { a: narrow, b: wide, pairs: narrow }],
  ] as const)("refuses %s", async (_name, options, message = /./) => {
    const result = await runSubset({ ...options, format: "text" });
    expect(result).toMatchObject({ code: 2, out: "" });
    expect(result.err).toMatch(/^accrete: .+\n$/);
    expect(result.err).toMatch(message);
  });
});

describe("subset --pairs", () => {
  it.each([
    [
      '{"id":"1","a":{"type":"string","type":"integer"},"b":{"type":"integer"}}',
      /this line:1:\d+: .*"type" twice/,
    ],
    ['{"id":"1","a":{"minimum":1e400},"b":true}', /1e400 .* is beyond the largest double/],
  ])("leaves the pair %s undecided", async (line, reason) => {
    const { out } = await runSubset({ pairs: writeInput("twice.jsonl", line), format: "text" });
    expect(JSON.parse(out)).toMatchObject({
      id: "1",
      verdict: "undecided",
      reason: expect.stringMatching(reason),
    });
  });

  it("prints one line per pair, in order, and continues after an invalid line", async () => {
    const pairs = writeInput(
      "pairs.jsonl",
      [
        '{"id":"1","a":{"type":"integer"},"b":{"type":"number"}}',
        "not JSON",
        '{"id":"2","a":{"minimum":1,"exclusiveMinimum":true,"type":"integer"},"b":{"minimum":2},"dialect":"draft4"}',
        '{"id":"3","a":true}',
        '{"id":"4","a":true,"b":true,"dialect":"draft3"}',
        '{"id":5,"a":true,"b":{"type":"null"}}',
        '{"id":6,"a":{"minimum":1},"b":{"minimum":1,"exclusiveMinimum":false},"dialect":"draft4"}',
        '{"id":7,"a":{"minimum":1,"exclusiveMinimum":false},"b":{"minimum":1,"exclusiveMinimum":true},"dialect":"draft4"}',
      ].join("\n"),
    );
    const { code, out } = await runSubset({ pairs, format: "text" });
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(lines.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["1", "contained"],
      [null, "undecided"],
      ["2", "contained"],
      ["3", "undecided"],
      ["4", "undecided"],
      [5, "not-contained"],
      [6, "contained"],
      [7, "not-contained"],
    ]);
    for (const { ms, verdict, reason, witness } of lines) {
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(reason !== undefined).toBe(verdict === "undecided");
      expect(witness !== undefined).toBe(verdict === "not-contained");
    }
  });
});
