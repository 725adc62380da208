/** If this fails, a name that an older release held may be used again with another meaning. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import {
  createHistory,
  createTombstone,
  createVersion,
  cups,
  POURED,
  runCompat,
  text,
} from "./tea-history.js";

it("reports nothing about names while a release is damaged", async () => {
  const withdrawn = { tombstones: [createTombstone("sort", "1.1")] };
  const wild = { [POURED]: { "x-stability": "experimental", deprecated: true } } as ExampleFiles;
  const schemas = await createHistory([
    createVersion("1.0", {}, {}, wild),
    createVersion("1.1", {}, withdrawn, wild),
    createVersion("1.2", { pot: { ...text, "x-renamed-from": "lid" } }, withdrawn, wild),
  ]);
  for (const broken of [
    (release: string) => release.slice(0, 400),
    (release: string) => release.replace("Tea", "Coffee"),
  ]) {
    const file = path.join(schemas, "tea/v1/releases/1.1.json");
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, broken(whole));
    const { rules, exitCode } = await runCompat(schemas);
    expect([new Set(rules), exitCode]).toEqual([new Set(["release-altered"]), 1]);
    writeFileSync(file, whole);
  }
  expect((await runCompat(schemas)).rules).toContain("rename-unmatched");
});

it("knows that a name which comes back means what it meant", async () => {
  const wild = { [POURED]: { "x-stability": "experimental", properties: { sort: text } } } as ExampleFiles;
  const again = { [POURED]: { ...wild[POURED], "x-since": "1.2", deprecated: true } } as ExampleFiles;
  const versions = [
    createVersion("1.0", {}, {}, wild),
    createVersion("1.1", {}),
    createVersion("1.2", {}, {}, again),
  ];
  expect((await runCompat(await createHistory(versions))).rules).not.toContain("tombstone-reused");
  const other = { [POURED]: { "x-stability": "experimental", properties: { sort: cups } } } as ExampleFiles;
  expect(
    (await runCompat(await createHistory([...versions.slice(0, 2), createVersion("1.2", {}, {}, other)])))
      .rules,
  ).toContain("tombstone-reused");
});

it("names a release file that is a folder", async () => {
  const schemas = await createHistory([createVersion("1.0", {}), createVersion("1.1", {})]);
  mkdirSync(path.join(schemas, "tea/v1/releases/1.1.json"));
  const { stderr, exitCode } = await runCompat(schemas);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/releases\/1\.1\.json: it is a folder/)]);
});
