/** If this fails, errors in schemas stay unnoticed, or are reported in the wrong place. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { loadSchemas } from "../../generator/load/load.js";
import { withTemporaryFolder } from "../folders.js";
import { readLintCases, writeCase } from "./case-folder.js";

const cases = readLintCases();

/** Returns a finding as a case states it. */
function formatFinding({ rule, severity, at }: Finding, schemas: string): string {
  const file = path.posix.relative(path.posix.join(schemas, "demo/v1"), at.file) || ".";
  const place = at.line === undefined ? file : `${file}:${at.line}:${at.column}`;
  return `${place} ${severity} ${rule} ${at.pointer}`.trimEnd();
}

describe("lint finds", () => {
  it.each(cases)("%s", (_name, { expect: expected, hints, ...folder }) =>
    withTemporaryFolder(async (temporary) => {
      const schemas = writeCase(temporary, folder);
      const { protocols, findings } = await loadSchemas(schemas);
      const found = findings.map((finding) => formatFinding(finding, schemas));
      expect(found.sort()).toEqual([...expected].sort());
      if (hints) expect(findings.flatMap(({ hint }) => hint ?? []).sort()).toEqual([...hints].sort());
      expect(protocols).toHaveLength(findings.some(({ severity }) => severity === "error") ? 0 : 1);
      // Files outside of the schemas folder hold this word.
      expect(JSON.stringify({ protocols, findings })).not.toContain("MARKER");
    }),
  );
});

/** Returns the files of load/, schema/ and source/ that load/load.ts imports, directly or indirectly. */
function listSources(
  file = path.join(import.meta.dirname, "../../generator/load/load.ts"),
  seen = new Set<string>(),
): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const imports = [...readFileSync(file, "utf8").matchAll(/from "(\.[^"]*)\.js"/g)].map(
    ([, name]) => `${path.resolve(path.dirname(file), `${name}.ts`)}`,
  );
  return [
    file,
    ...imports
      .filter((name) => /generator\/(load|schema|source)\//.test(name))
      .flatMap((name) => listSources(name, seen)),
  ];
}

/** Returns the rule ids that are string literals in the sources. */
function listRuleIds(): string[] {
  const literal =
    /(?:rule: |(?:createErrorFinding|addFinding|report|add|check|createFinding|createUnresolvedReference)\(\s*(?:[\w.()]+,\s*)?)"([a-z]+(?:-[a-z]+)+)"/g;
  const found = listSources().flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(literal)].map(([, id]) => id as string),
  );
  // The sources build these ids from the name of a keyword.
  return [...new Set([...found, "title-missing", "description-missing", "stability-missing"])].sort();
}

describe("the cases", () => {
  const covered = new Set(
    cases.flatMap(([, { expect }]) => expect.map((finding) => finding.split(" ")[2] as string)),
  );

  it.each(listRuleIds())("cover %s", (id) => expect(covered).toContain(id));

  it("name rules that exist", () => {
    expect(listRuleIds().length).toBeGreaterThan(30);
    expect([...covered].filter((id) => !listRuleIds().includes(id))).toEqual([]);
  });
});
