/** If this fails, a change of stream rules breaks readers or senders without a finding. */
import { beforeAll, describe, expect, it } from "vitest";
import { checkCompatibility } from "../../../generator/compat/check.js";
import type { CompatFinding } from "../../../generator/compat/create-finding.js";
import { createContainmentCache } from "../../../generator/compat/proof/readings.js";
import type { Json, JsonObject } from "../../../generator/json.js";
import type { Protocol, Stability, Stream } from "../../../generator/protocol/protocol.js";
import { createSharedFolder } from "../../folders.js";
import { loadOnlyProtocol } from "../examples.js";
import { writeTea } from "../tea.js";
import { areEventsValid, findFirstError } from "./stream-oracle.js";

const text = { type: "string" };
const integer = { type: "integer", minimum: 0 };
const TYPES = ["tea.brewed", "tea.cleared", "tea.poured", "tea.served"];
const data = {
  properties: { cup: text, pot: text, level: integer, depth: integer, mood: { enum: ["calm", "wild"] } },
};
let base: Protocol;

const root = createSharedFolder();
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

const FRAME = { key: ["table"], sequence: "number", first: 0, id: "id", time: "time" };

function createContract(stream: JsonObject | undefined, more: Partial<Protocol> = {}): Protocol {
  return { ...base, ...(stream && { stream: stream as unknown as Stream }), ...more };
}

const createContractWithRules = (rules: JsonObject, more: Partial<Protocol> = {}): Protocol =>
  createContract({ ...FRAME, rules }, more);

