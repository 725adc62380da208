/** If this fails, a waiver covers more than the reviewed break, or does not cover the reviewed break any longer. */
import { rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { freezeContract } from "./project.js";
import { writeTea } from "./tea.js";
import {
  createHistory,
  createObjectSchema,
  createTombstone,
  createVersionFromParts,
  createWaiver,
  cups,
  POURED,
  runCompat,
  SERVED,
  text,
  type VersionParts,
} from "./tea-history.js";

const PARTS = "shared/parts.schema.json";
const PART_REFERENCE = { $ref: "../shared/parts.schema.json#/$defs/Part" };
const createParts = (Part: object): object => ({
  [PARTS]: { title: "Parts", description: "Shared.", $defs: { Part } },
});
const createEvents = (served: object, poured: object): object => ({
  [SERVED]: { properties: { sort: served } },
  [POURED]: { properties: { sort: poured } },
});
const TOMBSTONES = { tombstones: ["a", "b"].map((name) => createTombstone(name, "1.1")) };
/** Creates alternatives that overlap if `maximum` is 6 or more. No rule detects that; only complete messages show it. */
const createSortField = (maximum: number) => ({
  sort: {
    description: "Which.",
    oneOf: [
      { ...cups, maximum },
      { ...cups, minimum: 6 },
    ],
  },
});
const createPot = (maximum: number, more: object = {}) => ({
  fields: { pot: createObjectSchema({ ...createSortField(maximum), a: text, b: text }, more) },
});
const createLabels = (maximum: number, value: object) => ({
  fields: {
    pot: createObjectSchema(
      { ...createSortField(maximum), labels: createObjectSchema({}, { additionalProperties: value }) },
      { required: ["labels"] },
    ),
  },
});
const createList = (maximum: number, more: object = {}) => ({
  fields: {
    all: { type: "array", description: "All.", items: createObjectSchema(createSortField(maximum)), ...more },
  },
});
const createTuple = (maximum: number, later: object) => ({
  fields: {
    pair: {
      type: "array",
      description: "All.",
      prefixItems: [createObjectSchema(createSortField(maximum))],
      items: later,
    },
  },
});
const createAlternative = (name: string, properties: object = {}) =>
  createObjectSchema({ kind: { const: name, description: "Which." }, ...properties }, { required: ["kind"] });
const createUnion = (...anyOf: readonly object[]) => ({ fields: { one: { description: "One.", anyOf } } });

/** Replaces the files of the version in the schemas folder, and writes these waivers to its protocol.json. */
function writeVersion(
  schemas: string,
  number: string,
  given: VersionParts,
  waivers: readonly object[] = [],
): void {
  for (const folder of ["events", "shared"])
    rmSync(path.join(schemas, "tea/v1", folder), { recursive: true, force: true });
  writeTea(schemas, createVersionFromParts(number, { ...given, protocol: { ...given.protocol, waivers } }));
}

/** Waives every error, and returns the waivers. */
async function waiveAll(schemas: string): Promise<object[]> {
  const waivers = (await runCompat(schemas)).errors.map((finding) => createWaiver(finding));
  for (const { fingerprint } of waivers) {
    const args = ["--waive", String(fingerprint), "--reason", "Nobody reads it.", "--expires", "1.2"];
    await runAccrete(["compat", "--schemas", schemas, ...args]);
  }
  return waivers;
}

/** A version, a version with a reviewed break, and a version that also breaks something else. */
const OTHER_BREAKS: readonly (readonly [
  about: string,
  before: VersionParts,
  reviewed: VersionParts,
  after: VersionParts,
])[] = [
  [
    "inside of an object with another bound",
    createPot(5),
    createPot(5, { minProperties: 1 }),
    createPot(8, { minProperties: 1 }),
  ],
  [
    "inside of an object with another condition",
    createPot(5),
    createPot(5, { dependentRequired: { a: ["b"] } }),
    createPot(8, { dependentRequired: { a: ["b"] } }),
  ],
  [
    "inside of a list with another bound",
    createList(5),
    createList(5, { minItems: 1 }),
    createList(8, { minItems: 1 }),
  ],
  [
    "beside undeclared fields that are narrower",
    createLabels(5, text),
    createLabels(5, { ...text, maxLength: 3 }),
    createLabels(8, { ...text, maxLength: 3 }),
  ],
  [
    "beside later items that are narrower",
    createTuple(5, text),
    createTuple(5, { ...text, maxLength: 3 }),
    createTuple(8, { ...text, maxLength: 3 }),
  ],
  [
    "in an alternative beside a removed one",
    createUnion(createAlternative("a", createSortField(5)), createAlternative("b")),
    createUnion(createAlternative("a", createSortField(5))),
    createUnion(createAlternative("a", createSortField(8))),
  ],
  [
    "in the same field of another alternative",
    createUnion(createAlternative("a", { x: text }), createAlternative("b", { x: text })),
    createUnion(createAlternative("a", { x: cups }), createAlternative("b", { x: text })),
    createUnion(createAlternative("a", { x: cups }), createAlternative("b", { x: cups })),
  ],
  [
    "in the same field of another alternative alone",
    createUnion(createAlternative("a", { x: text }), createAlternative("b", { x: text })),
    createUnion(createAlternative("a", { x: cups }), createAlternative("b", { x: text })),
    createUnion(createAlternative("a", { x: text }), createAlternative("b", { x: cups })),
  ],
  [
    "in another event that shared a definition",
    { files: { ...createEvents(PART_REFERENCE, PART_REFERENCE), ...createParts(text) } },
    { files: createEvents({ ...cups, maximum: 7 }, { ...cups, maximum: 9 }) },
    { files: createEvents({ ...cups, maximum: 5 }, { ...cups, maximum: 9 }) },
  ],
  [
    "in a definition of an event that means something else",
    { fields: { a: text, b: text } },
    { fields: { c: PART_REFERENCE, d: text }, files: createParts(text), protocol: TOMBSTONES },
    { fields: { c: PART_REFERENCE, d: text }, files: createParts(cups), protocol: TOMBSTONES },
  ],
];

describe("a waiver does not cover a break", () => {
  it.each(OTHER_BREAKS)("%s", async (_about, before, reviewed, after) => {
    const schemas = await createHistory([
      createVersionFromParts("1.0", before),
      createVersionFromParts("1.1", reviewed),
    ]);
    const waivers = await waiveAll(schemas);
    expect(waivers).not.toEqual([]);
    expect(await runCompat(schemas)).toMatchObject({ exitCode: 0 });
    writeVersion(schemas, "1.1", after, waivers);
    expect(await runCompat(schemas)).toMatchObject({ exitCode: 1 });
  });
});

it("a waiver still covers a repurposed event whose descriptions change", async () => {
  const createRepurposed = (description: string): VersionParts => ({
    fields: { c: { ...text, description }, d: cups },
    protocol: TOMBSTONES,
  });
  const schemas = await createHistory([
    createVersionFromParts("1.0", { fields: { a: text, b: text } }),
    createVersionFromParts("1.1", createRepurposed("One.")),
  ]);
  const waivers = await waiveAll(schemas);
  expect(waivers).toMatchObject([{ rule: "event-repurposed" }]);
  writeVersion(schemas, "1.1", createRepurposed("Another."), waivers);
  expect(await runCompat(schemas)).toMatchObject({ exitCode: 0 });
});

/** A version, a release with a waived break, and a version that only adds to that release. */
const ADDITIONS: readonly (readonly [
  about: string,
  before: VersionParts,
  waived: VersionParts,
  after: VersionParts,
])[] = [
  [
    "a field in an object that was a text",
    { fields: { sort: text } },
    { fields: { sort: createObjectSchema({ a: text }) } },
    { fields: { sort: createObjectSchema({ a: text, b: text }) } },
  ],
  [
    "a value of a list that was a number",
    { fields: { sort: cups } },
    { fields: { sort: { ...text, "x-extensible-enum": ["a"] } } },
    { fields: { sort: { ...text, "x-extensible-enum": ["a", "b"] } } },
  ],
  [
    "a field beside alternatives that overlap",
    { fields: createSortField(5) },
    { fields: createSortField(8) },
    { fields: { ...createSortField(8), a: text } },
  ],
  [
    "a field in an alternative beside a removed one",
    createUnion(createAlternative("a"), createAlternative("b")),
    createUnion(createAlternative("a")),
    createUnion(createAlternative("a", { a: text })),
  ],
];

describe("a release that was made with a waiver can grow by", () => {
  it.each(ADDITIONS)("%s", async (_about, before, waived, after) => {
    const schemas = await createHistory([
      createVersionFromParts("1.0", before),
      createVersionFromParts("1.1", waived),
    ]);
    expect(await waiveAll(schemas)).toHaveLength(1);
    await freezeContract(schemas, "tea/v1");
    writeVersion(schemas, "1.2", after);
    expect((await runCompat(schemas)).findings).toEqual([]);
  });
});

/** Functions that create a version with an experimental field, whose breaks are notes. */
const LABELS: readonly (readonly [about: string, label: (sort: object) => VersionParts])[] = [
  ["in an experimental field", (sort) => ({ fields: { sort: { ...sort, "x-stability": "experimental" } } })],
  [
    "in an experimental event",
    (sort) => ({
      files: { [SERVED]: { "x-stability": "experimental", properties: { sort } } },
    }),
  ],
];

describe("a waiver of a release does not cover a later break of the same place", () => {
  it.each(LABELS)("%s", async (_about, label) => {
    const schemas = await createHistory([
      createVersionFromParts("1.0", { fields: { sort: text } }),
      createVersionFromParts("1.1", { fields: { sort: createObjectSchema({ a: text }) } }),
    ]);
    expect(await waiveAll(schemas)).toHaveLength(1);
    await freezeContract(schemas, "tea/v1");
    writeVersion(schemas, "1.2", label(createObjectSchema({ a: text })));
    await freezeContract(schemas, "tea/v1");
    writeVersion(schemas, "1.3", label(cups));
    const { errors, exitCode } = await runCompat(schemas);
    expect(errors).toMatchObject([{ rule: "type-changed" }]);
    expect(exitCode).toBe(1);
  });
});
