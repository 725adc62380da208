/** If this fails, two changes of one kind share a fingerprint, so a waiver covers a break that nobody reviewed. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { at, compat, cups, history, POURED, SERVED, text } from "./tea-history.js";

/** The payload of tea.served, or the files of a version without their number. */
type Version = object | { readonly files: ExampleFiles };
type Change = readonly [before: Version, after: Version];

const field = (schema: object): Version => ({ sort: { description: "Which.", ...schema } });
const payload = (schema: object): Version => ({ files: { [SERVED]: schema as ExampleFiles[string] } });
const bound = (schema: object): Version => field({ type: "string", ...schema });
const pot = (schema: object): Version => ({ pot: { type: "object", description: "A pot.", ...schema } });
const [a, b, c] = [{ const: "a" }, { const: "b" }, { const: "c" }];
const required = (properties: object, ...names: readonly string[]): Version =>
  payload({ properties, ...(names.length > 0 && { required: names }) });
const tray = { type: "string", description: "Which tray." };
const spoons = { type: "array", description: "All spoons." };

/** Changes from one version to several, and from several versions to one. */
const from = (before: Version, ...after: readonly Version[]): Change[] => after.map((each) => [before, each]);
const into = (after: Version, ...before: readonly Version[]): Change[] => before.map((each) => [each, after]);

/** For each kind of change, changes that differ. */
const CHANGES: { readonly [kind: string]: readonly Change[] } = {
  "type-widened": from(
    field({ type: "string" }),
    field({ type: ["string", "integer"] }),
    field({ type: ["string", "boolean"] }),
  ),
  "type-narrowed": from(
    field({ type: ["string", "integer"] }),
    field({ type: "string" }),
    field({ type: "integer" }),
  ),
  "type-changed": from(field({ type: "string" }), field({ type: "integer" }), field({ type: "boolean" })),
  "bound-tightened": [
    [bound({ maxLength: 9 }), bound({ maxLength: 8 })],
    [bound({ maxLength: 9 }), bound({ maxLength: 7 })],
    [bound({ maxLength: 8 }), bound({ maxLength: 7 })],
  ],
  "bound-loosened": into(bound({ maxLength: 9 }), bound({ maxLength: 8 }), bound({ maxLength: 7 })),
  "pattern-added": from(bound({}), bound({ pattern: "^a" }), bound({ pattern: "^b" })),
  "pattern-removed": into(bound({}), bound({ pattern: "^a" }), bound({ pattern: "^b" })),
  "pattern-changed": from(bound({ pattern: "^a" }), bound({ pattern: "^b" }), bound({ pattern: "^c" })),
  "format-added": from(bound({}), bound({ format: "date" }), bound({ format: "uuid" })),
  "format-removed": into(bound({}), bound({ format: "date" }), bound({ format: "uuid" })),
  "const-changed": from(field(a), field(b), field(c)),
  "enum-value-removed": from(
    field({ enum: ["a", "b", "cup"] }),
    field({ enum: ["b", "cup"] }),
    field({ enum: ["a", "cup"] }),
    field({ enum: ["cup"] }),
  ),
  "enum-value-added-closed": from(
    field({ enum: ["a"] }),
    field({ enum: ["a", "b"] }),
    field({ enum: ["a", "c"] }),
  ),
  "enum-value-renamed": from(
    field({ enum: ["green_tea", "x"] }),
    field({ enum: ["greentea", "x"] }),
    field({ enum: ["green_teas", "x"] }),
  ),
  "value-list-added": from(bound({}), bound({ enum: ["a", "b"] }), bound({ enum: ["a", "c"] })),
  "value-list-removed": into(bound({}), bound({ enum: ["a", "b"] }), bound({ enum: ["a", "c"] })),
  "branch-removed": from(
    field({ anyOf: [a, b, c] }),
    field({ anyOf: [a, b] }),
    field({ anyOf: [b, c] }),
    field({ anyOf: [b] }),
  ),
  "branch-added": from(
    field({ anyOf: [a, b] }),
    field({ anyOf: [a, b, c] }),
    field({ anyOf: [a, b, { const: "d" }] }),
  ),
  "field-added-required": from(
    required({ cups }),
    required({ cups, tray }, "tray"),
    required({ cups, tray: cups }, "tray"),
    required({ cups, room: tray }, "room"),
  ),
  "field-removed-required": into(
    required({ cups }),
    required({ cups, tray }, "tray"),
    required({ cups, tray: cups }, "tray"),
  ),
  "field-removed-optional": into(
    required({ cups }),
    required({ cups, tray }),
    required({ cups, tray: { ...tray, maxLength: 3 } }),
  ),
  "field-added-optional": from(
    pot({ additionalProperties: true }),
    pot({ additionalProperties: true, properties: { size: cups } }),
    pot({ additionalProperties: true, properties: { size: text } }),
  ),
  "field-renamed": from(
    required({ tray_id: tray }),
    required({ trayid: tray }),
    required({ tray_ids: tray }),
    required({ trayid: { ...tray, maxLength: 99 } }),
  ),
  "field-became-required": from(
    required({ cups, tray }),
    required({ cups, tray }, "tray"),
    required({ cups, tray }, "cups"),
  ),
  "field-became-optional": into(
    required({ cups, tray }),
    required({ cups, tray }, "tray"),
    required({ cups, tray }, "cups"),
  ),
  "content-closed": into(
    pot({ properties: { size: cups } }),
    pot({ properties: { size: cups }, additionalProperties: true }),
    pot({ properties: { size: cups }, additionalProperties: text }),
  ),
  "condition-changed": [
    [
      pot({ properties: { a: cups, b: cups } }),
      pot({ properties: { a: cups, b: cups }, not: { required: ["a"] } }),
    ],
    [
      pot({ properties: { a: cups, b: cups } }),
      pot({ properties: { a: cups, b: cups }, not: { required: ["b"] } }),
    ],
    [{ spoons: { ...spoons, items: text } }, { spoons: { ...spoons, prefixItems: [cups], items: text } }],
    [
      { spoons: { ...spoons, items: text } },
      { spoons: { ...spoons, prefixItems: [{ ...cups, minimum: 1 }], items: text } },
    ],
  ],
  "writer-rule-changed": from(
    bound({}),
    bound({ "x-writer": { pattern: "^a" } }),
    bound({ "x-writer": { pattern: "^b" } }),
  ),
  "contract-narrowed": from(
    field({ type: "integer", allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }),
    field({ type: "integer", allOf: [{ multipleOf: 2 }, { multipleOf: 5 }] }),
    field({ type: "integer", allOf: [{ multipleOf: 2 }, { multipleOf: 7 }] }),
  ),
  "event-removed": into(
    { files: { [SERVED]: {} } },
    { files: { [SERVED]: {}, [POURED]: { properties: { cups } } } },
    { files: { [SERVED]: {}, [POURED]: { properties: { tray } } } },
  ),
  "event-repurposed": from(
    required({ cups, tray }),
    required({ room: text, door: cups }),
    required({ wall: text, roof: cups }),
  ),
};

