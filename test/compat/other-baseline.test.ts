/** If this fails, names of a baseline that is not a release are treated as released names. */

import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { createTemporaryFolder } from "../folders.js";
import { writeTea } from "./tea.js";
import {
  checkHistory,
  createHistory,
  createTombstone,
  createVersion,
  POURED,
  runCompat,
  SERVED,
  text,
} from "./tea-history.js";

/** Writes a schemas folder with this version. Returns the option that compares with it. */
const createBaseline = (files: ExampleFiles): readonly [option: string, baseline: string] => [
  "--against",
  `dir:${writeTea(createTemporaryFolder(), files)}`,
];

describe("a baseline that is not a release", () => {
  const old = createVersion("1.0", { sort: text });
  const poured = { [POURED]: { properties: { sort: text } } };
  const grown = createVersion("1.1", { sort: text, pot: text }, {}, poured);

  it("may be older than the releases", async () => {
    const { rules, exitCode } = await runCompat(await createHistory([old, grown], 0), ...createBaseline(old));
    expect([rules, exitCode]).toEqual([[], 0]);
  });

  it("may be older than the releases if the contract has grown since", async () => {
    const larger = { [POURED]: { properties: { sort: text, lid: text } } };
    const current = createVersion("1.2", { sort: text, pot: text }, {}, larger);
    const { rules, exitCode } = await checkHistory([old, grown, current], ...createBaseline(old));
    expect([rules, exitCode]).toEqual([[], 0]);
  });

  it("may be another major version", async () => {
    const next = createVersion("2.0", { pot: text }, { tombstones: [createTombstone("sort", "2.0")] });
    const schemas = await createHistory([old, next], 0);
    const { errors, exitCode } = await runCompat(schemas, "tea/v2", ...createBaseline(old));
    expect([errors, exitCode]).toEqual([[], 0]);
  });

  it("may have names of a draft, for which no tombstone is needed if no release has them", async () => {
    const current = createVersion("1.1", { sort: text });
    const draft = { ...current, [POURED]: { "x-stability": "experimental" } };
    const { rules, exitCode } = await checkHistory([old, current], ...createBaseline(draft));
    expect([rules.filter((rule) => rule.startsWith("tombstone")), exitCode]).toEqual([[], 0]);
  });

  it.each(["1.0", "1.1"])(
    "is named in messages of version %s, whose hints name version 1.1",
    async (version) => {
      const createExperimental = (number: string, properties: object) =>
        createVersion(number, {}, {}, { [SERVED]: { "x-stability": "experimental", properties } });
      const [option, baseline] = createBaseline(createExperimental("1.0", { sort: text }));
      const { errors } = await checkHistory([createExperimental(version, {})], option, baseline);
      expect(errors).toMatchObject([
        {
          rule: "tombstone-missing",
          message: expect.stringContaining(`"sort" of tea.served, released with ${baseline}, was removed`),
          hint: expect.stringContaining('"removedIn":"1.1"'),
        },
      ]);
    },
  );

  it("must be the same protocol", async () => {
    const against = createBaseline(createVersion("1.0", { sort: text }, { name: "mate" }));
    for (const ids of [[], ["tea/v1"]]) {
      const { stdout, stderr, exitCode } = await checkHistory([old, grown], ...ids, ...against);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).toMatch(/is the protocol mate and cannot be compared with tea\/v1/);
    }
  });

  it("of one protocol is not compared with the other protocols, and a note lists these", async () => {
    const schemas = createTemporaryFolder();
    writeTea(schemas, old);
    const folder = writeTea(schemas, createVersion("1.0", { sort: text }, { name: "mate" }));
    const { stderr, exitCode, summary } = await runCompat(schemas, "--against", `dir:${folder}`);
    expect(exitCode).toBe(0);
    expect(summary.protocols).toMatchObject([{ id: "mate/v1" }]);
    expect(stderr).toMatch(/not compared: .*tea\/v1/);
  });
});
