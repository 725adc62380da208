/** If this fails, a contract changes after its release under the same version. */
import { describe, expect, it } from "vitest";
import { freezeContract } from "./project.js";
import {
  createHistory,
  createTombstone,
  createVersion,
  runCompat,
  text,
  waiveOnlyError,
} from "./tea-history.js";

describe("version-bump-insufficient", () => {
  const firstVersion = createVersion("1.0", { sort: text });
  const grownVersion = createVersion("1.1", { sort: text, pot: text });
  it.each([
    ["is not reported right after a release", [firstVersion, grownVersion], 0, "release:1.0", false],
    [
      "is not reported right after a release, against all of them",
      [firstVersion, grownVersion],
      0,
      undefined,
      false,
    ],
    [
      "is reported if something was added after the release",
      [firstVersion, grownVersion, createVersion("1.1", { sort: text, pot: text, lid: text })],
      1,
      "release:1.0",
      true,
    ],
    [
      "is reported if something was added after the release, against all of them",
      [firstVersion, grownVersion, createVersion("1.1", { sort: text, pot: text, lid: text })],
      1,
      undefined,
      true,
    ],
  ] as const)("%s", async (_name, versions, open, against, said) => {
    const more = against === undefined ? [] : ["--against", against];
    const { rules } = await runCompat(await createHistory(versions, open), ...more);
    expect(rules.includes("version-bump-insufficient")).toBe(said);
  });

  it("is not reported because of another major version", async () => {
    const schemas = await createHistory([firstVersion, createVersion("2.0", { sort: text }), grownVersion]);
    expect((await runCompat(schemas, "tea/v1")).rules).toEqual([]);
  });

  it("is not reported after a release with a waived break", async () => {
    const schemas = await createHistory([
      firstVersion,
      createVersion("1.1", {}, { tombstones: [createTombstone("sort", "1.1")] }),
    ]);
    await waiveOnlyError(schemas, "1.1");
    await freezeContract(schemas, "tea/v1");
    expect((await runCompat(schemas)).rules).toEqual([]);
  });
});
