/** If this fails, a plan is called proven although an event cannot be carried over, or a plan that works is refused. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { BaselineError } from "../../generator/load/baseline/baseline-spec.js";
import type { Protocol, Stream } from "../../generator/protocol/protocol.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import { certifyPlan, type UpcastQuestion } from "../../generator/upcast/certify-plan.js";
import { findStreamFaults } from "../../generator/upcast/check-stream-plan.js";
import { planUpcast, type UpcastPlan } from "../../generator/upcast/plan-upcast.js";
import { suggestSteps } from "../../generator/upcast/suggest-steps.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { areEventsValid } from "../compat/streams/stream-oracle.js";
import { writeTea } from "../compat/tea.js";
import { chooseCases, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";
import { loadPython, loadTypescript, makeEvents } from "./carry-events.js";
import { IMPOSSIBLE_CASES, loadTeaCase, loadVersionPair, PROVEN_CASES, type VersionPair } from "./cases.js";

function plan({ from, to }: VersionPair): UpcastQuestion & { readonly gaps: UpcastPlan["gaps"] } {
  const { steps, gaps } = planUpcast(from, to);
  return { from, to, steps: steps.map(({ step }) => step), gaps };
}

// Published schemas are tested if they are in the cache of npm, which `npm run prove:upcast` fills.
process.env.npm_config_offline = "true";

describe("a plan is proven, and all implementations carry events over alike", () => {
  it.for(chooseCases(PROVEN_CASES, 6))("$name", async ({ load }, context) => {
    const pair = await load(createTemporaryFolder()).catch((error: unknown) => {
      if (error instanceof BaselineError) return context.skip(error.message);
      throw error;
    });
    const question = plan(pair);
    const count = 200 + 5 * question.from.events.length;
    const unproven = (await certifyPlan(question)).filter(({ kind }) => kind !== "proven");
    const [faults, suggestions] = [findStreamFaults(question), suggestSteps(question)];
    expect({ unproven, gaps: question.gaps, faults, suggestions }).toEqual({
      unproven: [],
      gaps: [],
      faults: [],
      suggestions: [],
    });
    const folder = createTemporaryFolder();
    const events = makeEvents(question, count);
    expect(events.length).toBeGreaterThan(count * 0.9);
    const results = (await loadTypescript(question, folder))(events);
    const refused = results.filter((event) => !areEventsValid(question.to, "reader", [event as never]));
    expect(refused.slice(0, 3)).toEqual([]);
    const carryInPython = loadPython(question, folder);
    if (carryInPython) expect(carryInPython(events)).toEqual(results);
    else console.warn("Python is absent, so its module was not run.");
    expect(carryHere(question, events)).toEqual(results);
  });
});

/** Carries events over with the implementation of `accrete upcast`. */
function carryHere({ from, steps }: UpcastQuestion, events: readonly object[]) {
  const { discriminator } = from.envelope;
  const key = (event: object) =>
    JSON.stringify(from.stream?.key.map((name) => (event as Record<string, unknown>)[name]));
  const typesByStream = new Map<string, Set<string>>();
  const read = (event: object) => String((event as Record<string, unknown>)[discriminator]);
  for (const event of events)
    typesByStream.set(key(event), (typesByStream.get(key(event)) ?? new Set()).add(read(event)));
  return events.map((event) => {
    const streamTypes = typesByStream.get(key(event)) ?? new Set<string>();
    const result = upcastEvent(event as never, steps, { type: read(event), discriminator, streamTypes });
    return result.kind === "done" ? result.event : result.message;
  });
}

describe("a plan is impossible", () => {
  quick.it.each(Object.entries(IMPOSSIBLE_CASES))("%s", async (_name, teaCase) => {
    const pair = await loadTeaCase(teaCase, createTemporaryFolder());
    const [certificate] = await certifyPlan(plan(pair));
    if (certificate?.kind !== "impossible") throw new Error(JSON.stringify(certificate));
    expect(certificate.event.data).toEqual(teaCase.data);
    expect(certificate.reason).toContain(teaCase.reason);
    expect(areEventsValid(pair.from, "writer", [certificate.event])).toBe(true);
    if (certificate.image) expect(areEventsValid(pair.to, "reader", [certificate.image])).toBe(false);
  });
});

quick.it("does not accept an undeclared type that becomes a declared one with another payload", async () => {
  const root = createTemporaryFolder();
  const files = (major: number, name: string, field: JsonObject): ExampleFiles => ({
    "protocol.json": { major, version: `${major}.0` },
    "events/tea.served.schema.json": null,
    [`events/${name}.schema.json`]: { properties: { cups: field }, "x-since": `${major}.0` },
  });
  writeTea(root, files(1, "tea.poured", { type: "string", description: "Cups." }));
  writeTea(root, files(2, "tea.brewed", { type: "integer", description: "Cups." }));
  const pair = await loadVersionPair(root, "tea/v1", "tea/v2");
  const replace = { step: "constant", to: "/type", value: "tea.brewed", replaces: "tea.poured" } as const;
  expect(await certifyPlan({ ...pair, steps: [] })).toEqual([{ type: "tea.poured", kind: "proven" }]);
  expect(await certifyPlan({ ...pair, steps: [replace] })).toMatchObject([{ kind: "impossible" }]);
  const rename = { step: "rename-type", to: "tea.brewed", when: { "/data/cups": ["1"] } } as const;
  const convert = { step: "map", at: "/data/cups", values: { "1": 1 } } as const;
  expect(await certifyPlan({ ...pair, steps: [rename, convert] })).toEqual([
    { type: "tea.poured", kind: "proven" },
  ]);
  expect(await certifyPlan({ ...pair, steps: [rename] })).toMatchObject([
    { kind: "impossible", event: { data: { cups: "1" } }, image: { type: "tea.brewed" } },
  ]);
});

