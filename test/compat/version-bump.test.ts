/** If this fails, a contract can change after its release although its version stays the same. */
import { describe, expect, it } from "vitest";
import { freezeContract } from "./project.js";
import {
  checkHistory,
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
  const laterVersion = createVersion("1.1", { sort: text, pot: text, lid: text });

  describe.each([
    ["all releases", []],
    ["the release 1.0", ["--against", "release:1.0"]],
  ])("compared with %s", (_baselines, options) => {
    it("is not reported right after a release", async () => {
      const schemas = await createHistory([firstVersion, grownVersion], 0);
      expect((await runCompat(schemas, ...options)).rules).toEqual([]);
    });

    it("is reported if something was added after the release", async () => {
      const { rules } = await checkHistory([firstVersion, grownVersion, laterVersion], ...options);
      expect(rules).toEqual(["version-bump-insufficient"]);
    });
  });

  it("is not reported because of another major version", async () => {
    const versions = [firstVersion, createVersion("2.0", { sort: text }), grownVersion];
    expect((await checkHistory(versions, "tea/v1")).rules).toEqual([]);
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
