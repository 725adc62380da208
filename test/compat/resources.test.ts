/** If this fails, breaking changes of resources pass, or are reported with a wrong witness. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { buildDocument, type Profile, readAs } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { checkFolders, loadOnlyProtocol, writeExample } from "./examples.js";
import {
  checkHistory,
  createObjectSchema,
  createTombstone,
  createVersion,
  createWaiver,
  cups,
  SERVED,
  text,
} from "./tea-history.js";

const LIST = "resources/tea-list.schema.json";
const PAGE = "resources/tea-page.schema.json";
const SHARED = "shared/sorts.schema.json";
const ENVELOPE = "envelope.schema.json";

/** Creates a resource with these fields. The members of `more` replace members of it. */
function createResource(properties: object, more: object = {}): JsonObject {
  const head = { title: "A page of teas", description: "Answer of the list endpoint.", type: "object" };
  return JSON.parse(JSON.stringify({ ...head, "x-stability": "stable", properties, ...more }));
}

const sort = { ...text, enum: ["green", "black"] };
const createSortsFile = (...names: string[]): JsonObject => ({
  title: "Sorts",
  description: "Shared.",
  $defs: { Sort: { ...text, enum: names } },
});
const SORT_REFERENCE = { $ref: "../shared/sorts.schema.json#/$defs/Sort" };
const createRows = (row: object) => ({ rows: { type: "array", description: "The rows.", items: row } });
const createEvent = (stability: string, properties: object = {}): JsonObject =>
  JSON.parse(JSON.stringify({ "x-stability": stability, properties }));
const createEnvelope = (id: object, more: object = {}): JsonObject => ({
  properties: {
    type: text,
    id: { ...text, ...id },
    data: { type: "object", description: "The payload." },
    ...more,
  },
});
const wrappedEvents = createRows({ $ref: "../envelope.schema.json" });

/** Rule, severity, event types and resources of a finding; additions have the severity "addition". */
type Expected = readonly [
  rule: string,
  severity: string,
  events: readonly string[],
  resources: readonly string[],
];

/** A change, its findings, and the beginning of the message of the first finding. */
type Case = readonly [
  before: ExampleFiles,
  after: ExampleFiles,
  expected: readonly Expected[],
  messageStart?: string,
];

const createListFile = (properties: object, more: object = {}): ExampleFiles => ({
  [LIST]: createResource(properties, more),
});
const expectForList = (rule: string, severity = "error"): readonly Expected[] => [
  [rule, severity, [], ["tea-list"]],
];

const createPayloadProperty = (properties: object) => ({
  data: { type: "object", description: "The payload.", properties },
});
/** Creates a list of events whose payloads have this layout and whose envelope has these fields. */
const createListOfEvents = (layout: JsonObject, fields: object): ExampleFiles => ({
  "protocol.json": { envelope: { discriminator: "type", payload: layout } },
  [ENVELOPE]: JSON.parse(JSON.stringify(createEnvelope({}, fields))),
  ...createListFile(wrappedEvents),
});

