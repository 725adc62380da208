/** If this fails, users cannot paste the tombstone that a finding asks for. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { createHistory, createVersion, POURED, runCompat, text } from "./tea-history.js";

describe("advice", () => {
  const createExperimentalEvent = (properties: object): ExampleFiles =>
    JSON.parse(JSON.stringify({ [POURED]: { "x-stability": "experimental", properties } }));
  const createCupField = (fields: object) => ({
    cup: { type: "object", description: "A cup.", properties: fields },
  });
  it.each([
    ["an event type", {}, createExperimentalEvent({}), {}, [{ kind: "event", name: "tea.poured" }]],
    [
      "a field",
      {},
      createExperimentalEvent({ sort: text }),
      createExperimentalEvent({}),
      [{ kind: "field", name: "sort", in: "tea.poured" }],
    ],
    [
      "a field inside",
      {},
      createExperimentalEvent(createCupField({ lid: text })),
      createExperimentalEvent(createCupField({})),
      [{ kind: "field", name: "lid", in: "tea.poured#/properties/cup" }],
    ],
  ])("contains the tombstone of %s, ready to paste", async (_name, fields, before, after, stones) => {
    const schemas = await createHistory([
      createVersion("1.0", fields, {}, before),
      createVersion("1.1", fields, {}, after),
    ]);
    const { findings } = await runCompat(schemas);
    const [missing] = findings.filter(({ rule }) => rule === "tombstone-missing");
    const text = String(missing?.hint).replace(/^[^{]*/, "");
    const tombstones = JSON.parse(`[${text}]`);
    expect(tombstones).toMatchObject(stones.map((stone) => ({ ...stone, removedIn: "1.1" })));
    const fixedSchemas = await createHistory([
      createVersion("1.0", fields, {}, before),
      createVersion("1.1", fields, { tombstones }, after),
    ]);
    expect((await runCompat(fixedSchemas)).findings.filter(({ severity }) => severity === "error")).toEqual(
      [],
    );
  });

  it("says what remains to do if the tombstone exists", async () => {
    const stone = { kind: "event", name: "tea.poured", removedIn: "1.1", reason: "Nobody pours." };
    const schemas = await createHistory([
      createVersion("1.0", {}, {}, { [POURED]: {} }),
      createVersion("1.1", {}, { tombstones: [stone] }),
    ]);
    const { findings } = await runCompat(schemas);
    expect(findings[0]).toMatchObject({
      rule: "event-removed",
      hint: expect.stringMatching(/^The tombstone exists, but the break remains: .*--waive/),
    });
  });
});
