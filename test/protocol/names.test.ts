/** If this fails, generated code contains names that are not identifiers. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  deriveDefaultGroup,
  deriveEventName,
  derivePayloadName,
  deriveResourceName,
  LETTER_CASES,
  toPascalCase,
} from "../../generator/protocol/names.js";

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

describe("toPascalCase", () => {
  const table: readonly [string, string][] = [
    ["tool.shell.output_chunk", "ToolShellOutputChunk"],
    ["a.b", "AB"],
    ["a_b", "AB"],
    ["a-b c", "ABC"],
    ["http2.done", "Http2Done"],
    ["2fa", "_2fa"],
    ["", "_"],
    ["...", "_"],
    ["__proto__", "Proto"],
    ["constructor", "Constructor"],
    ["class", "Class"],
    ["a`$" + "{b}*/", "AB"],
    ["x\n\u2028y", "XY"],
    ["été.fini", "ÉtéFini"],
    ["𝒶.b", "𝒶B"],
    ["日本.語", "日本語"],
    ["ToolID", "ToolID"],
  ];

  it.each(table)("of %j is %j", (name, wanted) => expect(toPascalCase(name)).toBe(wanted));

  it("is an identifier for every name", () => {
    const name = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());
    fc.assert(
      fc.property(name, (name) => {
        for (const made of [
          toPascalCase(name),
          deriveEventName({ type: name }),
          derivePayloadName({ type: name }),
          deriveResourceName(name),
        ])
          expect(made).toMatch(IDENTIFIER);
      }),
      { numRuns: 500 },
    );
  });

  it("does not change its own results", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        (name) => toPascalCase(toPascalCase(name)) === toPascalCase(name),
      ),
    );
  });
});

describe("groups", () => {
  it.each([
    ["tool.shell.exited", "tool.shell"],
    ["run.queued", "run"],
    ["text_chunk", "text"],
    ["tool_x.done_now", "tool_x"],
    ["snapshot", "snapshot"],
    [".a", ".a"],
    ["_a", "_a"],
  ])("%s belongs to %s", (type, group) => expect(deriveDefaultGroup(type)).toBe(group));
});

describe("cases", () => {
  const table: readonly [string, readonly string[], readonly string[]][] = [
    [
      "snake_case",
      ["a", "a1", "run_id", "a_1"],
      ["", "A", "1a", "a__b", "a_", "_a", "a.b", "a-b", "a\n", "á"],
    ],
    ["dotted.snake_case", ["a", "a.b", "a_b.c_d"], ["", ".a", "a.", "a..b", "a.B", "a._b", "a.1"]],
    ["camelCase", ["a", "runId", "runID2"], ["", "RunId", "run_id", "run.id", "runId\n"]],
    ["PascalCase", ["A", "RunID", "Run2"], ["", "runId", "Run_Id", "2Run"]],
    ["kebab-case", ["a", "run-id", "run-1"], ["", "run_id", "-a", "a-", "a--b", "Run-id"]],
  ];

  it("are all in the table", () => expect(Object.keys(LETTER_CASES)).toEqual(table.map(([name]) => name)));

  it.each(table)("%s", (name, fine, wrong) => {
    expect([...fine, ...wrong].filter((text) => LETTER_CASES[name]?.test(text))).toEqual(fine);
  });
});
