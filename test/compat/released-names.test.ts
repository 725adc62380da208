/** If this fails, a name that an older release held may be used again with another meaning. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import {
  checkHistory,
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
  const poured = { [POURED]: { "x-stability": "experimental", deprecated: true } };
  const schemas = await createHistory([
    createVersion("1.0", {}, {}, poured),
    createVersion("1.1", {}, withdrawn, poured),
    createVersion("1.2", { pot: { ...text, "x-renamed-from": "lid" } }, withdrawn, poured),
  ]);
  const file = path.join(schemas, "tea/v1/releases/1.1.json");
  const release = readFileSync(file, "utf8");
  for (const damaged of [release.slice(0, 400), release.replace("Tea", "Coffee")]) {
    writeFileSync(file, damaged);
    const { rules, exitCode } = await runCompat(schemas);
    expect([new Set(rules), exitCode]).toEqual([new Set(["release-altered"]), 1]);
  }
  writeFileSync(file, release);
  expect((await runCompat(schemas)).rules).toContain("rename-unmatched");
});

it("accepts that an event type comes back only with the same fields", async () => {
  const createPoured = (sort: object, more: object = {}) => ({
    [POURED]: { "x-stability": "experimental", properties: { sort }, ...more },
  });
  const checkReturn = (files: object) =>
    checkHistory([
      createVersion("1.0", {}, {}, createPoured(text)),
      createVersion("1.1", {}),
      createVersion("1.2", {}, {}, files),
    ]);
  const same = await checkReturn(createPoured(text, { "x-since": "1.2", deprecated: true }));
  expect(same.rules).not.toContain("tombstone-reused");
  expect((await checkReturn(createPoured(cups))).rules).toContain("tombstone-reused");
});

it("reports a release file that is a folder", async () => {
  const schemas = await createHistory([createVersion("1.0", {}), createVersion("1.1", {})]);
  mkdirSync(path.join(schemas, "tea/v1/releases/1.1.json"));
  const { stderr, exitCode } = await runCompat(schemas);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/releases\/1\.1\.json: it is a folder/)]);
});
