/** If this fails, breaking changes of resources pass, or are reported with a wrong witness. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { buildDocument, type Profile, readAs } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { checkFolders, protocolBelow, writeExample } from "./examples.js";
import { at, compat, cups, history, SERVED, text, waiverOf } from "./tea-history.js";

const LIST = "resources/tea-list.schema.json";
const PAGE = "resources/tea-page.schema.json";
const SHARED = "shared/sorts.schema.json";
const ENVELOPE = "envelope.schema.json";

/** A resource with these fields; `more` is laid over it. */
function list(properties: object, more: object = {}): JsonObject {
  const head = { title: "A page of teas", description: "Answer of the list endpoint.", type: "object" };
  return JSON.parse(JSON.stringify({ ...head, "x-stability": "stable", properties, ...more }));
}

const sort = { ...text, enum: ["green", "black"] };
const sorts = (...names: string[]): JsonObject => ({
  title: "Sorts",
  description: "Shared.",
  $defs: { Sort: { ...text, enum: names } },
});
const ref = { $ref: "../shared/sorts.schema.json#/$defs/Sort" };
const rows = (row: object) => ({ rows: { type: "array", description: "The rows.", items: row } });
const event = (stability: string, properties: object = {}): JsonObject =>
  JSON.parse(JSON.stringify({ "x-stability": stability, properties }));
const envelope = (id: object, more: object = {}): JsonObject => ({
  properties: {
    type: text,
    id: { ...text, ...id },
    data: { type: "object", description: "The payload." },
    ...more,
  },
});
const wrapped = rows({ $ref: "../envelope.schema.json" });

/** Rule, severity, event types and resources of a finding; additions have the severity "addition". */
type Expected = readonly [
  rule: string,
  severity: string,
  events: readonly string[],
  resources: readonly string[],
];

/** A change and its findings. `begins` is what the first message begins with. */
type Case = readonly [
  before: ExampleFiles,
  after: ExampleFiles,
  expected: readonly Expected[],
  begins?: string,
];

const of = (properties: object, more: object = {}): ExampleFiles => ({ [LIST]: list(properties, more) });
const broken = (rule: string, severity = "error"): readonly Expected[] => [
  [rule, severity, [], ["tea-list"]],
];

const payload = (properties: object) => ({
  data: { type: "object", description: "The payload.", properties },
});
/** A list around events whose payloads are laid out so; the envelope has these fields. */
const aroundEvents = (layout: JsonObject, fields: object): ExampleFiles => ({
  "protocol.json": { envelope: { discriminator: "type", payload: layout } },
  [ENVELOPE]: JSON.parse(JSON.stringify(envelope({}, fields))),
  ...of(wrapped),
});

