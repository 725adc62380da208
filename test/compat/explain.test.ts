/** If this fails, users cannot look up what a rule means. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { listRules, renderRulesPage } from "../../generator/commands/explain.js";
import { RULES } from "../../generator/compat/rules/rules.js";
import { STREAM_FINDINGS } from "../../generator/conform/stream-rules.js";
import { runAccrete } from "../commands/run-in-process.js";

it.each([
  ["compatibility", RULES, "Affects:"],
  ["stream", STREAM_FINDINGS, "Severity:"],
] as const)(
  "explains every %s rule with its meaning, its effect and the fix",
  async (_kind, rules, effect) => {
    for (const { id, explanation, hint } of rules) {
      const { stdout, exitCode } = await runAccrete(["explain", id]);
      expect(exitCode).toBe(0);
      for (const part of [id, explanation, hint, effect]) expect(stdout).toContain(part);
    }
  },
);

it("explains every other rule of a finding", async () => {
  for (const { id, summary } of listRules().slice(RULES.length + STREAM_FINDINGS.length)) {
    const { stdout, exitCode } = await runAccrete(["explain", id]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`${id}: ${summary}\n`)]);
    expect(stdout).toContain("Fix:");
  }
});

it("explains several rules, in the order in which they are named", async () => {
  const { stdout } = await runAccrete(["explain", "json-syntax", "field-renamed"]);
  expect(stdout).toMatch(/^json-syntax: [\s\S]*\n\nfield-renamed: /);
});

it("lists the rules, and suggests a rule for a misspelt name", async () => {
  const lines = (await runAccrete(["explain"])).stdout.trim().split("\n");
  expect(lines).toHaveLength(listRules().length);
  const misspelt = await runAccrete(["explain", "field-renamd"]);
  expect([misspelt.exitCode, misspelt.stderr]).toEqual([2, expect.stringContaining("field-renamed")]);
  const unlike = await runAccrete(["explain", "xylophone"]);
  expect([unlike.exitCode, unlike.stderr]).toEqual([2, expect.not.stringContaining("did you mean")]);
});

it("prints the same texts as docs/rules.md", () => {
  const page = readFileSync(path.join(import.meta.dirname, "../../docs/rules.md"), "utf8");
  expect(page === renderRulesPage(), "docs/rules.md is not up to date; run npm run docs").toBe(true);
});
