/** If this fails, one break is reported once for each release that shows it. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { runAccrete } from "../commands/run-in-process.js";
import { freezeContract } from "./project.js";
import {
  checkHistory,
  createHistory,
  createTombstone,
  createVersion,
  runCompat,
  SERVED,
  text,
  waiveOnlyError,
} from "./tea-history.js";

const DEPRECATED = { deprecated: true, "x-deprecated-since": "1.1", "x-replaced-by": "title" };

describe("a break against several releases", () => {
  const first = createVersion("1.0", { summary: text });
  const title = { ...text, "x-renamed-from": "summary" };
  const second = createVersion("1.1", { summary: { ...text, ...DEPRECATED }, title });
  const tombstones = [createTombstone("summary", "1.2")];
  /** Creates a version without the field `summary`. */
  const createLaterVersion = (version: string, fields: object = { title }) =>
    createVersion(version, fields, { tombstones });
  const third = createLaterVersion("1.2");

  it("is reported once although each release shows another change", async () => {
    const { errors } = await checkHistory([first, second, third]);
    expect(errors).toMatchObject([{ rule: "field-removed-optional", against: "release 1.1" }]);
  });

  it("is still reported if the event is experimental in the newer release", async () => {
    const makeExperimental = (contract: ExampleFiles): ExampleFiles => ({
      ...contract,
      [SERVED]: { ...contract[SERVED], "x-stability": "experimental" },
    });
    const { errors } = await checkHistory([first, makeExperimental(second), makeExperimental(third)]);
    expect(errors).toMatchObject([{ against: "release 1.0" }]);
  });

  it("needs one waiver, which covers the break in all later releases of the major version", async () => {
    const schemas = await createHistory([first, second, third]);
    const waivers = await waiveOnlyError(schemas, "1.2");
    expect((await runCompat(schemas)).rules).toEqual([]);
    const released = [first, second, createVersion("1.2", { title }, { tombstones, waivers })];
    const later = createLaterVersion("1.4");
    const covered = await checkHistory([...released, createLaterVersion("1.3"), later]);
    expect([covered.rules, covered.exitCode]).toEqual([[], 0]);
    // A release without the waiver does not cover the break.
    expect((await checkHistory([first, second, third, later])).exitCode).toBe(1);
    // The next release adds a field. Its removal is a new break.
    const newBreak = await checkHistory([
      ...released,
      createLaterVersion("1.3", { title, pot: text }),
      later,
    ]);
    expect(newBreak.findings).toMatchObject([{ rule: "field-removed-optional", against: "release 1.3" }]);
  });

  it.each([
    ["tea.poured", "tea.served", {}],
    ["tea.served", "tea.poured", {}],
    ["tea.poured", "tea.served", { pot: text }],
    ["tea.served", "tea.poured", { pot: text }],
  ])("of %s is reported although %s breaks in the same way later", async (first, second, more) => {
    const field = { properties: { summary: text } };
    const versions = [
      ["1.0", field, field],
      ["1.1", {}, { properties: { summary: text, ...more } }],
      ["1.2", {}, { properties: more }],
    ] as const;
    const contracts = versions.map(([version, one, other]) => {
      const files = { [`events/${first}.schema.json`]: one, [`events/${second}.schema.json`]: other };
      return createVersion(version, {}, {}, files);
    });
    const { findings } = await checkHistory(contracts);
    const removed = findings.filter(({ rule }) => rule === "field-removed-optional");
    const reports = removed.map(({ events, against }) => `${events} ${against}`).sort();
    expect(reports).toEqual([`${first} release 1.0`, `${second} release 1.1`].sort());
  });

  it("of a stable contract is reported although the contract was experimental in between", async () => {
    const versions = [
      ["1.0", "stable", { summary: text }],
      ["1.1", "experimental", { summary: text }],
      ["1.2", "experimental", {}],
    ] as const;
    const contracts = versions.map(([version, stability, properties]) =>
      createVersion(version, {}, {}, { [SERVED]: { "x-stability": stability, properties } }),
    );
    const { findings } = await checkHistory(contracts);
    const removed = findings.filter(({ rule }) => rule === "field-removed-optional");
    expect(removed).toMatchObject([{ severity: "error", against: "release 1.0" }]);
  });

  it("is listed in the changelog although it is waived", async () => {
    const schemas = await createHistory([
      first,
      createVersion("1.1", {}, { tombstones: [createTombstone("summary", "1.1")] }),
    ]);
    await waiveOnlyError(schemas, "1.1");
    await freezeContract(schemas, "tea/v1");
    const { stdout } = await runAccrete(["changelog", "--schemas", schemas]);
    expect(stdout).toMatch(/## 1\.1\n\n- \*\*Breaking\.\*\* .*summary/);
    expect(stdout).not.toContain("Nothing that readers notice");
    const json = await runAccrete(["changelog", "--schemas", schemas, "--format", "json"]);
    expect(JSON.parse(json.stdout).protocols[0].versions[0].changes).toMatchObject([
      { rule: "field-removed-optional" },
      { rule: "removed-without-deprecation" },
    ]);
  });
});
