/** If this fails, a number that JavaScript reads as another one changes a contract or a proof unnoticed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isExactNumber } from "../../generator/json.js";
import { findInexactNumber, mayRound } from "../../generator/source/numbers.js";
import { parseSource } from "../../generator/source/source.js";
import { createTemporaryProject } from "../commands/temporary-project.js";

describe("findInexactNumber", () => {
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
  ])("finds none in %s", (json) => {
    expect(findInexactNumber(json)).toBeUndefined();
  });
});

describe("accrete subset", () => {
  it("names the first number that JavaScript reads as another one, with its place", async () => {
    const files = { "a.json": '{\n  "const": 9007199254740993\n}', "b.json": '{"type":"integer"}' };
    const { run } = createTemporaryProject(files);
    for (const operands of ["@/a.json @/b.json", "@/b.json @/a.json"])
      expect(await run(`subset ${operands}`)).toMatchObject({
        exitCode: 3,
        stdout: expect.stringContaining("9007199254740993 (a.json:2:12, /const)"),
      });
  });

  it("decides the other pairs after a pair with such a number", async () => {
    const formatPair = (id: number, value: string) =>
      `{"id":${id},"a":{"const":${value}},"b":{"type":"integer"}}`;
    const { run } = createTemporaryProject({
      "pairs.jsonl": [formatPair(1, "1e400"), formatPair(2, "2")].join("\n"),
    });
    const { exitCode, stdout } = await run("subset --pairs @/pairs.jsonl");
    expect(exitCode).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { id: 1, verdict: "undecided", reason: expect.stringContaining("1e400") },
      { id: 2, verdict: "contained" },
    ]);
  });
});

const createDigits = (max: number): fc.Arbitrary<string> =>
  fc.stringMatching(/^[0-9]*$/, { maxLength: max }).map((text) => text.slice(0, max));

/** Numbers in JSON, many of them at the limits of a double. */
const numbers = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(
      fc.constantFrom("0", "9007199254740991", "9007199254740993", "179769313486231570"),
      createDigits(20).map((text) => `1${text}`),
    ),
    fc.oneof(
      fc.constant(""),
      createDigits(20).map((text) => `.0${text}`),
    ),
    fc.oneof(
      fc.constant(""),
      fc.tuple(fc.constantFrom("e", "E", "e-", "E+"), fc.nat(300)).map(([e, power]) => e + power),
    ),
  )
  .map((parts) => parts.join(""));

describe("mayRound", () => {
  it("is true for every number that is rounded", () => {
    fc.assert(
      fc.property(numbers, fc.constantFrom("", " ", "\n"), (text, blank) => {
        const parsed = parseSource("x.json", Buffer.from(`{"a":[${blank}${text}${blank}]}`));
        if ("source" in parsed && !mayRound(parsed.source)) expect(isExactNumber(text)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("is false for an ordinary schema", () => {
    const text = '{"minimum": 0.001, "maximum": 9007199254740991, "description": "2026-05-03T10:00:00.336Z"}';
    const parsed = parseSource("x.json", Buffer.from(text));
    expect("source" in parsed && mayRound(parsed.source)).toBe(false);
  });
});