function createEventsOfStability(stability: Stability): Partial<Protocol> {
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

/** Compares contracts. Returns the rule and the severity of each finding. */
const compareAndFormat = async (...contracts: Parameters<typeof compare>): Promise<string[]> =>
  formatFindings(await compare(...contracts));

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
  ])("has a message that names %s", async (_who, before, after, rule, sentence) => {
    const [old, now] = [createContractWithRules(before), createContractWithRules(after)];
    const [finding, ...others] = await compare(now, old);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule, severity: "error" });
    expect(finding?.message).toContain(sentence);
    const stream = (finding?.stream ?? []) as readonly JsonObject[];
    const isBackward = rule === "stream-promise-added";
    const sender = isBackward ? old : now;
    expect(stream.length).toBeGreaterThan(0);
    expect(areEventsValid(sender, "writer", stream)).toBe(true);
    expect(findFirstError(sender, "writer", stream)).toBeUndefined();
    const error = isBackward ? findFirstError(now, "writer", stream) : findFirstError(old, "reader", stream);
    expect(error).toBeDefined();
  });

  it.each([
    ["stable", "stream-promise-removed error"],
    ["candidate", "stream-promise-removed error"],
    ["experimental", "stream-promise-removed note"],
  ] as const)("of %s events is %s", async (stability, expected) => {
    expect(
      await compareAndFormat(
        createContractWithRules({}, createEventsOfStability(stability)),
        createContractWithRules({ pairs: [pair] }, createEventsOfStability(stability)),
      ),
    ).toEqual([expected]);
  });

  it("is as stable as the least stable event of its most stable stream", async () => {
    const mixed = {
      ...createEventsOfStability("stable"),
      events: base.events.map((event) => ({
        ...event,
        stability: event.type === "tea.served" ? ("experimental" as const) : ("stable" as const),
      })),
    };
    const findings = await compare(
      createContractWithRules({}, mixed),
      createContractWithRules({ openings: [{ type: "tea.served" }] }, mixed),
    );
    expect(formatFindings(findings)).toEqual(["stream-promise-removed note"]);
  });

  it("counts a type that old readers do not know as part of the envelope, whatever its label", async () => {
    const [served] = base.events.filter(({ type }) => type === "tea.served");
    const more = { ...served, type: "tea.spilled", stability: "experimental" } as Protocol["events"][number];
    const now = createContractWithRules(
      { lifecycles: [{ ...life, start: ["tea.poured", "tea.spilled"] }] },
      { events: [...base.events, more] },
    );
    expect(await compareAndFormat(now, createContractWithRules({ lifecycles: [life] }))).toEqual([
      "stream-promise-removed error",
    ]);
  });

  it("is a finding for each difference that breaks alone, and none for the others", async () => {
    const now = createContractWithRules({
      lifecycles: [{ ...life, end: [] }],
      exclusives: [{ types: ["tea.brewed", "tea.served"], reset: [] }],
    });
    const findings = await compare(now, createContractWithRules({ lifecycles: [life], pairs: [pair] }));
    expect(formatFindings(findings)).toEqual([
      "stream-promise-added error",
      "stream-promise-removed error",
      "stream-promise-removed error",
    ]);
    expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  it("is reported once for all releases", async () => {
    const old = createContractWithRules({ lifecycles: [life] });
    const older = createContractWithRules(
      { lifecycles: [life], openings: [{ type: "tea.brewed" }] },
      { version: "0.9" },
    );
    expect(await compareAndFormat(createContractWithRules({}), old, older)).toEqual([
      "stream-promise-removed error",
      "stream-promise-removed error",
    ]);
    expect(await compareAndFormat(createContractWithRules({}), old, old)).toEqual([
      "stream-promise-removed error",
    ]);
  });

  it("is found against an older release if the newest shows nothing", async () => {
    const writers = createContractWithRules({ lifecycles: [{ ...life, profile: "writer" }] });
    expect(await compareAndFormat(writers, createContractWithRules({ lifecycles: [life] }))).toEqual([
      "stream-reliance-dropped warning",
    ]);
    expect(
      await compareAndFormat(
        createContractWithRules({}),
        writers,
        createContractWithRules({ lifecycles: [life] }),
      ),
    ).toContain("stream-promise-removed error");
  });

  it("is found if only a payload changed", async () => {
    const eventsWithoutCup = base.events.map((event) =>
      event.type === "tea.served"
        ? { ...event, payload: { ...event.payload, properties: { level: integer } } }
        : event,
    );
    const openPayloads = (events: Protocol["events"]): Protocol["events"] =>
      events.map((event) => ({ ...event, payload: { ...event.payload, additionalProperties: true } }));
    const [old, now] = [
      createContractWithRules({ lifecycles: [life] }, { events: openPayloads(eventsWithoutCup) }),
      createContractWithRules({ lifecycles: [life] }, { events: openPayloads(base.events) }),
    ];
    const findings = (await compare(now, old)).filter(({ rule }) => rule.startsWith("stream-"));
    expect(formatFindings(findings)).toEqual(["stream-promise-added error"]);
    expect(findings[0]?.message).toContain('members gained "tea.served"');
  });

  it("has the same fingerprint wherever its declaration stands, and another one for another change", async () => {
    const other = { key: "pot", start: ["tea.brewed"], end: [] };
    const changed = { ...life, end: [] };
    const findFingerprints = async (before: Json[], after: Json[]): Promise<string[]> =>
      (
        await compare(
          createContractWithRules({ lifecycles: after }),
          createContractWithRules({ lifecycles: before }),
        )
      ).map(({ fingerprint }) => fingerprint);
    const [first] = await findFingerprints([life, other], [changed, other]);
    expect(await findFingerprints([other, life], [changed, other])).toEqual([first]);
    expect(await findFingerprints([life, other], [{ ...life, needsStart: false }, other])).not.toEqual([
      first,
    ]);
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
      "splits the fields of a declaration",
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
  ])("that %s gives no finding", async (_what, one, other) => {
    expect(await compare(createContractWithRules(one), createContractWithRules(other))).toEqual([]);
    expect(await compare(createContractWithRules(other), createContractWithRules(one))).toEqual([]);
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
    expect(await compareAndFormat(createContract(after), createContract(before))).toEqual([
      "stream-frame-changed error",
    ]);
  });

  it("may declare the field of the time later", async () => {
    const { time: _time, ...rest } = FRAME;
    expect(await compareAndFormat(createContract(FRAME), createContract(rest))).toEqual([
      "stream-changed note",
    ]);
  });

  it("has a note that nobody is affected only if no baseline shows a break", async () => {
    const { id: _id, ...rest } = FRAME;
    const now = createContract({
      ...rest,
      rules: { rising: [{ type: "tea.served", fields: ["undeclared"] }] },
    });
    expect(await compareAndFormat(now, createContract(FRAME))).toEqual(["stream-frame-changed error"]);
    expect(await compareAndFormat(now, createContract(FRAME), createContract(rest))).toEqual([
      "stream-frame-changed error",
    ]);
    expect(await compareAndFormat(now, createContract(rest))).toEqual(["stream-changed note"]);
  });

  it("has a witness if a short stream shows the break", async () => {
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
    ["one removed", ["Tea is hot.", "Cups are clean."], ["Tea is hot."], removed],
    ["one removed from a text", ["Tea is hot. Cups are clean."], ["Tea is hot."], removed],
    ["all removed", ["Tea is hot"], [], removed],
    ["one added", ["Tea is hot."], ["Tea is hot.", "Cups are clean."], []],
  ])("%s", async (_what, before, after, expected) => {
    expect(
      await compareAndFormat(
        createContract(FRAME, { guarantees: after }),
        createContract(FRAME, { guarantees: before }),
      ),
    ).toEqual(expected);
  });
});

