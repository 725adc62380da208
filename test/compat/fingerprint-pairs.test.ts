/** If this fails, two changes of one kind share a fingerprint, so a waiver covers a break that nobody reviewed. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { createHistory, createVersion, cups, POURED, runCompat, SERVED, text } from "./tea-history.js";

/** The payload of tea.served, or the files of a version without their number. */
type Version = object | { readonly files: ExampleFiles };
type Change = readonly [before: Version, after: Version];

const createField = (schema: object): Version => ({ sort: { description: "Which.", ...schema } });
const createPayload = (schema: object): Version => ({ files: { [SERVED]: schema as ExampleFiles[string] } });
const createTextField = (schema: object): Version => createField({ type: "string", ...schema });
const createPotField = (schema: object): Version => ({
  pot: { type: "object", description: "A pot.", ...schema },
});
const [a, b, c] = [{ const: "a" }, { const: "b" }, { const: "c" }];
const createRequiredFields = (properties: object, ...names: readonly string[]): Version =>
  createPayload({ properties, ...(names.length > 0 && { required: names }) });
const tray = { type: "string", description: "Which tray." };
const spoons = { type: "array", description: "All spoons." };

/** Changes from one version to several, and from several versions to one. */
const createChangesFrom = (before: Version, ...after: readonly Version[]): Change[] =>
  after.map((each) => [before, each]);
const createChangesTo = (after: Version, ...before: readonly Version[]): Change[] =>
  before.map((each) => [each, after]);

/** Different changes of each kind. */
const CHANGES: { readonly [kind: string]: readonly Change[] } = {
  "type-widened": createChangesFrom(
    createField({ type: "string" }),
    createField({ type: ["string", "integer"] }),
    createField({ type: ["string", "boolean"] }),
  ),
  "type-narrowed": createChangesFrom(
    createField({ type: ["string", "integer"] }),
    createField({ type: "string" }),
    createField({ type: "integer" }),
  ),
  "type-changed": createChangesFrom(
    createField({ type: "string" }),
    createField({ type: "integer" }),
    createField({ type: "boolean" }),
  ),
  "bound-tightened": [
    [createTextField({ maxLength: 9 }), createTextField({ maxLength: 8 })],
    [createTextField({ maxLength: 9 }), createTextField({ maxLength: 7 })],
    [createTextField({ maxLength: 8 }), createTextField({ maxLength: 7 })],
  ],
  "bound-loosened": createChangesTo(
    createTextField({ maxLength: 9 }),
    createTextField({ maxLength: 8 }),
    createTextField({ maxLength: 7 }),
  ),
  "pattern-added": createChangesFrom(
    createTextField({}),
    createTextField({ pattern: "^a" }),
    createTextField({ pattern: "^b" }),
  ),
  "pattern-removed": createChangesTo(
    createTextField({}),
    createTextField({ pattern: "^a" }),
    createTextField({ pattern: "^b" }),
  ),
  "pattern-changed": createChangesFrom(
    createTextField({ pattern: "^a" }),
    createTextField({ pattern: "^b" }),
    createTextField({ pattern: "^c" }),
  ),
  "format-added": createChangesFrom(
    createTextField({}),
    createTextField({ format: "date" }),
    createTextField({ format: "uuid" }),
  ),
  "format-removed": createChangesTo(
    createTextField({}),
    createTextField({ format: "date" }),
    createTextField({ format: "uuid" }),
  ),
  "const-changed": createChangesFrom(createField(a), createField(b), createField(c)),
  "enum-value-removed": createChangesFrom(
    createField({ enum: ["a", "b", "cup"] }),
    createField({ enum: ["b", "cup"] }),
    createField({ enum: ["a", "cup"] }),
    createField({ enum: ["cup"] }),
  ),
  "enum-value-added-closed": createChangesFrom(
    createField({ enum: ["a"] }),
    createField({ enum: ["a", "b"] }),
    createField({ enum: ["a", "c"] }),
  ),
  "enum-value-renamed": createChangesFrom(
    createField({ enum: ["green_tea", "x"] }),
    createField({ enum: ["greentea", "x"] }),
    createField({ enum: ["green_teas", "x"] }),
  ),
  "value-list-added": createChangesFrom(
    createTextField({}),
    createTextField({ enum: ["a", "b"] }),
    createTextField({ enum: ["a", "c"] }),
  ),
  "value-list-removed": createChangesTo(
    createTextField({}),
    createTextField({ enum: ["a", "b"] }),
    createTextField({ enum: ["a", "c"] }),
  ),
  "branch-removed": createChangesFrom(
    createField({ anyOf: [a, b, c] }),
    createField({ anyOf: [a, b] }),
    createField({ anyOf: [b, c] }),
    createField({ anyOf: [b] }),
  ),
  "branch-added": createChangesFrom(
    createField({ anyOf: [a, b] }),
    createField({ anyOf: [a, b, c] }),
    createField({ anyOf: [a, b, { const: "d" }] }),
  ),
  "field-added-required": createChangesFrom(
    createRequiredFields({ cups }),
    createRequiredFields({ cups, tray }, "tray"),
    createRequiredFields({ cups, tray: cups }, "tray"),
    createRequiredFields({ cups, room: tray }, "room"),
  ),
  "field-removed-required": createChangesTo(
    createRequiredFields({ cups }),
    createRequiredFields({ cups, tray }, "tray"),
    createRequiredFields({ cups, tray: cups }, "tray"),
  ),
  "field-removed-optional": createChangesTo(
    createRequiredFields({ cups }),
    createRequiredFields({ cups, tray }),
    createRequiredFields({ cups, tray: { ...tray, maxLength: 3 } }),
  ),
  "field-added-optional": createChangesFrom(
    createPotField({ additionalProperties: true }),
    createPotField({ additionalProperties: true, properties: { size: cups } }),
    createPotField({ additionalProperties: true, properties: { size: text } }),
  ),
  "field-renamed": createChangesFrom(
    createRequiredFields({ tray_id: tray }),
    createRequiredFields({ trayid: tray }),
    createRequiredFields({ tray_ids: tray }),
    createRequiredFields({ trayid: { ...tray, maxLength: 99 } }),
  ),
  "field-became-required": createChangesFrom(
    createRequiredFields({ cups, tray }),
    createRequiredFields({ cups, tray }, "tray"),
    createRequiredFields({ cups, tray }, "cups"),
  ),
  "field-became-optional": createChangesTo(
    createRequiredFields({ cups, tray }),
    createRequiredFields({ cups, tray }, "tray"),
    createRequiredFields({ cups, tray }, "cups"),
  ),
  "content-closed": createChangesTo(
    createPotField({ properties: { size: cups } }),
    createPotField({ properties: { size: cups }, additionalProperties: true }),
    createPotField({ properties: { size: cups }, additionalProperties: text }),
  ),
  "condition-changed": [
    [
      createPotField({ properties: { a: cups, b: cups } }),
      createPotField({ properties: { a: cups, b: cups }, not: { required: ["a"] } }),
    ],
    [
      createPotField({ properties: { a: cups, b: cups } }),
      createPotField({ properties: { a: cups, b: cups }, not: { required: ["b"] } }),
    ],
    [{ spoons: { ...spoons, items: text } }, { spoons: { ...spoons, prefixItems: [cups], items: text } }],
    [
      { spoons: { ...spoons, items: text } },
      { spoons: { ...spoons, prefixItems: [{ ...cups, minimum: 1 }], items: text } },
    ],
  ],
  "writer-rule-changed": createChangesFrom(
    createTextField({}),
    createTextField({ "x-writer": { pattern: "^a" } }),
    createTextField({ "x-writer": { pattern: "^b" } }),
  ),
  "contract-narrowed": createChangesFrom(
    createField({ type: "integer", allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }),
    createField({ type: "integer", allOf: [{ multipleOf: 2 }, { multipleOf: 5 }] }),
    createField({ type: "integer", allOf: [{ multipleOf: 2 }, { multipleOf: 7 }] }),
  ),
  "event-removed": createChangesTo(
    { files: { [SERVED]: {} } },
    { files: { [SERVED]: {}, [POURED]: { properties: { cups } } } },
    { files: { [SERVED]: {}, [POURED]: { properties: { tray } } } },
  ),
  "event-repurposed": createChangesFrom(
    createRequiredFields({ cups, tray }),
    createRequiredFields({ room: text, door: cups }),
    createRequiredFields({ wall: text, roof: cups }),
  ),
};

