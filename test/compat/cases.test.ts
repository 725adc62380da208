/** If this fails, a change is no longer detected, or users see another verdict, location or witness. */
import { describe, expect, it } from "vitest";
import { type ChangeKind, RULES } from "../../generator/compat/rules/rules.js";
import { checkExample, toExpectedFinding } from "./examples.js";
import { RULE_CASES, WITHOUT_EXAMPLE } from "./rule-cases.js";
import { SILENT } from "./silent.js";
import { SILENT_UNIONS } from "./silent-unions.js";

// @ts-expect-error A misspelt rule must not compile.
const MISSPELT: ChangeKind = "bound-tightenned";

describe("the table of rules", () => {
  const ids: readonly string[] = RULES.map(({ id }) => id);

  it("lists every id once, in kebab-case", () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+(-[a-z]+)+$/.test(id))).toEqual([]);
    expect(ids).not.toContain(MISSPELT);
  });

  it.each(RULES)(
    "$id has an explanation, a hint and an existing reverse rule",
    ({ explanation, hint, reverse }) => {
      for (const text of [explanation, hint]) expect(text).toMatch(/^[A-Z"].*[.}]/);
      if ("rule" in reverse) expect(ids).toContain(reverse.rule);
      else expect(reverse.description).not.toBe("");
    },
  );
});

describe("the example of a rule", () => {
  it.each(RULES.filter(({ id }) => !(id in WITHOUT_EXAMPLE)))("$id gives its findings", async (rule) => {
    const { id, effect, example, expected = RULE_CASES[id] } = rule;
    const { findings, additions } = await checkExample(example);
    const found = [
      ...findings.map(toExpectedFinding),
      ...additions.map((finding) => ({ ...toExpectedFinding(finding), verdict: "addition" })),
    ];
    if (expected === undefined)
      throw new Error(`State what the example of ${id} must find, as "expected" in its row.`);
    expect(found).toEqual([expected].flat().map((each) => ({ rule: id, verdict: "error", ...each })));
    expect(found.map(({ rule }) => rule)).toContain(id);
    // Rules about names and promises need a change that other rules report, too. Every other example shows one rule.
    if (effect !== "violates-history" && effect !== "breaks-promise") expect(found).toHaveLength(1);
    const isOtherMajor = example.before["protocol.json"]?.major !== example.after["protocol.json"]?.major;
    for (const finding of findings) {
      expect(finding.fingerprint).toMatch(/^[0-9a-f]{16}$/);
      // Findings against another major version have no hint, because nothing has to be fixed.
      expect((finding.hint ?? "") !== "").toBe(finding.against === undefined || !isOtherMajor);
      // A finding names affected readers or writers exactly if it shows the break.
      expect(finding.affects.length > 0).toBe(finding.witness !== undefined || finding.stream !== undefined);
    }
  });
});

describe("no error or warning is reported for", () => {
  const reversed = Object.entries(SILENT_UNIONS).map(
    ([name, { before, after }]) => [`${name}-undone`, { before: after, after: before }] as const,
  );

  it.each([...Object.entries(SILENT), ...Object.entries(SILENT_UNIONS), ...reversed])(
    "%s",
    async (_name, { notes = [], ...example }: (typeof SILENT)[string]) => {
      const { findings, additions } = await checkExample(example);
      expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
      expect([...findings, ...additions].map(({ rule }) => rule)).toEqual(notes);
    },
  );
});
