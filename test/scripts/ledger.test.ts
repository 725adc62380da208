/** If this fails, `npm run ledger` hides verdicts that differ between two commits. */
import { describe, expect, it } from "vitest";
import { compareAnswers, formatDifferences } from "../../scripts/ledger/compare-answers.js";
import type { Answer } from "../../scripts/ledger/entry.js";

const BASE: Answer = {
  name: "lint a",
  command: "accrete lint",
  exitCode: 1,
  findings: ["error x", "error x", "warning y"],
  printed: "one\ntwo",
  files: { "a.ts": "11", "b.ts": "22" },
};

const CASES: { readonly [name: string]: readonly [now: Partial<Answer>, lines: readonly string[]] } = {
  "nothing that differs": [{}, []],
  "another exit code": [{ exitCode: 0 }, ["exit code 1 → 0"]],
  "a finding that is gone once": [{ findings: ["error x", "warning y"] }, ["- error x"]],
  "a new finding": [{ findings: [...BASE.findings, "error z"] }, ["+ error z"]],
  "files that are changed, new or missing": [
    { files: { "a.ts": "12", "c.ts": "33" } },
    ["file a.ts: other content", "file b.ts: no longer written", "file c.ts: written only now"],
  ],
  "another text": [{ printed: "one\n2" }, ["printed text, first at", "- two", "+ 2"]],
  "a longer text": [{ printed: "one\ntwo\nthree" }, ["printed text, first at", "- ", "+ three"]],
  "a shorter text": [{ printed: "one" }, ["printed text, first at", "- two", "+ "]],
};

describe("the comparison of two ledgers", () => {
  it.each(Object.entries(CASES))("shows %s", (_name, [now, lines]) => {
    expect(compareAnswers([BASE], [{ ...BASE, ...now }]).flatMap((each) => each.lines)).toEqual(lines);
  });

  it("shows commands that the earlier commit did not answer", () => {
    expect(compareAnswers([], [BASE])).toMatchObject([{ name: "lint a" }]);
  });

  it("shows commands with the same differences once", () => {
    const difference = { name: "a", command: "accrete a", lines: ["- x"] };
    const names = ["a", "b", "c", "d"];
    expect(formatDifferences(names.map((name) => ({ ...difference, name })))).toBe(
      "a; b; c and 1 more\n  - x\n",
    );
  });
});
