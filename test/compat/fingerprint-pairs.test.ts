/** If this fails, two changes of one kind share a fingerprint, so a waiver covers a break that nobody reviewed. */
import { describe, expect, it } from "vitest";
import { chooseCases, quick } from "../depth.js";
import {
  checkHistory,
  createVersionFromParts,
  cups,
  POURED,
  SERVED,
  text,
  type VersionParts,
} from "./tea-history.js";

type Change = readonly [before: VersionParts, after: VersionParts];

const createField = (schema: object): VersionParts => ({
  fields: { sort: { description: "Which.", ...schema } },
});
const createTextField = (schema: object): VersionParts => createField({ type: "string", ...schema });
const createPotField = (schema: object): VersionParts => ({
  fields: { pot: { type: "object", description: "A pot.", ...schema } },
});
const [a, b, c] = [{ const: "a" }, { const: "b" }, { const: "c" }];
/** Creates fields, of which those with these names are required. */
const createFields = (properties: object, ...required: readonly string[]): VersionParts => ({
  files: { [SERVED]: { properties, required } },
});
const tray = { type: "string", description: "Which tray." };
const createSpoons = (schema: object): VersionParts => ({
  fields: { spoons: { type: "array", description: "All spoons.", items: text, ...schema } },
});

/** Creates changes from one version to several others. */
const createChangesFrom = (before: VersionParts, ...after: readonly VersionParts[]): Change[] =>
  after.map((each) => [before, each]);
/** Creates changes from several versions to the same one. */
const createChangesTo = (after: VersionParts, ...before: readonly VersionParts[]): Change[] =>
  before.map((each) => [each, after]);

/** Different changes that the same rule reports. */
const CHANGES: { readonly [ruleId: string]: readonly Change[] } = {
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
    createFields({ cups }),
    createFields({ cups, tray }, "tray"),
    createFields({ cups, tray: cups }, "tray"),
    createFields({ cups, room: tray }, "room"),
  ),
  "field-removed-required": createChangesTo(
    createFields({ cups }),
    createFields({ cups, tray }, "tray"),
    createFields({ cups, tray: cups }, "tray"),
  ),
  "field-removed-optional": createChangesTo(
    createFields({ cups }),
    createFields({ cups, tray }),
    createFields({ cups, tray: { ...tray, maxLength: 3 } }),
  ),
  "field-added-optional": createChangesFrom(
    createPotField({ additionalProperties: true }),
    createPotField({ additionalProperties: true, properties: { size: cups } }),
    createPotField({ additionalProperties: true, properties: { size: text } }),
  ),
  "field-renamed": createChangesFrom(
    createFields({ tray_id: tray }),
    createFields({ trayid: tray }),
    createFields({ tray_ids: tray }),
    createFields({ trayid: { ...tray, maxLength: 99 } }),
  ),
  "field-became-required": createChangesFrom(
    createFields({ cups, tray }),
    createFields({ cups, tray }, "tray"),
    createFields({ cups, tray }, "cups"),
  ),
  "field-became-optional": createChangesTo(
    createFields({ cups, tray }),
    createFields({ cups, tray }, "tray"),
    createFields({ cups, tray }, "cups"),
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
    [createSpoons({}), createSpoons({ prefixItems: [cups] })],
    [createSpoons({}), createSpoons({ prefixItems: [{ ...cups, minimum: 1 }] })],
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
    createFields({ cups, tray }),
    createFields({ room: text, door: cups }),
    createFields({ wall: text, roof: cups }),
  ),
};

/** Returns the fingerprints of the findings of a rule. */
async function findFingerprints(ruleId: string, [before, after]: Change): Promise<string[]> {
  const { findings } = await checkHistory([
    createVersionFromParts("1.0", before),
    createVersionFromParts("1.1", after),
  ]);
  return findings.filter(({ rule }) => rule === ruleId).map(({ fingerprint }) => fingerprint);
}

describe("different changes of one kind have different fingerprints", () => {
  it.each(chooseCases(Object.keys(CHANGES), 16))("%s", async (ruleId) => {
    const found: string[][] = [];
    for (const change of CHANGES[ruleId] ?? []) found.push(await findFingerprints(ruleId, change));
    expect(found.filter((fingerprints) => fingerprints.length !== 1)).toEqual([]);
    expect(new Set(found.flat()).size).toBe(found.length);
  });
});

quick.it("a change in two events has another fingerprint than in one of them", async () => {
  const createTrays = (served: object, poured: object): VersionParts => ({
    files: { [SERVED]: { properties: { tray: served } }, [POURED]: { properties: { tray: poured } } },
  });
  const short = { ...tray, maxLength: 3 };
  const before = createTrays(tray, tray);
  const inOne = await findFingerprints("bound-tightened", [before, createTrays(tray, short)]);
  const inBoth = await findFingerprints("bound-tightened", [before, createTrays(short, short)]);
  expect([inOne.length, inBoth.length]).toEqual([1, 1]);
  expect(inOne).not.toEqual(inBoth);
});

quick.it("an equal change has an equal fingerprint whatever the order of members", async () => {
  const before = { cups, tray, x: cups };
  const after = { cups, tray: { ...tray, maxLength: 3 }, x: cups };
  const reverseMembers = (fields: object) => Object.fromEntries(Object.entries(fields).reverse());
  const fingerprints = await findFingerprints("bound-tightened", [{ fields: before }, { fields: after }]);
  expect(fingerprints).toHaveLength(1);
  expect(
    await findFingerprints("bound-tightened", [
      { fields: reverseMembers(before) },
      { fields: reverseMembers(after) },
    ]),
  ).toEqual(fingerprints);
});
