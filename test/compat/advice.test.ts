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

it.each([
  [
    "alike names and equal schemas",
    { tea_sort: text },
    { sort_of_tea: text },
    "the names are alike, the schemas are equal and the descriptions are equal",
  ],
  [
    "equal descriptions",
    { cups: { type: "integer", description: "How many cups of tea the guests drank." } },
    { vessels_drained: { type: "integer", description: "How many cups of tea the guests drank." } },
    "the schemas are equal and the descriptions are equal",
  ],
])("a suspected rename states its evidence: %s", async (_about, before, after, evidence) => {
  const first = createVersion("1.0", {}, {}, createExperimentalEvent({ ...before, pot: text }));
  const { findings } = await checkHistory([
    first,
    createVersion("1.1", {}, {}, createExperimentalEvent({ ...after, pot: text })),
  ]);
  const renamed = findings.find(({ rule }) => rule === "field-renamed");
  expect(renamed?.message).toContain(`(suspected, because ${evidence})`);
});

it("the hint about a new value of a closed enum names the order of deployment", async () => {
  const createSort = (...values: string[]) =>
    createExperimentalEvent({ sort: { type: "string", enum: values } });
  const { findings } = await checkHistory([
    createVersion("1.0", {}, {}, createSort("green")),
    createVersion("1.1", {}, {}, createSort("green", "black")),
  ]);
  const added = findings.find(({ rule }) => rule === "enum-value-added-closed");
  expect(added?.hint).toMatch(
    /readers .* first, and the writers .* last .*accrete rollout.*x-extensible-enum/,
  );
});