const CASES: { readonly [name: string]: Case } = {
  "a required field is renamed": [
    of({ teas: cups, next: text }, { required: ["teas"] }),
    of({ all_teas: cups, next: text }, { required: ["all_teas"] }),
    broken("field-renamed"),
  ],
  "a type changes": [of({ data: cups }), of({ data: text }), broken("type-changed")],
  "a type changes in a list inside": [
    of(rows({ type: "object", properties: { n: cups } })),
    of(rows({ type: "object", properties: { n: text } })),
    broken("type-changed"),
  ],
  "an object at the root is closed": [
    of({ data: cups }, { additionalProperties: true }),
    of({ data: cups }),
    broken("content-closed"),
  ],
  "the root is a list, and its items change": [
    { [LIST]: { ...list({}), type: "array", items: cups } },
    { [LIST]: { ...list({}), type: "array", items: text } },
    broken("type-changed"),
  ],
  "the file is deleted": [of({ data: cups }), {}, broken("resource-removed")],
  "the file is renamed": [of({ data: cups }), { [PAGE]: list({ data: cups }) }, broken("resource-renamed")],
  "the file is renamed, declares it, and changes": [
    of({ data: cups }),
    { [PAGE]: list({ data: cups, next: text }, { "x-renamed-from": "tea-list" }) },
    broken("resource-renamed"),
  ],
  "one resource goes and another comes": [
    of({ data: cups }),
    { [PAGE]: list({ next: text }) },
    [
      ["resource-added", "addition", [], ["tea-page"]],
      ["resource-removed", "error", [], ["tea-list"]],
    ],
  ],
  "a resource comes": [{}, of({ data: cups }), broken("resource-added", "addition")],
  "an optional field comes": [
    of({ data: cups }),
    of({ data: cups, next: text }),
    broken("field-added-optional", "addition"),
  ],
  "a candidate resource breaks": [
    of({ data: cups }, { "x-stability": "candidate" }),
    of({ data: text }, { "x-stability": "candidate" }),
    broken("type-changed"),
  ],
  "an experimental resource breaks": [
    of({ data: cups }, { "x-stability": "experimental" }),
    of({ data: text }, { "x-stability": "experimental" }),
    broken("type-changed", "note"),
  ],
  "a resource without stability beside experimental events breaks": [
    { ...of({ data: cups }, { "x-stability": undefined }), [SERVED]: event("experimental") },
    { ...of({ data: text }, { "x-stability": undefined }), [SERVED]: event("experimental") },
    broken("type-changed", "note"),
  ],
  "a resource without stability beside a stable event breaks, which is experimental now": [
    { ...of({ data: cups }, { "x-stability": undefined }), [SERVED]: event("stable") },
    {
      ...of({ data: text }, { "x-stability": undefined }),
      [SERVED]: event("stable"),
      "events/tea.spilt.schema.json": event("experimental"),
    },
    [
      ["event-added", "addition", ["tea.spilt"], []],
      ["type-changed", "error", [], ["tea-list"]],
    ],
  ],
  "a stated stability decreases": [
    of({ data: cups }),
    of({ data: cups }, { "x-stability": "candidate" }),
    broken("stability-decreased", "warning"),
  ],
  "the stability that the events imply is stated": [
    { ...of({ data: cups }, { "x-stability": undefined }), [SERVED]: event("stable") },
    { ...of({ data: cups }), [SERVED]: event("stable") },
    [],
  ],
  "a shared definition breaks an event and a resource: one finding": [
    {
      ...of({ sort: ref }),
      [SERVED]: event("stable", { sort: ref }),
      [SHARED]: sorts("green", "black"),
    },
    { ...of({ sort: ref }), [SERVED]: event("stable", { sort: ref }), [SHARED]: sorts("green") },
    [["enum-value-removed", "error", ["tea.served"], ["tea-list"]]],
    'tea.served and the resource tea-list: /data/sort may no longer be "black".',
  ],
  "a shared definition breaks a resource alone": [
    { ...of({ sort: ref }), [SHARED]: sorts("green", "black") },
    { ...of({ sort: ref }), [SHARED]: sorts("green") },
    broken("enum-value-removed"),
  ],
  "the envelope breaks events and the list around them: one finding": [
    { ...of(wrapped), [ENVELOPE]: envelope({ maxLength: 9 }) },
    { ...of(wrapped), [ENVELOPE]: envelope({ maxLength: 8 }) },
    [["bound-tightened", "error", ["*"], ["tea-list"]]],
  ],
  "the envelope has a new field, in the list around events as well": [
    { ...of(wrapped), [ENVELOPE]: envelope({}) },
    { ...of(wrapped), [ENVELOPE]: envelope({}, { note: text }) },
    [["field-added-optional", "addition", ["*"], ["tea-list"]]],
  ],
  "a new field beside inline payloads is no break of the list around events": [
    aroundEvents({ placement: "inline" }, { tags: text }),
    aroundEvents({ placement: "inline" }, { tags: text, room: text }),
    [["field-added-optional", "addition", ["*"], ["tea-list"]]],
  ],
  "a new field beside nested payloads is no break of the list around events": [
    aroundEvents({ placement: "nested", property: "data" }, payload({ tags: text })),
    aroundEvents({ placement: "nested", property: "data" }, payload({ tags: text, room: text })),
    [["field-added-optional", "addition", ["*"], ["tea-list"]]],
  ],
  "events change that a resource does not refer to": [
    { ...of({ data: cups }), [SERVED]: event("experimental", { cups }) },
    { ...of({ data: cups }), [SERVED]: event("experimental", { cups: text }) },
    [["type-changed", "note", ["tea.served"], []]],
  ],
  "a resource alone shows a break that no rule explains": [
    of({ n: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] } }),
    of({ n: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 5 }] } }),
    [
      ["contract-narrowed", "error", [], ["tea-list"]],
      ["contract-widened", "error", [], ["tea-list"]],
    ],
  ],
  "a break that no rule explains stands beside one of the envelope that the resource does not show": [
    {
      ...of({ n: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] } }),
      [ENVELOPE]: { ...envelope({ maxLength: 9 }), "x-stability": "stable" },
    },
    {
      ...of({ n: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 9 }] } }),
      [ENVELOPE]: { ...envelope({ maxLength: 8 }), "x-stability": "stable" },
    },
    [
      ["bound-tightened", "error", ["*"], []],
      ["contract-narrowed", "error", [], ["tea-list"]],
    ],
  ],
  "the envelope has a limit that it had in other words, and a resource with a field of that name breaks": [
    { ...of({ id: text, n: cups }), [ENVELOPE]: envelope({ pattern: "^.{0,5}$" }) },
    { ...of({ id: text, n: text }), [ENVELOPE]: envelope({ pattern: "^.{0,5}$", maxLength: 5 }) },
    broken("type-changed"),
  ],
  "the layout of events changes, and a resource as well": [
    of({ data: cups }),
    {
      ...of({ data: text }),
      "protocol.json": {
        envelope: { discriminator: "kind", payload: { placement: "nested", property: "data" } },
      },
      [ENVELOPE]: {
        properties: {
          kind: text,
          id: { ...text, minLength: 1 },
          data: { type: "object", description: "The payload." },
        },
        required: ["kind", "id", "data"],
      },
    },
    [
      ["layout-changed", "error", ["*"], []],
      ["type-changed", "error", [], ["tea-list"]],
    ],
  ],
  "an event type has the name of a resource": [
    { ...of({ data: cups }), "events/tea-list.schema.json": event("experimental", { data: cups }) },
    { ...of({ data: text }), "events/tea-list.schema.json": event("experimental", { data: cups }) },
    broken("type-changed"),
  ],
  "definitions of a resource are extracted": [
    of({ sort }),
    { ...of({ sort: ref }), [SHARED]: sorts("black", "green") },
    [],
  ],
};