function createNumberedVersion(number: string, given: Version): ExampleFiles {
  const files = "files" in given ? (given.files as ExampleFiles) : {};
  return createVersion(number, "files" in given ? {} : given, {}, files);
}

async function findFingerprints(kind: string, [before, after]: Change): Promise<string[]> {
  const { findings } = await runCompat(
    await createHistory([createNumberedVersion("1.0", before), createNumberedVersion("1.1", after)]),
  );
  return findings.filter(({ rule }) => rule === kind).map(({ fingerprint }) => fingerprint);
}

describe("different changes of one kind have different fingerprints", () => {
  it.each(Object.keys(CHANGES))("%s", async (kind) => {
    const all: string[][] = [];
    for (const change of CHANGES[kind] ?? []) all.push(await findFingerprints(kind, change));
    expect(all.map((each) => each.length).filter((count) => count !== 1)).toEqual([]);
    expect(new Set(all.flat()).size).toBe(all.length);
  });
});

describe("a change at more places", () => {
  const createInBothEvents = (schema: object): Version => ({
    files: {
      [SERVED]: { properties: { tray: schema } },
      [POURED]: { properties: { tray: schema } },
    } as ExampleFiles,
  });
  const createInPouredEvent = (schema: object, served: object): Version => ({
    files: {
      [SERVED]: { properties: { tray: served } },
      [POURED]: { properties: { tray: schema } },
    } as ExampleFiles,
  });
  const short = { ...tray, maxLength: 3 };

  it("has another fingerprint", async () => {
    const [one, ...noMore] = await findFingerprints("bound-tightened", [
      createInBothEvents(tray),
      createInPouredEvent(short, tray),
    ]);
    const [both, ...neither] = await findFingerprints("bound-tightened", [
      createInBothEvents(tray),
      createInBothEvents(short),
    ]);
    expect([...noMore, ...neither]).toEqual([]);
    expect(one).not.toBe(both);
  });
});

describe("an equal change", () => {
  it("has an equal fingerprint whatever the order of members", async () => {
    const reverseMembers = (schema: object) => Object.fromEntries(Object.entries(schema).reverse());
    const [before, after] = [
      { cups, tray, x: cups },
      { cups, tray: { ...tray, maxLength: 3 }, x: cups },
    ];
    const one = await findFingerprints("bound-tightened", [before, after]);
    expect(
      await findFingerprints("bound-tightened", [reverseMembers(before), reverseMembers(after)]),
    ).toEqual(one);
    expect(one).toHaveLength(1);
  });
});
