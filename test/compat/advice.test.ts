/** If this fails, users cannot paste the tombstone that a finding asks for. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { at, compat, history, POURED, text } from "./tea-history.js";

describe("advice", () => {
  const wild = (properties: object): ExampleFiles =>
    JSON.parse(JSON.stringify({ [POURED]: { "x-stability": "experimental", properties } }));
  const cup = (fields: object) => ({ cup: { type: "object", description: "A cup.", properties: fields } });
  it.each([
    ["an event type", {}, wild({}), {}, [{ kind: "event", name: "tea.poured" }]],
    ["a field", {}, wild({ sort: text }), wild({}), [{ kind: "field", name: "sort", in: "tea.poured" }]],
    [
      "a field inside",
      {},
      wild(cup({ lid: text })),
      wild(cup({})),
      [{ kind: "field", name: "lid", in: "tea.poured#/properties/cup" }],
    ],
  ])("has the tombstone of %s ready to paste", async (_name, fields, before, after, stones) => {
    const schemas = await history([at("1.0", fields, {}, before), at("1.1", fields, {}, after)]);
    const { findings } = await compat(schemas);
    const [missing] = findings.filter(({ rule }) => rule === "tombstone-missing");
    const text = String(missing?.hint).replace(/^[^{]*/, "");
    const tombstones = JSON.parse(`[${text}]`);
    expect(tombstones).toMatchObject(stones.map((stone) => ({ ...stone, removedIn: "1.1" })));
    const mended = await history([at("1.0", fields, {}, before), at("1.1", fields, { tombstones }, after)]);
    expect((await compat(mended)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("shows what remains to do where the tombstone exists", async () => {
    const stone = { kind: "event", name: "tea.poured", removedIn: "1.1", reason: "Nobody pours." };
    const schemas = await history([
      at("1.0", {}, {}, { [POURED]: {} }),
      at("1.1", {}, { tombstones: [stone] }),
    ]);
    const { findings } = await compat(schemas);
    expect(findings[0]).toMatchObject({
      rule: "event-removed",
      hint: expect.stringMatching(/^The tombstone exists, but the break remains: .*--waive/),
    });
  });
});