describe("resources", () => {
  it.each(Object.entries(CASES))("%s", async (_name, [before, after, expected, begins]) => {
    const { before: old, after: now } = writeExample({ before, after });
    const { findings, additions } = await checkFolders(old, now);
    const outline = [
      ...findings.map(({ rule, severity, events, resources }) => [rule, severity, events, resources ?? []]),
      ...additions.map(({ rule, events, resources }) => [rule, "addition", events, resources ?? []]),
    ];
    expect(outline.sort()).toEqual([...expected].sort());
    if (begins !== undefined)
      expect(findings[0]?.message.startsWith(begins), findings[0]?.message).toBe(true);
    expect(JSON.stringify([findings, additions])).not.toContain("\\u0000");
    for (const { witness, events, affects, rule } of findings) {
      if (events.length > 0 || affects.length === 0) continue;
      const accepts = async (folder: string, profile: Profile): Promise<boolean> => {
        const protocol = await protocolBelow(folder);
        const resource = protocol.resources.find(({ name }) => name === "tea-list");
        const schema = resource
          ? buildDocument(readAs(profile, resource.schema, protocol.definitions))
          : false;
        return makeAjv({ ownProperties: true }).compile(schema)(witness);
      };
      const narrowed = (await accepts(old, "writer")) && !(await accepts(now, "writer"));
      expect(narrowed || ((await accepts(now, "writer")) && !(await accepts(old, "reader"))), rule).toBe(
        true,
      );
    }
  });
});