const CASES: { readonly [name: string]: Case } = {
  "a required field is renamed": [
    createListFile({ teas: cups, next: text }, { required: ["teas"] }),
    createListFile({ all_teas: cups, next: text }, { required: ["all_teas"] }),
    expectForList("field-renamed"),
  ],
  "a type changes": [
    createListFile({ data: cups }),
    createListFile({ data: text }),
    expectForList("type-changed"),
  ],
  "a type changes in a list inside": [
    createListFile(createRows({ type: "object", properties: { n: cups } })),
    createListFile(createRows({ type: "object", properties: { n: text } })),
    expectForList("type-changed"),
  ],
  "an object at the root is closed": [
    createListFile({ data: cups }, { additionalProperties: true }),
    createListFile({ data: cups }),
    expectForList("content-closed"),
  ],
  "the root is a list, and its items change": [
    { [LIST]: { ...createResource({}), type: "array", items: cups } },
    { [LIST]: { ...createResource({}), type: "array", items: text } },
    expectForList("type-changed"),
  ],
  "the file is deleted": [createListFile({ data: cups }), {}, expectForList("resource-removed")],
  "the file is renamed": [
    createListFile({ data: cups }),
    { [PAGE]: createResource({ data: cups }) },
    expectForList("resource-renamed"),
  ],
  "the file is renamed, declares it, and changes": [
    createListFile({ data: cups }),
    { [PAGE]: createResource({ data: cups, next: text }, { "x-renamed-from": "tea-list" }) },
    expectForList("resource-renamed"),
  ],
  "one resource is removed and another one added": [
    createListFile({ data: cups }),
    { [PAGE]: createResource({ next: text }) },
    [
      ["resource-added", "addition", [], ["tea-page"]],
      ["resource-removed", "error", [], ["tea-list"]],
    ],
  ],
  "a resource is added": [{}, createListFile({ data: cups }), expectForList("resource-added", "addition")],
  "an optional field is added": [
    createListFile({ data: cups }),
    createListFile({ data: cups, next: text }),
    expectForList("field-added-optional", "addition"),
  ],
  "a candidate resource breaks": [
    createListFile({ data: cups }, { "x-stability": "candidate" }),
    createListFile({ data: text }, { "x-stability": "candidate" }),
    expectForList("type-changed"),
  ],
  "an experimental resource breaks": [
    createListFile({ data: cups }, { "x-stability": "experimental" }),
    createListFile({ data: text }, { "x-stability": "experimental" }),
    expectForList("type-changed", "note"),
  ],
  "a resource without stability beside experimental events breaks": [
    {
      ...createListFile({ data: cups }, { "x-stability": undefined }),
      [SERVED]: createEvent("experimental"),
    },
    {
      ...createListFile({ data: text }, { "x-stability": undefined }),
      [SERVED]: createEvent("experimental"),
    },
    expectForList("type-changed", "note"),
  ],
  "a resource without stability beside a stable event breaks, and an experimental event is added": [
    { ...createListFile({ data: cups }, { "x-stability": undefined }), [SERVED]: createEvent("stable") },
    {
      ...createListFile({ data: text }, { "x-stability": undefined }),
      [SERVED]: createEvent("stable"),
      "events/tea.spilt.schema.json": createEvent("experimental"),
    },
    [
      ["event-added", "addition", ["tea.spilt"], []],
      ["type-changed", "error", [], ["tea-list"]],
    ],
  ],
  "a stated stability decreases": [
    createListFile({ data: cups }),
    createListFile({ data: cups }, { "x-stability": "candidate" }),
    expectForList("stability-decreased", "warning"),
  ],
  "the stability that the events imply is stated": [
    { ...createListFile({ data: cups }, { "x-stability": undefined }), [SERVED]: createEvent("stable") },
    { ...createListFile({ data: cups }), [SERVED]: createEvent("stable") },
    [],
  ],
  "a shared definition breaks an event and a resource: one finding": [
    {
      ...createListFile({ sort: SORT_REFERENCE }),
      [SERVED]: createEvent("stable", { sort: SORT_REFERENCE }),
      [SHARED]: createSortsFile("green", "black"),
    },
    {
      ...createListFile({ sort: SORT_REFERENCE }),
      [SERVED]: createEvent("stable", { sort: SORT_REFERENCE }),
      [SHARED]: createSortsFile("green"),
    },
    [["enum-value-removed", "error", ["tea.served"], ["tea-list"]]],
    'tea.served and the resource tea-list: /data/sort may no longer be "black".',
  ],
  "a shared definition breaks a resource alone": [
    { ...createListFile({ sort: SORT_REFERENCE }), [SHARED]: createSortsFile("green", "black") },
    { ...createListFile({ sort: SORT_REFERENCE }), [SHARED]: createSortsFile("green") },
    expectForList("enum-value-removed"),
  ],
  "the envelope breaks events and the list around them: one finding": [
    { ...createListFile(wrappedEvents), [ENVELOPE]: createEnvelope({ maxLength: 9 }) },
    { ...createListFile(wrappedEvents), [ENVELOPE]: createEnvelope({ maxLength: 8 }) },
    [["bound-tightened", "error", ["*"], ["tea-list"]]],
  ],
  "the envelope has a new field, in the list around events as well": [
    { ...createListFile(wrappedEvents), [ENVELOPE]: createEnvelope({}) },
    { ...createListFile(wrappedEvents), [ENVELOPE]: createEnvelope({}, { note: text }) },
    [["field-added-optional", "addition", ["*"], ["tea-list"]]],
  ],
  "a new field beside inline payloads is no break of the list around events": [
    createListOfEvents({ placement: "inline" }, { tags: text }),
    createListOfEvents({ placement: "inline" }, { tags: text, room: text }),
    [["field-added-optional", "addition", ["*"], ["tea-list"]]],
  ],
  "a new field beside nested payloads is no break of the list around events": [
    createListOfEvents({ placement: "nested", property: "data" }, createPayloadProperty({ tags: text })),
    createListOfEvents(
      { placement: "nested", property: "data" },
      createPayloadProperty({ tags: text, room: text }),
    ),
    [["field-added-optional", "addition", ["*"], ["tea-list"]]],
  ],
  "events change that a resource does not refer to": [
    { ...createListFile({ data: cups }), [SERVED]: createEvent("experimental", { cups }) },
    { ...createListFile({ data: cups }), [SERVED]: createEvent("experimental", { cups: text }) },
    [["type-changed", "note", ["tea.served"], []]],
  ],
  "a resource alone shows a break that no rule explains": [
    createListFile({ n: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] } }),
    createListFile({ n: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 5 }] } }),
    [
      ["contract-narrowed", "error", [], ["tea-list"]],
      ["contract-widened", "error", [], ["tea-list"]],
    ],
  ],
  "a break that no rule explains, and a break of the envelope that the resource does not use": [
    {
      ...createListFile({ n: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] } }),
      [ENVELOPE]: { ...createEnvelope({ maxLength: 9 }), "x-stability": "stable" },
    },
    {
      ...createListFile({ n: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 9 }] } }),
      [ENVELOPE]: { ...createEnvelope({ maxLength: 8 }), "x-stability": "stable" },
    },
    [
      ["bound-tightened", "error", ["*"], []],
      ["contract-narrowed", "error", [], ["tea-list"]],
    ],
  ],
  "the envelope states the same limit with another keyword, and a resource with a field of that name breaks":
    [
      { ...createListFile({ id: text, n: cups }), [ENVELOPE]: createEnvelope({ pattern: "^.{0,5}$" }) },
      {
        ...createListFile({ id: text, n: text }),
        [ENVELOPE]: createEnvelope({ pattern: "^.{0,5}$", maxLength: 5 }),
      },
      expectForList("type-changed"),
    ],
  "the layout of events changes, and a resource as well": [
    createListFile({ data: cups }),
    {
      ...createListFile({ data: text }),
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
    {
      ...createListFile({ data: cups }),
      "events/tea-list.schema.json": createEvent("experimental", { data: cups }),
    },
    {
      ...createListFile({ data: text }),
      "events/tea-list.schema.json": createEvent("experimental", { data: cups }),
    },
    expectForList("type-changed"),
  ],
  "definitions of a resource are extracted": [
    createListFile({ sort }),
    { ...createListFile({ sort: SORT_REFERENCE }), [SHARED]: createSortsFile("black", "green") },
    [],
  ],
};

