/** If this fails, a stream rule misses violations or reports valid streams, or its documentation is out of date. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { STREAM_FINDINGS } from "../../generator/conform/stream-rules.js";
import { PROFILES } from "../../generator/schema/readings.js";
import { addStreamRules, formatStreamRulesPage } from "../../scripts/pages/stream-rules.js";
import { checkLines, fixtureStreams } from "./check-stream.js";
import { readStreamCases } from "./stream-cases.js";

const cases = readStreamCases();
const ids = STREAM_FINDINGS.map(({ id }) => id);

describe("the streams of fixtures/", () => {
  for (const profile of PROFILES)
    it.each(fixtureStreams.map(({ id, file, lines }) => [`${id} ${file}`, id, lines] as const))(
      `have no findings for a ${profile}: %s`,
      (_name, id, lines) => {
        expect(checkLines(id, profile, lines)).toEqual([]);
      },
    );
});

describe("cases of stream rules", () => {
  it.each(cases.map((each) => [`${each.rule}/${each.file}`, each] as const))(
    "%s",
    (_name, { rule, file, ...rest }) => {
      const { given, lines } = rest;
      const check = (events: readonly string[]) =>
        PROFILES.map((profile) =>
          checkLines(given.protocol, profile, events, { ...given.limits, rules: given.rules }),
        );
      const found = check(lines);
      // Checkers of one protocol share no state, although they share a plan.
      check([...lines].reverse());
      expect(check(lines)).toEqual(found);
      const names = found.map((list) => list.map((finding) => `${finding.rule}@${finding.index}`).sort());
      expect(names).toEqual(PROFILES.map((profile) => [...given[profile]].sort()));
      const own = found.flat().filter((finding) => finding.rule === rule);
      expect(own.length > 0).toBe(file.startsWith("fires-"));
      if (given.says !== undefined) expect(own[0]?.message).toContain(given.says);
    },
  );
});

describe("the table of stream rules", () => {
  it("is what docs/stream-rules.md shows", () => {
    const page = readFileSync(path.join(import.meta.dirname, "../../docs/stream-rules.md"), "utf8");
    expect(page === formatStreamRulesPage(), "docs/stream-rules.md is not up to date; run npm run docs").toBe(
      true,
    );
    expect(page).not.toContain("undefined");
  });

  it("is what the published schema of protocol.json describes", () => {
    const file = path.join(import.meta.dirname, "../../generator/load/protocol.schema.json");
    const schema = JSON.parse(readFileSync(file, "utf8"));
    const isCurrent = JSON.stringify(addStreamRules(schema)) === JSON.stringify(schema);
    expect(isCurrent, "protocol.schema.json is not up to date; run npm run docs").toBe(true);
  });

  it("has each id once, and cases for each", () => {
    expect([...new Set(ids)]).toEqual(ids);
    expect([...new Set(cases.map(({ rule }) => rule))].sort()).toEqual([...ids].sort());
  });

  it.each(STREAM_FINDINGS.map((rule) => [rule.id, rule] as const))(
    "%s has texts and both kinds of cases",
    (id, rule) => {
      expect(rule.id).toMatch(/^[a-z]+(-[a-z]+)+$/);
      expect(rule.summary).toMatch(/^[a-z].*[^.]$/);
      for (const text of [rule.explanation, rule.hint]) expect(text).toMatch(/^[A-Z].*[.]$/);
      const files = cases.filter((each) => each.rule === id).map(({ file }) => file);
      for (const kind of ["fires-", "silent-"])
        expect(files.some((file) => file.startsWith(kind))).toBe(true);
    },
  );
});
