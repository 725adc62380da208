/** A waiver would let more through than the break that was reviewed, or would have to be written again and again. */
import { rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { runAccrete } from "../cli/run-in-process.js";
import { freeze } from "./project.js";
import { writeTea } from "./tea.js";
import {
  at,
  compat,
  cups,
  filesOf,
  history,
  POURED,
  SERVED,
  text,
  tombstone,
  waiverOf,
} from "./tea-history.js";

type Given = { readonly fields?: object; readonly protocol?: object; readonly files?: ExampleFiles };

const closed = (properties: object, more: object = {}) => ({
  type: "object",
  description: "A thing.",
  properties,
  ...more,
});
const PARTS = "shared/parts.schema.json";
const part = { $ref: "../shared/parts.schema.json#/$defs/Part" };
const parts = (Part: object): ExampleFiles =>
  filesOf({ [PARTS]: { title: "Parts", description: "Shared.", $defs: { Part } } });
const events = (served: object, poured: object): ExampleFiles =>
  filesOf({ [SERVED]: { properties: { sort: served } }, [POURED]: { properties: { sort: poured } } });
const gone = { tombstones: ["a", "b"].map((name) => tombstone(name, "1.1")) };
/** The alternatives overlap from a maximum of 6 on. No rule notices it, so that only complete messages show it. */
const sort = (maximum: number) => ({
  sort: {
    description: "Which.",
    oneOf: [
      { ...cups, maximum },
      { ...cups, minimum: 6 },
    ],
  },
});
const pot = (maximum: number, more: object = {}) => ({
  fields: { pot: closed({ ...sort(maximum), a: text, b: text }, more) },
});
const labels = (maximum: number, value: object) => ({
  fields: {
    pot: closed(
      { ...sort(maximum), labels: closed({}, { additionalProperties: value }) },
      { required: ["labels"] },
    ),
  },
});
const list = (maximum: number, more: object = {}) => ({
  fields: { all: { type: "array", description: "All.", items: closed(sort(maximum)), ...more } },
});
const tuple = (maximum: number, later: object) => ({
  fields: {
    pair: { type: "array", description: "All.", prefixItems: [closed(sort(maximum))], items: later },
  },
});
const kind = (name: string, properties: object = {}) =>
  closed({ kind: { const: name, description: "Which." }, ...properties }, { required: ["kind"] });
const union = (...anyOf: readonly object[]) => ({ fields: { one: { description: "One.", anyOf } } });

function version(number: string, { fields = {}, protocol = {}, files = {} }: Given): ExampleFiles {
  return at(number, fields, protocol, files);
}

/** Writes a version over the one that is there, with the waivers of that one if `waivers` says so. */
function write(schemas: string, number: string, given: Given, waivers: readonly object[] = []): void {
  for (const folder of ["events", "shared"])
    rmSync(path.join(schemas, "tea/v1", folder), { recursive: true, force: true });
  writeTea(schemas, version(number, { ...given, protocol: { ...given.protocol, waivers } }));
}

/** Waives every error; returns the waivers. */
async function waiveAll(schemas: string): Promise<object[]> {
  const { findings } = await compat(schemas);
  const waivers = findings.filter(({ severity }) => severity === "error").map((finding) => waiverOf(finding));
  for (const { fingerprint } of waivers) {
    const args = ["--waive", String(fingerprint), "--reason", "Nobody reads it.", "--expires", "1.2"];
    await runAccrete(["compat", "--schemas", schemas, ...args]);
  }
  return waivers;
}

/** A version, one with a break that is reviewed, and one that breaks something else as well. */
const OTHERS: readonly (readonly [about: string, before: Given, reviewed: Given, after: Given])[] = [
  [
    "inside of an object with another bound",
    pot(5),
    pot(5, { minProperties: 1 }),
    pot(8, { minProperties: 1 }),
  ],
  [
    "inside of an object with another condition",
    pot(5),
    pot(5, { dependentRequired: { a: ["b"] } }),
    pot(8, { dependentRequired: { a: ["b"] } }),
  ],
  ["inside of a list with another bound", list(5), list(5, { minItems: 1 }), list(8, { minItems: 1 })],
  [
    "beside undeclared fields that are narrower",
    labels(5, text),
    labels(5, { ...text, maxLength: 3 }),
    labels(8, { ...text, maxLength: 3 }),
  ],
  [
    "beside later items that are narrower",
    tuple(5, text),
    tuple(5, { ...text, maxLength: 3 }),
    tuple(8, { ...text, maxLength: 3 }),
  ],
  [
    "in an alternative beside one that is gone",
    union(kind("a", sort(5)), kind("b")),
    union(kind("a", sort(5))),
    union(kind("a", sort(8))),
  ],
  [
    "in the same field of another alternative",
    union(kind("a", { x: text }), kind("b", { x: text })),
    union(kind("a", { x: cups }), kind("b", { x: text })),
    union(kind("a", { x: cups }), kind("b", { x: cups })),
  ],
  [
    "in the same field of another alternative alone",
    union(kind("a", { x: text }), kind("b", { x: text })),
    union(kind("a", { x: cups }), kind("b", { x: text })),
    union(kind("a", { x: text }), kind("b", { x: cups })),
  ],
  [
    "in another event that shared a definition",
    { files: { ...events(part, part), ...parts(text) } },
    { files: events({ ...cups, maximum: 7 }, { ...cups, maximum: 9 }) },
    { files: events({ ...cups, maximum: 5 }, { ...cups, maximum: 9 }) },
  ],
  [
    "in a definition of an event that means something else",
    { fields: { a: text, b: text } },
    { fields: { c: part, d: text }, files: parts(text), protocol: gone },
    { fields: { c: part, d: text }, files: parts(cups), protocol: gone },
  ],
];

describe("a waiver does not cover a break", () => {
  it.each(OTHERS)("%s", async (_about, before, reviewed, after) => {
    const schemas = await history([version("1.0", before), version("1.1", reviewed)]);
    const waivers = await waiveAll(schemas);
    expect(waivers).not.toEqual([]);
    expect(await compat(schemas)).toMatchObject({ exitCode: 0 });
    write(schemas, "1.1", after, waivers);
    expect(await compat(schemas)).toMatchObject({ exitCode: 1 });
  });
});

it("covers an event that means something else, in other words", async () => {
  const after = (description: string): Given => ({
    fields: { c: { ...text, description }, d: cups },
    protocol: gone,
  });
  const schemas = await history([
    version("1.0", { fields: { a: text, b: text } }),
    version("1.1", after("One.")),
  ]);
  const waivers = await waiveAll(schemas);
  expect(waivers).toMatchObject([{ rule: "event-repurposed" }]);
  write(schemas, "1.1", after("Another."), waivers);
  expect(await compat(schemas)).toMatchObject({ exitCode: 0 });
});

/** A version, a release with a waived break, and one that only adds to it. */
const GROWN: readonly (readonly [about: string, before: Given, waived: Given, after: Given])[] = [
  [
    "a field in an object that was a text",
    { fields: { sort: text } },
    { fields: { sort: closed({ a: text }) } },
    { fields: { sort: closed({ a: text, b: text }) } },
  ],
  [
    "a value of a list that was a number",
    { fields: { sort: cups } },
    { fields: { sort: { ...text, "x-extensible-enum": ["a"] } } },
    { fields: { sort: { ...text, "x-extensible-enum": ["a", "b"] } } },
  ],
  [
    "a field beside alternatives that overlap",
    { fields: sort(5) },
    { fields: sort(8) },
    { fields: { ...sort(8), a: text } },
  ],
  [
    "a field in an alternative beside one that went",
    union(kind("a"), kind("b")),
    union(kind("a")),
    union(kind("a", { a: text })),
  ],
];

describe("a release that was made with a waiver can grow by", () => {
  it.each(GROWN)("%s", async (_about, before, waived, after) => {
    const schemas = await history([version("1.0", before), version("1.1", waived)]);
    expect(await waiveAll(schemas)).toHaveLength(1);
    await freeze(schemas, "tea/v1");
    write(schemas, "1.2", after);
    expect((await compat(schemas)).findings).toEqual([]);
  });
});

/** How a version holds a value so that its breaks are notes from then on. */
const LABELS: readonly (readonly [about: string, label: (sort: object) => Given])[] = [
  ["under a label", (sort) => ({ fields: { sort: { ...sort, "x-stability": "experimental" } } })],
  [
    "in an experimental event",
    (sort) => ({ files: filesOf({ [SERVED]: { "x-stability": "experimental", properties: { sort } } }) }),
  ],
];

describe("a waiver of a release does not cover a later break of the same place", () => {
  it.each(LABELS)("%s", async (_about, label) => {
    const schemas = await history([
      version("1.0", { fields: { sort: text } }),
      version("1.1", { fields: { sort: closed({ a: text }) } }),
    ]);
    expect(await waiveAll(schemas)).toHaveLength(1);
    await freeze(schemas, "tea/v1");
    write(schemas, "1.2", label(closed({ a: text })));
    await freeze(schemas, "tea/v1");
    write(schemas, "1.3", label(cups));
    const { findings, exitCode } = await compat(schemas);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors).toMatchObject([{ rule: "type-changed" }]);
    expect(exitCode).toBe(1);
  });
});
