/** If this fails, names of a baseline that is no release are treated as released names. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { createTemporaryFolder } from "../folders.js";
import { writeTea } from "./tea.js";
import {
  createHistory,
  createTombstone,
  createVersion,
  POURED,
  runCompat,
  SERVED,
  text,
} from "./tea-history.js";

describe("a baseline that is no release", () => {
  const old = createVersion("1.0", { sort: text });
  const grown = createVersion(
    "1.1",
    { sort: text, pot: text },
    {},
    { [POURED]: { properties: { sort: text } } },
  );

  it("does not stand behind the releases", async () => {
    const other = createTemporaryFolder();
    const folder = writeTea(other, old);
    const schemas = await createHistory([old, grown], 0);
    const { rules, exitCode } = await runCompat(schemas, "--against", `dir:${folder}`);
    expect([rules, exitCode]).toEqual([[], 0]);
  });

  it("does not stand behind the releases where something grew since", async () => {
    const folder = writeTea(createTemporaryFolder(), old);
    const poured = { [POURED]: { properties: { sort: text, lid: text } } };
    const more = createVersion("1.2", { sort: text, pot: text }, {}, poured as unknown as ExampleFiles);
    const { rules, exitCode } = await runCompat(
      await createHistory([old, grown, more]),
      "--against",
      `dir:${folder}`,
    );
    expect([rules, exitCode]).toEqual([[], 0]);
  });

  it("may be another major version", async () => {
    const other = createTemporaryFolder();
    const folder = writeTea(other, old);
    const next = createVersion("2.0", { pot: text }, { tombstones: [createTombstone("sort", "2.0")] });
    const { findings, exitCode } = await runCompat(
      await createHistory([old, next], 0),
      "tea/v2",
      "--against",
      `dir:${folder}`,
    );
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it("has names that are free until the next release", async () => {
    const other = createTemporaryFolder();
    const draft = { ...createVersion("1.1", { sort: text }), [POURED]: { "x-stability": "experimental" } };
    const folder = writeTea(other, draft);
    const { rules, exitCode } = await runCompat(
      await createHistory([old, createVersion("1.1", { sort: text })]),
      "--against",
      `dir:${folder}`,
    );
    expect([rules.filter((rule) => rule.startsWith("tombstone")), exitCode]).toEqual([[], 0]);
  });

  it("is named as what it is, and a tombstone names the version to come", async () => {
    const wild = { [SERVED]: { "x-stability": "experimental" } } as ExampleFiles;
    const draft = { ...createVersion("1.0", {}), [SERVED]: { ...wild[SERVED], properties: { sort: text } } };
    const folder = writeTea(createTemporaryFolder(), JSON.parse(JSON.stringify(draft)));
    for (const [version, next] of [
      ["1.0", "1.1"],
      ["1.1", "1.1"],
    ] as const) {
      const schemas = await createHistory([{ ...createVersion(version, {}), ...wild }]);
      const { findings } = await runCompat(schemas, "--against", `dir:${folder}`);
      expect(findings.filter(({ severity }) => severity === "error")).toMatchObject([
        {
          rule: "tombstone-missing",
          message: expect.stringContaining(`"sort" of tea.served, released with dir:${folder}, was removed`),
          hint: expect.stringContaining(`"removedIn":"${next}"`),
        },
      ]);
    }
  });

  it("must be the same protocol", async () => {
    const other = createTemporaryFolder();
    const folder = path.join(other, "mate/v1");
    writeTea(other, old);
    mkdirSync(path.join(folder, "events"), { recursive: true });
    for (const file of ["protocol.json", "envelope.schema.json", SERVED]) {
      const content = readFileSync(path.join(other, "tea/v1", file), "utf8");
      writeFileSync(path.join(folder, file), content.replace('"name": "tea"', '"name": "mate"'));
    }
    const schemas = await createHistory([old, grown]);
    for (const ids of [[], ["tea/v1"]]) {
      const { stdout, stderr, exitCode } = await runCompat(schemas, ...ids, "--against", `dir:${folder}`);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).toMatch(/is the protocol mate and cannot be compared with tea\/v1/);
    }
    const both = await runCompat(other, "--against", `dir:${folder}`);
    expect(both.exitCode).toBe(0);
    expect(both.summary.protocols).toMatchObject([{ id: "mate/v1" }]);
    expect(both.stderr).toMatch(/not compared: .*tea\/v1/);
  });
});
