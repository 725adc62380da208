/** If this fails, users cannot look up what a rule means. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { listRules, renderRulesPage } from "../../generator/commands/explain.js";
import { RULES } from "../../generator/compat/rules/rules.js";
import { STREAM_FINDINGS } from "../../generator/conform/stream-rules.js";
import { runAccrete } from "../cli/run-in-process.js";

it("explains every rule of compat with its meaning, its effect and the fix", async () => {
  for (const { id, explanation, hint } of RULES) {
    const { stdout, exitCode } = await runAccrete(["explain", id]);
    expect(exitCode).toBe(0);
    for (const part of [id, explanation, hint, "Affects:"]) expect(stdout).toContain(part);
  }
});

it("explains every stream rule", async () => {
  for (const { id, explanation, hint } of STREAM_FINDINGS) {
    const { stdout, exitCode } = await runAccrete(["explain", id]);
    expect(exitCode).toBe(0);
    for (const part of [id, explanation, hint, "Severity:"]) expect(stdout).toContain(part);
  }
});

it("explains every other rule that a finding may name", async () => {
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
  const far = await runAccrete(["explain", "xylophone"]);
  expect([far.exitCode, far.stderr]).toEqual([2, expect.not.stringContaining("did you mean")]);
  const { stderr, exitCode } = await runAccrete(["explain", "field-renamd"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("field-renamed")]);
});

it("prints the texts of docs/rules.md", () => {
  const page = readFileSync(path.join(import.meta.dirname, "../../docs/rules.md"), "utf8");
  expect(page === renderRulesPage(), "docs/rules.md is not up to date; run npm run docs").toBe(true);
});