/** Returns true if the resource tea-list of a version accepts a value under this profile. */
async function acceptsAsList(folder: string, profile: Profile, value: unknown): Promise<boolean> {
  const protocol = await loadOnlyProtocol(folder);
  const resource = protocol.resources.find(({ name }) => name === "tea-list");
  const schema = resource ? buildDocument(readAs(profile, resource.schema, protocol.definitions)) : false;
  return makeAjv({ ownProperties: true }).compile(schema)(value);
}

/** Returns true if writers may no longer send the witness, or may send it although readers of the version before refuse it. */
async function showsBreakOfList(
  { before, after }: { readonly before: string; readonly after: string },
  witness: unknown,
): Promise<boolean> {
  const isWrittenNow = await acceptsAsList(after, "writer", witness);
  return isWrittenNow
    ? !(await acceptsAsList(before, "reader", witness))
    : await acceptsAsList(before, "writer", witness);
}

describe("resources", () => {
  it.each(Object.entries(CASES))("%s", async (_name, [before, after, expected, messageStart]) => {
    const folders = writeExample({ before, after });
    const { findings, additions } = await checkFolders(folders.before, folders.after);
    const outline = [
      ...findings.map(({ rule, severity, events, resources }) => [rule, severity, events, resources ?? []]),
      ...additions.map(({ rule, events, resources }) => [rule, "addition", events, resources ?? []]),
    ];
    expect(outline.sort()).toEqual([...expected].sort());
    if (messageStart !== undefined)
      expect(findings[0]?.message.slice(0, messageStart.length)).toBe(messageStart);
    expect(JSON.stringify([findings, additions])).not.toContain("\\u0000");
    for (const { witness, events, affects, rule } of findings) {
      if (events.length > 0 || affects.length === 0) continue;
      expect(await showsBreakOfList(folders, witness), rule).toBe(true);
    }
  });
});

