import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { RULES } from "../../generator/compat/rules/rules.js";
import { CASES, caseNames, checkFolders, expectedOf, outline, readCase } from "./case-folders.js";
import { teaFiles } from "./tea.js";

const names = caseNames();

/** Rules whose findings need files that a pair of folders does not have; other tests fire them. */
const ELSEWHERE: { readonly [rule: string]: string } = {
  "release-altered": "needs a release file: release.test.ts",
  "version-bump-insufficient": "needs a release of the same version: history.test.ts",
  "stream-undecided": "needs a search that reaches its bounds: streams.test.ts",
};

const majorOf = (folder: string, side: string): string | undefined =>
  readdirSync(path.join(folder, side, "tea"))[0];

describe("a case", () => {
  it.each(names)("%s", async (name) => {
    const folder = path.join(CASES, name);
    const { findings, additions } = await checkFolders(
      path.join(folder, "before"),
      path.join(folder, "after"),
    );
    const found = { findings: findings.map(outline), additions: additions.map(outline) };
    expect(found).toEqual(expectedOf(name));
    for (const finding of findings) {
      expect(finding.at.line, finding.rule).toBeGreaterThan(0);
      expect(finding.fingerprint).toMatch(/^[0-9a-f]{16}$/);
      // Against another major version there is nothing to mend.
      const fact = finding.against !== undefined && majorOf(folder, "before") !== majorOf(folder, "after");
      expect((finding.hint ?? "") !== "", finding.rule).toBe(!fact);
      // A break that is claimed is proven, or says why it is not.
      const isShown = finding.witness !== undefined || finding.stream !== undefined;
      expect(finding.affects.length > 0).toBe(isShown);
    }
  });
});

describe("the silent cases", () => {
  const silent = names.filter((name) => name.startsWith("silent-"));

  it("are at least 30", () => expect(silent.length).toBeGreaterThanOrEqual(30));

  it.each(silent)("%s has nothing above a note", (name) => {
    const { findings } = expectedOf(name) as unknown as { findings: { severity: string }[] };
    expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
  });
});

describe("the table of rules", () => {
  const ids = RULES.map(({ id }) => id);

  it("has every id once, in kebab-case", () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+(-[a-z]+)+$/.test(id))).toEqual([]);
  });

  it.each(RULES)("$id has a case, an explanation, a repair and a mirror or a reason for none", (rule) => {
    if (!Object.hasOwn(ELSEWHERE, rule.id)) {
      const { findings, additions } = expectedOf(rule.id) as unknown as {
        [list: string]: { rule: string }[];
      };
      expect([...(findings ?? []), ...(additions ?? [])].map((finding) => finding.rule)).toContain(rule.id);
    }
    for (const text of [rule.explanation, rule.repair]) expect(text).toMatch(/^[A-Z"].*[.}]/);
    if ("rule" in rule.mirror) expect(ids).toContain(rule.mirror.rule);
    else expect(rule.mirror.none).not.toBe("");
  });

  it.each(RULES.filter(({ effect }) => !["guards", "promises"].includes(effect)))(
    "the example of $id fires that rule and only it",
    ({ id }) => {
      if (Object.hasOwn(ELSEWHERE, id)) return;
      const { findings, additions } = expectedOf(id) as unknown as { [list: string]: { rule: string }[] };
      expect([...(findings ?? []), ...(additions ?? [])].map(({ rule }) => rule)).toEqual([id]);
    },
  );

  it.each(RULES.filter(({ id }) => !Object.hasOwn(ELSEWHERE, id)))(
    "the case of $id is its example",
    ({ id, example }) => {
      for (const side of ["before", "after"] as const) {
        const files = teaFiles(example[side]);
        const major = files["protocol.json"]?.major ?? 1;
        for (const [name, content] of Object.entries(files))
          expect(readCase(id, side, `tea/v${major}/${name}`)).toEqual(content);
      }
    },
  );
});