describe("names in resources", () => {
  const wild = { "x-stability": "experimental" };
  const stone = { kind: "field", name: "next", removedIn: "1.1", reason: "Nobody reads it." };
  const version = (number: string, properties: object, tombstones: object[] = []): ExampleFiles =>
    at(number, { cups }, { tombstones }, of(properties, wild));

  it.each([
    { name: "without a tombstone", tombstones: [], rules: ["tombstone-missing"] },
    { name: "with one", tombstones: [{ ...stone, in: "resource:tea-list" }], rules: [] },
    {
      name: "with one at the place",
      tombstones: [{ ...stone, in: "resource:tea-list#/properties/page" }],
      rules: [],
    },
    {
      name: "with one of an event",
      tombstones: [{ ...stone, in: "tea.served" }],
      rules: ["tombstone-missing"],
    },
  ])("a removed field has a tombstone: $name", async ({ tombstones, rules }) => {
    const page = (fields: object) => ({
      page: { type: "object", description: "The page.", properties: fields },
    });
    const schemas = await history([
      version("1.0", page({ size: cups, next: text })),
      version("1.1", page({ size: cups }), tombstones),
    ]);
    const { findings } = await compat(schemas);
    expect(findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule)).toEqual(rules);
    if (rules.length > 0) expect(findings[0]?.hint).toContain('"in":"resource:tea-list#/properties/page"');
  });

  it("a name that came back with another meaning is refused", async () => {
    const tombstones = [{ ...stone, in: "resource:tea-list" }];
    const schemas = await history([
      version("1.0", { size: cups, next: text }),
      version("1.1", { size: cups }, tombstones),
      version("1.2", { size: cups, next: cups }, tombstones),
    ]);
    expect((await compat(schemas)).rules).toContain("tombstone-reused");
  });

  it("a name that an event holds at the same place is asked for once", async () => {
    const shared = (fields: object): ExampleFiles => ({
      [SHARED]: {
        title: "Sorts",
        description: "Shared.",
        $defs: { Sort: { type: "object", properties: JSON.parse(JSON.stringify(fields)) } },
      },
      ...of({ sort: ref }, wild),
    });
    const served = { sort: { ...ref, ...wild } };
    const tombstones = [{ ...stone, in: "tea.served" }];
    const versions = (stones: object[]) => [
      at("1.0", served, {}, shared({ size: cups, next: text })),
      at("1.1", served, { tombstones: stones }, shared({ size: cups })),
    ];
    const missing = await compat(await history(versions([])));
    expect(missing.rules.filter((rule) => rule === "tombstone-missing")).toHaveLength(1);
    expect((await compat(await history(versions(tombstones)))).rules).not.toContain("tombstone-missing");
  });

  it("fields of a removed resource need no tombstones of their own", async () => {
    const schemas = await history([version("1.0", { size: cups, next: text }), at("1.1", { cups })]);
    expect((await compat(schemas)).rules).toEqual(["resource-removed"]);
  });

  it("a waiver covers the break of a candidate resource and no other", async () => {
    const candidate = (number: string, properties: object, waivers: object[] = []) =>
      at(number, { cups }, { waivers }, of(properties, { "x-stability": "candidate" }));
    const [first, broken] = [candidate("1.0", { a: cups, b: cups }), { a: text, b: cups }];
    const { findings } = await compat(await history([first, candidate("1.1", broken)]));
    const waiver = waiverOf(findings[0]);
    expect(await compat(await history([first, candidate("1.1", broken, [waiver])]))).toMatchObject({
      exitCode: 0,
    });
    const both = await compat(await history([first, candidate("1.1", { a: text, b: text }, [waiver])]));
    expect(both.exitCode).toBe(1);
  });

  it("a changed resource needs a newer version", async () => {
    const schemas = await history([
      version("1.0", { size: cups }),
      version("1.0", { size: cups, next: text }),
    ]);
    expect((await compat(schemas)).rules).toEqual(["version-bump-insufficient"]);
  });

  it("a break is reported once, however many releases show it", async () => {
    const stable = (number: string, properties: object) => at(number, { cups }, {}, of(properties));
    const schemas = await history([
      stable("1.0", { size: cups }),
      stable("1.1", { size: cups, next: text }),
      stable("1.2", { size: text, next: text }),
    ]);
    const { findings, exitCode } = await compat(schemas);
    expect(findings.map(({ rule, against }) => [rule, against])).toEqual([["type-changed", "release 1.1"]]);
    expect(exitCode).toBe(1);
  });

  it("a resource that was removed in an earlier release is still missing", async () => {
    const schemas = await history([
      at("1.0", { cups }, {}, of({ size: cups })),
      at("1.1", { cups }),
      at("1.2", { cups }),
    ]);
    const { findings } = await compat(schemas);
    expect(findings.map(({ rule, against }) => [rule, against])).toEqual([
      ["resource-removed", "release 1.0"],
    ]);
  });
});
