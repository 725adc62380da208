/** If this fails, a waiver is lost though its break is the same, or covers another break. */

import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { writeTea } from "./tea.js";
import { at, compat, cups, filesOf, history, POURED, text } from "./tea-history.js";
import { createTemporaryFolder } from "./temporary-folder.js";

const short = { ...text, maxLength: 4 };
const first = at("1.0", { sort: text });
const SHARED = "shared/sorts.schema.json";

/** The fingerprints of the errors in a history. */
async function fingerprints(
  versions: readonly ExampleFiles[],
  ...more: readonly string[]
): Promise<string[]> {
  const { findings } = await compat(await history(versions), ...more);
  return findings.filter(({ severity }) => severity === "error").map(({ fingerprint }) => fingerprint);
}

const referring = (version: string, sort: object): ExampleFiles =>
  filesOf({
    ...at(version, { sort: { $ref: `../${SHARED}#/$defs/Sort` } }),
    [SHARED]: { title: "Sorts", description: "Shared.", $defs: { Sort: sort } },
  });

/** Histories with the same break. */
const SAME: readonly (readonly [about: string, versions: readonly ExampleFiles[]])[] = [
  ["other words", [first, at("1.1", { sort: { ...short, description: "Which one, in other words." } })]],
  ["other lines", [at("1.0", { cups, sort: text }), at("1.1", { cups, sort: short })]],
  ["other files", [referring("1.0", text), referring("1.1", short)]],
  ["a release between", [first, at("1.1", { sort: text }), at("1.2", { sort: short })]],
  [
    "another witness",
    [at("1.0", { sort: { ...text, minLength: 2 } }), at("1.1", { sort: { ...short, minLength: 2 } })],
  ],
];

/** Histories with other breaks. */
const OTHER: readonly (readonly [about: string, versions: readonly ExampleFiles[]])[] = [
  ["another bound", [first, at("1.1", { sort: { ...text, maxLength: 5 } })]],
  ["another keyword", [first, at("1.1", { sort: { ...text, minLength: 4 } })]],
  ["another field", [at("1.0", { kind: text }), at("1.1", { kind: short })]],
  [
    "another event type",
    [
      at("1.0", {}, {}, { [POURED]: { properties: { sort: text } } }),
      at("1.1", {}, {}, { [POURED]: { properties: { sort: short } } }),
    ],
  ],
  ["another protocol", [at("2.0", { sort: text }), at("2.1", { sort: short })]],
];

describe("a fingerprint", () => {
  const base = [first, at("1.1", { sort: short })];

  it("is the one that waivers hold", async () => {
    expect(await fingerprints(base)).toEqual(["4d14ea48e64da5de"]);
  });

  it.each(SAME)("is the same with %s", async (_about, versions) => {
    expect(await fingerprints(versions)).toEqual(await fingerprints(base));
  });

  it("is the same against another kind of baseline", async () => {
    const other = writeTea(createTemporaryFolder(), first);
    expect(await fingerprints(base, "--against", `dir:${other}`)).toEqual(await fingerprints(base));
  });

  it.each(OTHER)("is not the same with %s", async (_about, versions) => {
    const [found, ...more] = await fingerprints(versions);
    expect(more).toEqual([]);
    expect(found).toMatch(/^[0-9a-f]{16}$/);
    expect(await fingerprints(base)).not.toContain(found);
  });

  it("distinguishes findings of two rules at one place", async () => {
    const both = await fingerprints([
      first,
      at("1.1", { sort: { ...text, maxLength: 4, pattern: "^[a-z]*$" } }),
    ]);
    expect(new Set(both).size).toBe(2);
  });
});
