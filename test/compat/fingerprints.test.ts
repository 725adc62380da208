/** If this fails, a waiver no longer covers the same break, or covers another break. */

import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { createTemporaryFolder } from "../folders.js";
import { writeTea } from "./tea.js";
import { checkHistory, createVersion, cups, POURED, text } from "./tea-history.js";

const shortText = { ...text, maxLength: 4 };
const first = createVersion("1.0", { sort: text });
const SHARED = "shared/sorts.schema.json";

/** Returns the fingerprints of the errors in a history. */
async function findFingerprints(
  versions: readonly ExampleFiles[],
  ...options: readonly string[]
): Promise<string[]> {
  const { errors } = await checkHistory(versions, ...options);
  return errors.map(({ fingerprint }) => fingerprint);
}

const createReferringVersion = (version: string, sort: object): ExampleFiles =>
  createVersion(
    version,
    { sort: { $ref: `../${SHARED}#/$defs/Sort` } },
    {},
    { [SHARED]: { title: "Sorts", description: "Shared.", $defs: { Sort: sort } } },
  );

/** Histories with the same break. */
const EQUAL_BREAKS: readonly (readonly [about: string, versions: readonly ExampleFiles[]])[] = [
  [
    "other words",
    [first, createVersion("1.1", { sort: { ...shortText, description: "Which one, in other words." } })],
  ],
  [
    "other lines",
    [createVersion("1.0", { cups, sort: text }), createVersion("1.1", { cups, sort: shortText })],
  ],
  ["other files", [createReferringVersion("1.0", text), createReferringVersion("1.1", shortText)]],
  [
    "a release between",
    [first, createVersion("1.1", { sort: text }), createVersion("1.2", { sort: shortText })],
  ],
  [
    "another witness",
    [
      createVersion("1.0", { sort: { ...text, minLength: 2 } }),
      createVersion("1.1", { sort: { ...shortText, minLength: 2 } }),
    ],
  ],
];

/** Histories with other breaks. */
const OTHER_BREAKS: readonly (readonly [about: string, versions: readonly ExampleFiles[]])[] = [
  ["another bound", [first, createVersion("1.1", { sort: { ...text, maxLength: 5 } })]],
  ["another keyword", [first, createVersion("1.1", { sort: { ...text, minLength: 4 } })]],
  ["another field", [createVersion("1.0", { kind: text }), createVersion("1.1", { kind: shortText })]],
  [
    "another event type",
    [
      createVersion("1.0", {}, {}, { [POURED]: { properties: { sort: text } } }),
      createVersion("1.1", {}, {}, { [POURED]: { properties: { sort: shortText } } }),
    ],
  ],
  ["another protocol", [createVersion("2.0", { sort: text }), createVersion("2.1", { sort: shortText })]],
];

describe("a fingerprint", () => {
  const base = [first, createVersion("1.1", { sort: shortText })];
  const FINGERPRINT = "4d14ea48e64da5de";

  it("does not change between versions of accrete, because waivers contain it", async () => {
    expect(await findFingerprints(base)).toEqual([FINGERPRINT]);
  });

  it.each(EQUAL_BREAKS)("is the same with %s", async (_about, versions) => {
    expect(await findFingerprints(versions)).toEqual([FINGERPRINT]);
  });

  it("is the same against another kind of baseline", async () => {
    const other = writeTea(createTemporaryFolder(), first);
    expect(await findFingerprints(base, "--against", `dir:${other}`)).toEqual([FINGERPRINT]);
  });

  it.each(OTHER_BREAKS)("is not the same with %s", async (_about, versions) => {
    const found = await findFingerprints(versions);
    expect(found).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(found).not.toEqual([FINGERPRINT]);
  });

  it("distinguishes findings of two rules at one place", async () => {
    const both = await findFingerprints([
      first,
      createVersion("1.1", { sort: { ...text, maxLength: 4, pattern: "^[a-z]*$" } }),
    ]);
    expect(new Set(both).size).toBe(2);
  });
});