quick.it("tells the types of a family of streams apart", async () => {
  const types = ["tea.leaf.a", "tea.leaf.b", "tea.c"];
  const root = createTemporaryFolder();
  for (const major of [1, 2])
    writeTea(root, {
      "protocol.json": { major, version: `${major}.0` },
      "events/tea.served.schema.json": null,
      ...Object.fromEntries(
        types.map((type) => [`events/${type}.schema.json`, { properties: {}, "x-since": `${major}.0` }]),
      ),
    });
  const pair = await loadVersionPair(root, "tea/v1", "tea/v2");
  // A stream with tea.leaf.a and without tea.leaf.b belongs to the family, too, so that the text stays.
  const steps: readonly UpcastStep[] = [
    {
      step: "constant",
      to: "/data",
      value: "text",
      replaces: {},
      types: ["tea.c"],
      streamsWith: ["tea.leaf.*"],
    },
    {
      step: "constant",
      to: "/data",
      value: {},
      replaces: "text",
      types: ["tea.c"],
      streamsWith: ["tea.leaf.b"],
    },
  ];
  const from = { ...pair.from, events: [...pair.from.events].reverse() };
  expect((await certifyPlan({ ...pair, from, steps })).find(({ type }) => type === "tea.c")).toMatchObject({
    kind: "impossible",
  });
});

const conditional = (types: readonly string[], value: string): UpcastStep => ({
  step: "constant",
  to: "/stream_kind",
  value,
  types,
});
const KEEP_KIND: readonly UpcastStep[] = [{ step: "constant", to: "/stream_kind", value: "session" }];
const KEEP_ID: readonly UpcastStep[] = [{ step: "move", from: "/session_id", to: "/stream_id" }];

describe("a plan that breaks streams of frames/v1", () => {
  quick.it.each<readonly [name: string, steps: readonly UpcastStep[], fault: RegExp]>([
    [
      "loses the key",
      KEEP_KIND,
      /session_id, the stream key .* becomes session_id instead of stream_kind or stream_id/,
    ],
    [
      "divides a stream by type",
      [
        ...KEEP_ID,
        conditional(["tool_*"], "task"),
        conditional(["session_*", "output_*", "provider_*", "checkpoint_*"], "session"),
      ],
      /Events of one stream get different values/,
    ],
    [
      "scales the number",
      [...KEEP_ID, ...KEEP_KIND, { step: "scale", at: "/seq", by: 2 }],
      /A step changes seq, the sequence/,
    ],
    [
      "replaces ids",
      [...KEEP_ID, ...KEEP_KIND, { step: "map", at: "/id", values: { a: "b" } }],
      /A step changes id, the id/,
    ],
    [
      "takes the key of a stream from a field",
      [...KEEP_ID, { step: "move", from: "/tool_name", to: "/stream_kind" }],
      /different values of stream_kind/,
    ],
  ])("%s", async (_name, steps, fault) => {
    const pair = await loadVersionPair("schemas", "frames/v1", "frames/v2");
    expect(findStreamFaults({ ...pair, steps }).join("\n")).toMatch(fault);
  });
});

/** Members of `stream` that are replaced, or left out. */
type Changes = { readonly [member in keyof Stream]?: Stream[member] | undefined };

describe("a plan that breaks streams, because the layout means something else", () => {
  quick.it.each<readonly [name: string, before: Changes, after: Changes, fault: RegExp | undefined]>([
    ["nothing changed", {}, {}, undefined],
    [
      "a field becomes a part of the key",
      {},
      { key: ["session_id", "origin"] },
      /different values of origin/,
    ],
    [
      "ids must be unique in all streams",
      {},
      { idScope: "protocol" },
      /the same id before, and not afterwards/,
    ],
    ["ids need to be unique in a stream only", { idScope: "protocol" }, { idScope: "stream" }, undefined],
    ["streams begin with another number", {}, { first: 1 }, /begin with the number 0 before and with 1/],
    ["streams begin with any number", { first: undefined }, {}, /begin with any number before and with 0/],
    ["nobody says how streams begin", {}, { first: undefined }, undefined],
    [
      "all events get one number",
      { sequence: undefined },
      { sequence: "place" },
      /has no sequence, .* same place/,
    ],
    ["all events get one id", { id: undefined }, { id: "place" }, /has no id, .* same place/],
    ["a field that is there counts events", { sequence: undefined }, { sequence: "seq" }, undefined],
    [
      "an optional key gets a default",
      { key: ["origin"] },
      { key: ["origin"] },
      /A step changes origin, the stream key/,
    ],
    [
      "an optional part of a key gets a default",
      {},
      { key: ["session_id", "origin"] },
      /different values of origin/,
    ],
    ["a new part of a key gets a default", {}, { key: ["session_id", "place"] }, undefined],
  ])("%s", async (name, before, after, fault) => {
    const { from } = await loadVersionPair("schemas", "frames/v1", "frames/v2");
    const properties = { ...(from.envelope.schema.properties as JsonObject), origin: { type: "string" } };
    const change = (stream: Changes): Protocol => ({
      ...from,
      envelope: { ...from.envelope, schema: { ...from.envelope.schema, properties } },
      stream: { ...(from.stream as Stream), ...stream } as Stream,
    });
    const steps: readonly UpcastStep[] = [
      { step: "default", to: "/place", value: 0 },
      ...(name.includes("optional") ? [{ step: "default", to: "/origin", value: "x" } as const] : []),
    ];
    const faults = findStreamFaults({ from: change(before), to: change(after), steps });
    if (fault === undefined) expect(faults).toEqual([]);
    else expect(faults.join("\n")).toMatch(fault);
  });
});
