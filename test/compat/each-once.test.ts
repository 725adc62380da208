/** If this fails, one break is reported once for each release that shows it. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { runAccrete } from "../cli/run-in-process.js";
import { freeze } from "./project.js";
import { at, compat, history, SERVED, text, tombstone, waive } from "./tea-history.js";

const going = { deprecated: true, "x-deprecated-since": "1.1", "x-replaced-by": "title" };

describe("a break against several releases", () => {
  const first = at("1.0", { summary: text });
  const title = { ...text, "x-renamed-from": "summary" };
  const second = at("1.1", { summary: { ...text, ...going }, title });
  const third = at("1.2", { title }, { tombstones: [tombstone("summary", "1.2")] });

  it("is reported once although each of them shows another change", async () => {
    const { findings } = await compat(await history([first, second, third]));
    expect(findings.filter(({ severity }) => severity === "error")).toMatchObject([
      { rule: "field-removed-optional", against: "release 1.1" },
    ]);
  });

  it("is still reported where the newer release has it as experimental", async () => {
    const loose = (contract: ExampleFiles): ExampleFiles => ({
      ...contract,
      [SERVED]: { ...contract[SERVED], "x-stability": "experimental" },
    });
    const { findings } = await compat(await history([first, loose(second), loose(third)]));
    expect(findings.filter(({ severity }) => severity === "error")).toMatchObject([
      { against: "release 1.0" },
    ]);
  });

  it("takes one waiver, which the release that was made with it keeps for the whole major", async () => {
    const schemas = await history([first, second, third]);
    const waivers = await waive(schemas, "1.2");
    expect((await compat(schemas)).rules).toEqual([]);
    const waived = at("1.2", { title }, { tombstones: [tombstone("summary", "1.2")], waivers });
    const later = (version: string) => at(version, { title }, { tombstones: [tombstone("summary", "1.2")] });
    const kept = await compat(await history([first, second, waived, later("1.3"), later("1.4")]));
    expect([kept.rules, kept.exitCode]).toEqual([[], 0]);
    // A release that was made without it is no evidence.
    const dropped = await compat(await history([first, second, later("1.2"), later("1.3")]));
    expect(dropped.exitCode).toBe(1);
    // What the release brought back and lost again is a new break.
    const back = at("1.3", { title, pot: text });
    const again = await compat(
      await history([
        first,
        second,
        waived,
        { ...back, ...later("1.3"), [SERVED]: back[SERVED] ?? {} },
        later("1.4"),
      ]),
    );
    expect(again.findings).toMatchObject([{ rule: "field-removed-optional", against: "release 1.3" }]);
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
    const contracts = versions.map(([version, one, other]) =>
      at(version, {}, {}, { [`events/${first}.schema.json`]: one, [`events/${second}.schema.json`]: other }),
    );
    const { findings } = await compat(await history(contracts));
    const removed = findings.filter(({ rule }) => rule === "field-removed-optional");
    const reports = removed.map(({ events, against }) => `${events} ${against}`).sort();
    expect(reports).toEqual([`${first} release 1.0`, `${second} release 1.1`].sort());
  });

  it("of a stable contract is not hidden by one of the same, experimental for a while", async () => {
    const versions = [
      ["1.0", "stable", { summary: text }],
      ["1.1", "experimental", { summary: text }],
      ["1.2", "experimental", {}],
    ] as const;
    const contracts = versions.map(([version, stability, properties]) =>
      at(version, {}, {}, { [SERVED]: { "x-stability": stability, properties } }),
    );
    const { findings } = await compat(await history(contracts));
    const removed = findings.filter(({ rule }) => rule === "field-removed-optional");
    expect(removed).toMatchObject([{ severity: "error", against: "release 1.0" }]);
  });

  it("stands in the changelog although it is waived", async () => {
    const schemas = await history([first, at("1.1", {}, { tombstones: [tombstone("summary", "1.1")] })]);
    await waive(schemas, "1.1");
    await freeze(schemas, "tea/v1");
    const { stdout } = await runAccrete(["changelog", "--schemas", schemas]);
    expect(stdout).toMatch(/## 1\.1\n\n- \*\*Breaking\.\*\* .*summary/);
    expect(stdout).not.toContain("Nothing that readers notice");
    const json = JSON.parse(
      (await runAccrete(["changelog", "--schemas", schemas, "--format", "json"])).stdout,
    );
    expect(json.protocols[0].versions[0].changes).toMatchObject([
      { rule: "field-removed-optional" },
      { rule: "removed-without-deprecation" },
    ]);
  });
});