describe("the finding about an altered list", () => {
  const changes: readonly JsonObject[] = [
    { types: ["tea.poured"], from: ["clean"], to: "full" },
    { types: ["tea.served"], when: { mood: "calm" }, from: ["full"], to: "served" },
    { types: ["tea.served"], to: "spilt" },
  ];
  const forbids: readonly JsonObject[] = [
    { in: ["full"], types: ["tea.cleared"] },
    { in: ["served"], types: ["tea.brewed"], same: "pot" },
  ];
  const machine: JsonObject = { name: "cup", key: "cup", initial: "clean", changes, forbids };
  const replace = (list: readonly JsonObject[], index: number, one: JsonObject): JsonObject[] =>
    list.with(index, { ...list[index], ...one });

  it.each<[string, JsonObject]>([
    ['changes[1].to is "spilt" now and was "served".', { changes: replace(changes, 1, { to: "spilt" }) }],
    [
      'changes[1].when.mood is "wild" now and was "calm".',
      { changes: replace(changes, 1, { when: { mood: "wild" } }) },
    ],
    [
      'changes[0].from lost "clean"; changes[0].from gained "full".',
      { changes: replace(changes, 0, { from: ["full"] }) },
    ],
    ['changes lost {"types":["tea.served"],"to":"spilt"}.', { changes: changes.slice(0, 2) }],
    ["the order of changes differs.", { changes: [...changes].reverse() }],
    [
      'forbids[0].types gained "tea.poured".',
      { forbids: replace(forbids, 0, { types: ["tea.cleared", "tea.poured"] }) },
    ],
    ['forbids[1].same is "cup" now and was "pot".', { forbids: replace(forbids, 1, { same: "cup" }) }],
    ['forbids lost {"in":["full"],"types":["tea.cleared"]}.', { forbids: forbids.slice(1) }],
  ])("says %s", async (text, altered) => {
    const [finding, ...others] = await compare(
      createContractWithRules({ machines: [{ ...machine, ...altered }] }),
      createContractWithRules({ machines: [machine] }),
    );
    expect(others).toEqual([]);
    expect(finding?.message).toContain(`stream.rules machines cup: ${text}`);
    // Fields that accept any text have plain ones in the stream.
    expect(JSON.stringify(finding?.stream)).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.stringify(finding?.stream)).not.toMatch(/\\|""/);
  });
});

describe("an undecided change", () => {
  it.each(["stable", "candidate"] as const)(
    "is an error for %s contracts that a waiver covers",
    async (stability) => {
      const before = createContractWithRules(
        { moods: [{ type: "tea.served" }] },
        createEventsOfStability(stability),
      );
      const after = createContractWithRules(
        { moods: [{ type: "tea.poured" }] },
        createEventsOfStability(stability),
      );
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
      expect(await compareAndFormat({ ...after, waivers: [waiver] }, before)).toEqual([]);
    },
  );
});
