/** If this fails, a file with a merge conflict gets a misleading syntax error. */
import { describe, expect, it } from "vitest";
import { readRelease } from "../../generator/load/releases/read-release.js";
import { parseSource } from "../../generator/source/source.js";

const parse = (text: string) => {
  const parsed = parseSource("a.json", Buffer.from(text));
  return "findings" in parsed ? parsed.findings : [];
};

const SENTENCE =
  "Merge conflict markers: resolve the conflict, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.";

/** Texts with markers that git leaves, and the line of the first one. */
const CONFLICTS: readonly (readonly [name: string, text: string, line: number])[] = [
  ["both sides", '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> side\n}', 2],
  ["the base as well", '{\n<<<<<<< HEAD\n  "a": 1\n||||||| base\n=======\n  "a": 2\n>>>>>>> side\n}', 2],
  ["line ends of Windows", '{\r\n<<<<<<<\r\n"a": 1\r\n=======\r\n"a": 2\r\n>>>>>>>\r\n}', 2],
  ["the whole file", '<<<<<<< HEAD\n{}\n=======\n{ "a": 1 }\n>>>>>>> side', 1],
  ["one that was left over", '{\n  "a": 1\n=======\n}', 3],
  ["another error before it", '{\n  "b": 1,,\n>>>>>>> side\n}', 3],
];

describe("a text with the markers of a merge conflict", () => {
  it.each(CONFLICTS)("is reported at the first marker: %s", (_name, text, line) => {
    const finding = { rule: "json-syntax", message: SENTENCE, at: { file: "a.json", line, column: 1 } };
    expect(parse(text)).toMatchObject([finding]);
  });

  it.each(CONFLICTS)("is not read as a release: %s", (_name, text, line) => {
    const { findings, protocol } = readRelease("a.json", Buffer.from(text));
    expect(findings).toMatchObject([{ rule: "release-altered", message: SENTENCE, at: { line, column: 1 } }]);
    expect(protocol).toBeUndefined();
  });
});

it.each([
  ["eight characters", "{\n<<<<<<<< HEAD\n}"],
  ["a marker within a line", "{ <<<<<<< HEAD\n}"],
  ["six characters", "{\n======\n}"],
])("does not report %s as a marker", (_name, text) => {
  expect(parse(text)).toMatchObject([
    { rule: "json-syntax", message: expect.stringContaining("is not JSON") },
  ]);
});

it("accepts markers in a string", () => {
  expect(parse('{ "a": "<<<<<<< HEAD", "b": "=======" }')).toEqual([]);
});
