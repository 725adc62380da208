/** If this fails, the playground gives another answer than `accrete diff`. */
import { expect, it } from "vitest";
import { compareTexts } from "../../scripts/playground/compare-texts.js";
import { EXAMPLES } from "../../scripts/playground/examples.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";

it.each(EXAMPLES)("$title", async ({ title, before, after }) => {
  const root = createTemporaryFolder({ "old.json": before, "new.json": after });
  const files = ["old.json", "new.json"].map((name) => `${root}/${name}`);
  const { stdout, stderr } = await runAccrete(["diff", ...files, "--difference", "--format", "json"]);
  const expected = JSON.parse(stdout.replaceAll(`${root}/`, ""));
  const { findings, additions, notes } = await compareTexts(before, after);
  expect({ findings, additions }).toEqual({
    findings: expected.findings,
    additions: expected.summary.additions,
  });
  expect([stderr, notes]).toEqual(["", []]);
  // An example that says nothing shows nothing.
  const isHarmless = /breaks nobody|other words/.test(title);
  expect(findings.some(({ severity }) => severity === "error")).toBe(!isHarmless);
});

it.each([
  ["{", /^old\.json:1:2: /],
  ['"text"', /old\.json/],
  ['{ "$ref": "other.json" }', /reference "other\.json" does not lead to a schema/],
])("says what is wrong with %s", async (text, message) => {
  await expect(compareTexts(text, EXAMPLES[0]?.after ?? "")).rejects.toThrow(message);
});
