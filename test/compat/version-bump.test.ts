/** If this fails, a contract changes after its release under the same version. */
import { describe, expect, it } from "vitest";
import { freeze } from "./project.js";
import { at, compat, history, text, tombstone, waive } from "./tea-history.js";

describe("version-bump-insufficient", () => {
  const old = at("1.0", { sort: text });
  const grown = at("1.1", { sort: text, pot: text });
  it.each([
    ["is not reported right after a release", [old, grown], 0, "release:1.0", false],
    ["is not reported right after a release, against all of them", [old, grown], 0, undefined, false],
    [
      "is said when something came after it",
      [old, grown, at("1.1", { sort: text, pot: text, lid: text })],
      1,
      "release:1.0",
      true,
    ],
    [
      "is said against all of them, too",
      [old, grown, at("1.1", { sort: text, pot: text, lid: text })],
      1,
      undefined,
      true,
    ],
  ] as const)("%s", async (_name, versions, open, against, said) => {
    const more = against === undefined ? [] : ["--against", against];
    const { rules } = await compat(await history(versions, open), ...more);
    expect(rules.includes("version-bump-insufficient")).toBe(said);
  });

  it("is not said for the sake of another major version", async () => {
    const schemas = await history([old, at("2.0", { sort: text }), grown]);
    expect((await compat(schemas, "tea/v1")).rules).toEqual([]);
  });

  it("is not said after a release with a waived break", async () => {
    const schemas = await history([old, at("1.1", {}, { tombstones: [tombstone("sort", "1.1")] })]);
    await waive(schemas, "1.1");
    await freeze(schemas, "tea/v1");
    expect((await compat(schemas)).rules).toEqual([]);
  });
});
