/** If this fails, users cannot paste the tombstone that a finding asks for. */
import { expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { checkHistory, createCupField, createVersion, POURED, text, toExampleFiles } from "./tea-history.js";

const createExperimentalEvent = (properties: object): ExampleFiles =>
  toExampleFiles({ [POURED]: { "x-stability": "experimental", properties } });

it.each([
  ["an event type", createExperimentalEvent({}), {}, { kind: "event", name: "tea.poured" }],
  [
    "a field",
    createExperimentalEvent({ sort: text }),
    createExperimentalEvent({}),
    { kind: "field", name: "sort", in: "tea.poured" },
  ],
  [
    "a field of a nested object",
    createExperimentalEvent(createCupField({ lid: text })),
    createExperimentalEvent(createCupField({})),
    { kind: "field", name: "lid", in: "tea.poured#/properties/cup" },
  ],
])("the hint contains the tombstone of %s, ready to paste", async (_about, before, after, tombstone) => {
  const first = createVersion("1.0", {}, {}, before);
  const { findings } = await checkHistory([first, createVersion("1.1", {}, {}, after)]);
  const missing = findings.find(({ rule }) => rule === "tombstone-missing");
  const pasted = JSON.parse(String(missing?.hint).replace(/^[^{]*/, ""));
  expect(pasted).toMatchObject({ ...tombstone, removedIn: "1.1" });
  const fixed = createVersion("1.1", {}, { tombstones: [pasted] }, after);
  expect((await checkHistory([first, fixed])).errors).toEqual([]);
});

it("the hint says what remains to do if the tombstone exists", async () => {
  const tombstone = { kind: "event", name: "tea.poured", removedIn: "1.1", reason: "Nobody pours." };
  const { findings } = await checkHistory([
    createVersion("1.0", {}, {}, { [POURED]: {} }),
    createVersion("1.1", {}, { tombstones: [tombstone] }),
  ]);
  expect(findings[0]).toMatchObject({
    rule: "event-removed",
    hint: expect.stringMatching(/^The tombstone exists, but the break remains: .*--waive/),
  });
});