describe("names in resources", () => {
  const experimental = { "x-stability": "experimental" };
  const createNextTombstone = (place: string) => ({ ...createTombstone("next", "1.1"), in: place });
  const createListVersion = (number: string, properties: object, tombstones: readonly object[] = []) =>
    createVersion(number, { cups }, { tombstones }, createListFile(properties, experimental));

  const checkRemoval = (tombstones: readonly object[]) =>
    checkHistory([
      createListVersion("1.0", { page: createObjectSchema({ size: cups, next: text }) }),
      createListVersion("1.1", { page: createObjectSchema({ size: cups }) }, tombstones),
    ]);

  it.each(["resource:tea-list", "resource:tea-list#/properties/page"])(
    "a tombstone in %s covers a removed field",
    async (place) => {
      expect((await checkRemoval([createNextTombstone(place)])).errors).toEqual([]);
    },
  );

  it.each([
    ["no tombstone", []],
    ["only a tombstone in an event", [createNextTombstone("tea.served")]],
  ])("a removed field with %s is reported", async (_about, tombstones) => {
    const { errors } = await checkRemoval(tombstones);
    const hint = expect.stringContaining('"in":"resource:tea-list#/properties/page"');
    expect(errors).toMatchObject([{ rule: "tombstone-missing", hint }]);
  });

  it("a name that came back with another meaning is refused", async () => {
    const tombstones = [createNextTombstone("resource:tea-list")];
    const { rules } = await checkHistory([
      createListVersion("1.0", { size: cups, next: text }),
      createListVersion("1.1", { size: cups }, tombstones),
      createListVersion("1.2", { size: cups, next: cups }, tombstones),
    ]);
    expect(rules).toContain("tombstone-reused");
  });

  it("a removed field of a definition that an event and a resource share needs one tombstone", async () => {
    const createSharedSort = (fields: object): object => ({
      [SHARED]: { title: "Sorts", description: "Shared.", $defs: { Sort: createObjectSchema(fields) } },
      ...createListFile({ sort: SORT_REFERENCE }, experimental),
    });
    const served = { sort: { ...SORT_REFERENCE, ...experimental } };
    const tombstones = [createNextTombstone("tea.served")];
    const createVersions = (tombstones: object[]) => [
      createVersion("1.0", served, {}, createSharedSort({ size: cups, next: text })),
      createVersion("1.1", served, { tombstones }, createSharedSort({ size: cups })),
    ];
    const missing = await checkHistory(createVersions([]));
    expect(missing.rules.filter((rule) => rule === "tombstone-missing")).toHaveLength(1);
    expect((await checkHistory(createVersions(tombstones))).rules).not.toContain("tombstone-missing");
  });

  it("fields of a removed resource need no tombstones of their own", async () => {
    const before = createListVersion("1.0", { size: cups, next: text });
    expect((await checkHistory([before, createVersion("1.1", { cups })])).rules).toEqual([
      "resource-removed",
    ]);
  });

  it("a waiver covers the break of a candidate resource and no other", async () => {
    const candidate = { "x-stability": "candidate" };
    const createCandidateVersion = (number: string, properties: object, waivers: object[] = []) =>
      createVersion(number, { cups }, { waivers }, createListFile(properties, candidate));
    const first = createCandidateVersion("1.0", { a: cups, b: cups });
    const broken = { a: text, b: cups };
    const { findings } = await checkHistory([first, createCandidateVersion("1.1", broken)]);
    const waiver = createWaiver(findings[0]);
    const waived = await checkHistory([first, createCandidateVersion("1.1", broken, [waiver])]);
    expect(waived.exitCode).toBe(0);
    const both = await checkHistory([first, createCandidateVersion("1.1", { a: text, b: text }, [waiver])]);
    expect(both.exitCode).toBe(1);
  });

  it("a changed resource needs a newer version", async () => {
    const { rules } = await checkHistory([
      createListVersion("1.0", { size: cups }),
      createListVersion("1.0", { size: cups, next: text }),
    ]);
    expect(rules).toEqual(["version-bump-insufficient"]);
  });

  it("a break is reported once, however many releases show it", async () => {
    const createStableVersion = (number: string, properties: object) =>
      createVersion(number, { cups }, {}, createListFile(properties));
    const { findings, exitCode } = await checkHistory([
      createStableVersion("1.0", { size: cups }),
      createStableVersion("1.1", { size: cups, next: text }),
      createStableVersion("1.2", { size: text, next: text }),
    ]);
    expect(findings.map(({ rule, against }) => [rule, against])).toEqual([["type-changed", "release 1.1"]]);
    expect(exitCode).toBe(1);
  });

  it("a resource that was removed in an earlier release is still missing", async () => {
    const { findings } = await checkHistory([
      createVersion("1.0", { cups }, {}, createListFile({ size: cups })),
      createVersion("1.1", { cups }),
      createVersion("1.2", { cups }),
    ]);
    expect(findings.map(({ rule, against }) => [rule, against])).toEqual([
      ["resource-removed", "release 1.0"],
    ]);
  });
});
