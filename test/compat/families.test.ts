/** If this fails, many renames of one pattern are reported one by one, or under a wrong pattern. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPattern, findFamilies, listPatterns } from "../../generator/compat/renames/families.js";
import { scoreNameLikeness } from "../../generator/compat/renames/likeness.js";

/** Pairs of names, and whether the names alone suggest a rename. */
const NAMES: readonly (readonly [string, string, boolean])[] = [
  ["tool_call_id", "toolCallID", true],
  ["HTTPServer", "http_server", true],
  ["call_id", "id_call", true],
  ["seq", "sequence", true],
  ["msg", "message", true],
  ["id", "identifier", true],
  ["colour", "color", true],
  ["organisation_id", "organization_id", true],
  ["started", "start", true],
  ["timed_out", "timeout", true],
  ["files", "file", true],
  ["cost", "host", false],
  ["code", "mode", false],
  ["input", "output", false],
  ["stdout", "stderr", false],
  ["request", "response", false],
  ["comment", "content", false],
  ["command", "comment", false],
  ["created", "updated", false],
];

it.each(NAMES)("%s and %s are alike: %s", (a, b, alike) => {
  expect(scoreNameLikeness(a, b) >= 0.5).toBe(alike);
  expect(scoreNameLikeness(b, a)).toBe(scoreNameLikeness(a, b));
});

const name = fc
  .array(fc.constantFrom("run", "tool", "call", "id", "ms", "started"), { minLength: 1, maxLength: 4 })
  .chain((words) => fc.constantFrom(".", "_", "-").map((separator) => words.join(separator)));
const rename = fc.record({ from: name, to: name });

describe("patterns", () => {
  it("turn the old name into the new one", () => {
    fc.assert(
      fc.property(rename, (each) => {
        // A star may stand for more than one part of a name.
        for (const pattern of listPatterns(each))
          expect(applyPattern(pattern, each.from), JSON.stringify(pattern)).toBeDefined();
      }),
    );
  });

  it("do not depend on the order of renames, and cover each rename once", () => {
    fc.assert(
      fc.property(fc.uniqueArray(rename, { selector: JSON.stringify, maxLength: 8 }), (renames) => {
        const one = findFamilies(renames, (each) => each, 2);
        const other = findFamilies([...renames].reverse(), (each) => each, 2);
        const shapeOf = ({ families }: typeof one) =>
          families.map(({ from, to, members }) => [from, to, members.length]);
        expect(shapeOf(other)).toEqual(shapeOf(one));
        const all = [...one.families.flatMap(({ members }) => members), ...one.single];
        expect(new Set(all)).toEqual(new Set(renames));
        expect(all).toHaveLength(renames.length);
      }),
    );
  });
});

it("a family has the pattern that explains most of the names", () => {
  const renames = ["a.tea.x", "a.tea.y", "b.tea.x"].map((from) => ({
    from,
    to: from.replace("tea", "mate"),
  }));
  const { families, single } = findFamilies(renames, (each) => each, 2);
  expect(families).toMatchObject([{ from: "*.tea.*", to: "*.mate.*", members: renames }]);
  expect(single).toEqual([]);
});
