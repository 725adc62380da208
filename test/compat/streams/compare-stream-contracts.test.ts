/** If this fails, a change of stream rules breaks readers or senders without a finding. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkCompatibility } from "../../../generator/compat/check.js";
import type { CompatFinding } from "../../../generator/compat/create-finding.js";
import { createContainmentCache } from "../../../generator/compat/proof/readings.js";
import { STREAM_RULES } from "../../../generator/conform/stream-rules.js";
import type { Json, JsonObject } from "../../../generator/json.js";
import type { Protocol, Stability, Stream } from "../../../generator/protocol/protocol.js";
import { loadOnlyProtocol } from "../examples.js";
import { writeTea } from "../tea.js";
import { areEventsValid, findFirstError } from "./stream-oracle.js";

const text = { type: "string" };
const integer = { type: "integer", minimum: 0 };
const TYPES = ["tea.brewed", "tea.cleared", "tea.poured", "tea.served"];
const data = {
  properties: { cup: text, pot: text, level: integer, depth: integer, mood: { enum: ["calm", "wild"] } },
};
const root = mkdtempSync(path.join(tmpdir(), "compare-stream-contracts-"));
let base: Protocol;

beforeAll(async () => {
  writeTea(root, {
    "envelope.schema.json": {
      properties: {
        type: { ...text, description: "What happened." },
        id: { ...text, minLength: 1, description: "Identifier." },
        table: { ...text, description: "The table." },
        room: { ...text, description: "The room." },
        number: { ...integer, description: "Place in the stream." },
        other: { ...integer, description: "Another number." },
        time: { ...text, description: "When it happened." },
        data: { type: "object", description: "The payload." },
      },
      required: ["type", "id", "table", "room", "number", "other", "time", "data"],
    },
    ...Object.fromEntries(TYPES.map((type) => [`events/${type}.schema.json`, data])),
  });
  base = await loadOnlyProtocol(root);
});
afterAll(() => rmSync(root, { recursive: true }));

const FRAME = { key: ["table"], sequence: "number", first: 0, id: "id", time: "time" };

function createContract(stream: JsonObject | undefined, more: Partial<Protocol> = {}): Protocol {
  return { ...base, ...(stream && { stream: stream as unknown as Stream }), ...more };
}

const createRuledContract = (rules: JsonObject, more: Partial<Protocol> = {}): Protocol =>
  createContract({ ...FRAME, rules }, more);

function createStability(stability: Stability): Partial<Protocol> {
  return {
    events: base.events.map((event) => ({ ...event, stability })),
    envelope: { ...base.envelope, schema: { ...base.envelope.schema, "x-stability": stability } },
  };
}

const locate = (file: string, pointer: string) => ({ file, pointer });

async function compare(
  current: Protocol,
  ...baselines: readonly Protocol[]
): Promise<readonly CompatFinding[]> {
  const { findings } = await checkCompatibility({
    current: { protocol: current, locate },
    baselines: baselines.map((protocol, index) => ({ label: `baseline ${index}`, protocol, locate })),
    history: [],
    hasAllBaselines: true,
    cache: createContainmentCache(),
  });
  return findings;
}

const formatFindings = (findings: readonly CompatFinding[]): string[] =>
  findings.map(({ rule, severity }) => `${rule} ${severity}`);

const life = { key: "cup", start: ["tea.poured"], end: ["tea.cleared"], needsStart: true };
const pair = { open: "tea.poured", close: "tea.served" };

describe("a break of the stream contract", () => {
  it.each([
    [
      "readers built against",
      { lifecycles: [life] },
      {},
      "stream-promise-removed",
      "Readers built against baseline 0 reject this stream (lifecycle-without-start).",
    ],
    [
      "current readers",
      {},
      { lifecycles: [life] },
      "stream-promise-added",
      "Current readers reject this stream of baseline 0 (lifecycle-without-start).",
    ],
    [
      "existing senders",
      {},
      { lifecycles: [{ ...life, profile: "writer" }] },
      "stream-promise-added",
      "Writers built against baseline 0 violate the contract with this stream (lifecycle-without-start).",
    ],
    [
      "both",
      { ordered: [{ type: "tea.served", fields: ["level", "depth"] }] },
      { ordered: [{ type: "tea.served", fields: ["depth", "level"] }] },
      "stream-promise-changed",
      "Readers built against baseline 0 reject this stream (part-exceeds-total).",
    ],
  ])("says that it affects %s", async (_who, before, after, rule, sentence) => {
    const [old, now] = [createRuledContract(before), createRuledContract(after)];
    const [finding, ...others] = await compare(now, old);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule, severity: "error" });
    expect(finding?.message).toContain(sentence);
    const stream = (finding?.stream ?? []) as readonly JsonObject[];
    const [small, large, profile] =
      rule === "stream-promise-added" ? [old, now, "writer" as const] : [now, old, "reader" as const];
    expect(stream.length).toBeGreaterThan(0);
    expect(areEventsValid(small, "writer", stream)).toBe(true);
    expect(findFirstError(small, "writer", stream)).toBeUndefined();
    expect(findFirstError(large, profile, stream)).toBeDefined();
  });

  it.each([
    ["stable", "stream-promise-removed error"],
    ["candidate", "stream-promise-removed error"],
    ["experimental", "stream-promise-removed note"],
  ] as const)("of %s events is %s", async (stability, expected) => {
    expect(
      formatFindings(
        await compare(
          createRuledContract({}, createStability(stability)),
          createRuledContract({ pairs: [pair] }, createStability(stability)),
        ),
      ),
    ).toEqual([expected]);
  });

  it("is as stable as the least stable event of its most stable stream", async () => {
    const mixed = {
      ...createStability("stable"),
      events: base.events.map((event) => ({
        ...event,
        stability: event.type === "tea.served" ? ("experimental" as const) : ("stable" as const),
      })),
    };
    const findings = await compare(
      createRuledContract({}, mixed),
      createRuledContract({ openings: [{ type: "tea.served" }] }, mixed),
    );
    expect(formatFindings(findings)).toEqual(["stream-promise-removed note"]);
  });

  it("counts a type that old readers do not know as part of the envelope, whatever its label", async () => {
    const [served] = base.events.filter(({ type }) => type === "tea.served");
    const more = { ...served, type: "tea.spilled", stability: "experimental" } as Protocol["events"][number];
    const now = createRuledContract(
      { lifecycles: [{ ...life, start: ["tea.poured", "tea.spilled"] }] },
      { events: [...base.events, more] },
    );
    expect(formatFindings(await compare(now, createRuledContract({ lifecycles: [life] })))).toEqual([
      "stream-promise-removed error",
    ]);
  });

  it("is a finding for each difference that breaks alone, and none for the others", async () => {
    const now = createRuledContract({
      lifecycles: [{ ...life, end: [] }],
      exclusives: [{ types: ["tea.brewed", "tea.served"], reset: [] }],
    });
    const findings = await compare(now, createRuledContract({ lifecycles: [life], pairs: [pair] }));
    expect(formatFindings(findings)).toEqual([
      "stream-promise-added error",
      "stream-promise-removed error",
      "stream-promise-removed error",
    ]);
    expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  it("is said once over all releases", async () => {
    const old = createRuledContract({ lifecycles: [life] });
    const older = createRuledContract(
      { lifecycles: [life], openings: [{ type: "tea.brewed" }] },
      { version: "0.9" },
    );
    expect(formatFindings(await compare(createRuledContract({}), old, older))).toEqual([
      "stream-promise-removed error",
      "stream-promise-removed error",
    ]);
    expect(formatFindings(await compare(createRuledContract({}), old, old))).toEqual([
      "stream-promise-removed error",
    ]);
  });

  it("is found against an older release where the newest shows nothing", async () => {
    const writers = createRuledContract({ lifecycles: [{ ...life, profile: "writer" }] });
    expect(formatFindings(await compare(writers, createRuledContract({ lifecycles: [life] })))).toEqual([
      "stream-reliance-dropped warning",
    ]);
    expect(
      formatFindings(
        await compare(createRuledContract({}), writers, createRuledContract({ lifecycles: [life] })),
      ),
    ).toContain("stream-promise-removed error");
  });

  it("is found where only a payload changed", async () => {
    const without = base.events.map((event) =>
      event.type === "tea.served"
        ? { ...event, payload: { ...event.payload, properties: { level: integer } } }
        : event,
    );
    const open = (events: Protocol["events"]): Protocol["events"] =>
      events.map((event) => ({ ...event, payload: { ...event.payload, additionalProperties: true } }));
    const [old, now] = [
      createRuledContract({ lifecycles: [life] }, { events: open(without) }),
      createRuledContract({ lifecycles: [life] }, { events: open(base.events) }),
    ];
    const findings = (await compare(now, old)).filter(({ rule }) => rule.startsWith("stream-"));
    expect(formatFindings(findings)).toEqual(["stream-promise-added error"]);
    expect(findings[0]?.message).toContain('members gained "tea.served"');
  });

  it("has the same fingerprint wherever its declaration stands, and another one for another change", async () => {
    const other = { key: "pot", start: ["tea.brewed"], end: [] };
    const changed = { ...life, end: [] };
    const prints = async (before: Json[], after: Json[]): Promise<string[]> =>
      (
        await compare(createRuledContract({ lifecycles: after }), createRuledContract({ lifecycles: before }))
      ).map(({ fingerprint }) => fingerprint);
    const [first] = await prints([life, other], [changed, other]);
    expect(await prints([other, life], [changed, other])).toEqual([first]);
    expect(await prints([life, other], [{ ...life, needsStart: false }, other])).not.toEqual([first]);
  });
});

describe("a refactoring of stream rules", () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      "reorders lists",
      { lifecycles: [{ ...life, end: ["tea.cleared", "tea.brewed"] }] },
      { lifecycles: [{ ...life, end: ["tea.brewed", "tea.cleared"] }] },
    ],
    [
      "reorders declarations",
      { pairs: [pair, { open: "tea.brewed", close: "tea.cleared" }] },
      { pairs: [{ open: "tea.brewed", close: "tea.cleared" }, pair] },
    ],
    [
      "splits figures",
      { rising: [{ type: "tea.served", fields: ["level", "depth"] }] },
      {
        rising: [
          { type: "tea.served", fields: ["depth"] },
          { type: "tea.served", fields: ["level"] },
        ],
      },
    ],
    [
      "states a default",
      { lifecycles: [{ key: "cup", start: ["tea.poured"], end: [] }] },
      { lifecycles: [{ key: "cup", start: ["tea.poured"], end: [], after: [], needsStart: false }] },
    ],
  ])("that %s says nothing", async (_what, one, other) => {
    expect(formatFindings(await compare(createRuledContract(one), createRuledContract(other)))).toEqual([]);
    expect(formatFindings(await compare(createRuledContract(other), createRuledContract(one)))).toEqual([]);
  });
});

describe("the frame of a stream", () => {
  it.each<[string, JsonObject | undefined, JsonObject | undefined]>([
    ["another key", FRAME, { ...FRAME, key: ["room"] }],
    ["a finer key", FRAME, { ...FRAME, key: ["table", "room"] }],
    ["another number", FRAME, { ...FRAME, sequence: "other" }],
    ["no number", FRAME, { ...FRAME, sequence: undefined, first: 0 } as unknown as JsonObject],
    ["another first number", FRAME, { ...FRAME, first: 1 }],
    ["no id", FRAME, { key: ["table"], sequence: "number", first: 0, time: "time" }],
    ["no time", FRAME, { key: ["table"], sequence: "number", first: 0, id: "id" }],
    ["no stream", FRAME, undefined],
    ["a stream", undefined, FRAME],
  ])("that has %s is a break", async (_what, before, after) => {
    expect(formatFindings(await compare(createContract(after), createContract(before)))).toEqual([
      "stream-frame-changed error",
    ]);
  });

  it("may name a time that was not named", async () => {
    const { time: _time, ...rest } = FRAME;
    expect(formatFindings(await compare(createContract(FRAME), createContract(rest)))).toEqual([
      "stream-changed note",
    ]);
  });

  it("has no note that nothing is affected beside a break, of whichever baseline", async () => {
    const { id: _id, ...rest } = FRAME;
    const now = createContract({
      ...rest,
      rules: { rising: [{ type: "tea.served", fields: ["undeclared"] }] },
    });
    expect(formatFindings(await compare(now, createContract(FRAME)))).toEqual(["stream-frame-changed error"]);
    expect(formatFindings(await compare(now, createContract(FRAME), createContract(rest)))).toEqual([
      "stream-frame-changed error",
    ]);
    expect(formatFindings(await compare(now, createContract(rest)))).toEqual(["stream-changed note"]);
  });

  it("is shown by a stream where a short one shows it", async () => {
    const [finding] = await compare(createContract({ ...FRAME, key: ["room"] }), createContract(FRAME));
    const stream = (finding?.stream ?? []) as readonly JsonObject[];
    expect(stream.length).toBe(2);
    expect(findFirstError(createContract({ ...FRAME, key: ["room"] }), "writer", stream)).toBeUndefined();
    expect(findFirstError(createContract(FRAME), "reader", stream)).toBeDefined();
  });
});

describe("guarantees", () => {
  const removed = ["stream-guarantee-removed warning"];
  it.each<[string, string[], string[], readonly string[]]>([
    ["reworded", ["Tea is hot.", "Cups are clean."], ["All tea is hot.", "Every cup is clean."], []],
    ["joined", ["Tea is hot.", "Cups are clean."], ["Tea is hot. Cups are clean."], []],
    ["one less", ["Tea is hot.", "Cups are clean."], ["Tea is hot."], removed],
    ["one less within a text", ["Tea is hot. Cups are clean."], ["Tea is hot."], removed],
    ["none", ["Tea is hot"], [], removed],
    ["one more", ["Tea is hot."], ["Tea is hot.", "Cups are clean."], []],
  ])("%s", async (_what, before, after, expected) => {
    expect(
      formatFindings(
        await compare(
          createContract(FRAME, { guarantees: after }),
          createContract(FRAME, { guarantees: before }),
        ),
      ),
    ).toEqual(expected);
  });
});

describe("what cannot be decided", () => {
  it.each(["stable", "candidate"] as const)(
    "is an error for %s contracts that a waiver lifts",
    async (stability) => {
      const before = createRuledContract({ moods: [{ type: "tea.served" }] }, createStability(stability));
      const after = createRuledContract({ moods: [{ type: "tea.poured" }] }, createStability(stability));
      const [finding, ...others] = await compare(after, before);
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ rule: "stream-undecided", severity: "error" });
      const waiver = {
        fingerprint: finding?.fingerprint ?? "",
        rule: "stream-undecided",
        reason: "Reviewed.",
        expires: "1.9",
        at: base.at,
      };
      expect(formatFindings(await compare({ ...after, waivers: [waiver] }, before))).toEqual([]);
    },
  );

  it("is every difference of a rule that says nothing of how it reads events", async () => {
    const rule = STREAM_RULES.find(({ member }) => member === "pairs");
    if (!rule) throw new Error("There is no rule of pairs.");
    const known = rule.createCheckers;
    const bare: typeof known = (declared, protocol) =>
      [known(declared, protocol)].flat().map(({ comparable: _unused, ...checker }) => checker);
    Object.assign(rule, { createCheckers: bare });
    try {
      const [old, now] = [
        createRuledContract({ pairs: [pair] }),
        createRuledContract({ pairs: [{ ...pair, same: ["mood"] }] }),
      ];
      const equalRules = createRuledContract({ pairs: [pair], openings: [] });
      expect(formatFindings(await compare(now, old))).toEqual(["stream-undecided error"]);
      expect(formatFindings(await compare(equalRules, createRuledContract({ pairs: [pair] })))).toEqual([]);
    } finally {
      Object.assign(rule, { createCheckers: known });
    }
  });
});