function versionOf(number: string, given: Version): ExampleFiles {
  const files = "files" in given ? (given.files as ExampleFiles) : {};
  return at(number, "files" in given ? {} : given, {}, files);
}

async function fingerprintsOf(kind: string, [before, after]: Change): Promise<string[]> {
  const { findings } = await compat(await history([versionOf("1.0", before), versionOf("1.1", after)]));
  return findings.filter(({ rule }) => rule === kind).map(({ fingerprint }) => fingerprint);
}

describe("different changes of one kind have different fingerprints", () => {
  it.each(Object.keys(CHANGES))("%s", async (kind) => {
    const all: string[][] = [];
    for (const change of CHANGES[kind] ?? []) all.push(await fingerprintsOf(kind, change));
    expect(all.map((each) => each.length).filter((count) => count !== 1)).toEqual([]);
    expect(new Set(all.flat()).size).toBe(all.length);
  });
});

describe("a change that is met in more places", () => {
  const inBoth = (schema: object): Version => ({
    files: {
      [SERVED]: { properties: { tray: schema } },
      [POURED]: { properties: { tray: schema } },
    } as ExampleFiles,
  });
  const inOne = (schema: object, other: object): Version => ({
    files: {
      [SERVED]: { properties: { tray: other } },
      [POURED]: { properties: { tray: schema } },
    } as ExampleFiles,
  });
  const short = { ...tray, maxLength: 3 };

  it("has another fingerprint", async () => {
    const [one, ...noMore] = await fingerprintsOf("bound-tightened", [inBoth(tray), inOne(short, tray)]);
    const [both, ...neither] = await fingerprintsOf("bound-tightened", [inBoth(tray), inBoth(short)]);
    expect([...noMore, ...neither]).toEqual([]);
    expect(one).not.toBe(both);
  });
});

describe("an equal change", () => {
  it("has an equal fingerprint whatever the order of members", async () => {
    const turned = (schema: object) => Object.fromEntries(Object.entries(schema).reverse());
    const [before, after] = [
      { cups, tray, x: cups },
      { cups, tray: { ...tray, maxLength: 3 }, x: cups },
    ];
    const one = await fingerprintsOf("bound-tightened", [before, after]);
    expect(await fingerprintsOf("bound-tightened", [turned(before), turned(after)])).toEqual(one);
    expect(one).toHaveLength(1);
  });
});
