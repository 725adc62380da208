/**
 * If this fails, a team deploys in an order in which a reader refuses events, or is told that there is no safe order though
 * there is one.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { loadValidProtocols } from "../../generator/load/load-protocols.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { completeStream } from "../../generator/rollout/complete-stream.js";
import type { Fleet, Reading } from "../../generator/rollout/fleet.js";
import { planRollout } from "../../generator/rollout/plan-rollout.js";
import { proveReadings } from "../../generator/rollout/reading-table.js";
import { runAccrete } from "../commands/run-in-process.js";
import { loadFiles } from "../compat/oracle/run-compat.js";
import { createProject, editFile } from "../compat/project.js";
import { writeTea } from "../compat/tea.js";
import { deep, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";

/** A small contract. Both event types have the field `x`; a type that is undefined is not declared. */
interface SmallContract {
  readonly a: SmallType | undefined;
  readonly b: SmallType | undefined;
  readonly rule: SmallRule | undefined;
}

interface SmallType {
  readonly values: readonly number[];
  readonly isRequired: boolean;
}

/** An event of a small contract. */
interface SmallEvent {
  readonly type: "a" | "b";
  readonly x: number | undefined;
}

/** Stream rules: how protocol.json declares them, and whether a stream keeps them. */
const SMALL_RULES = {
  "b comes first": {
    declared: { openings: [{ type: "b" }] },
    keeps: (stream: readonly SmallEvent[]) => stream.every(({ type }, index) => type !== "b" || index === 0),
  },
  "a and b exclude each other": {
    declared: { exclusives: [{ types: ["a", "b"], reset: [] }] },
    keeps: (stream: readonly SmallEvent[]) => new Set(stream.map(({ type }) => type)).size < 2,
  },
  "x of a never decreases": {
    declared: { rising: [{ type: "a", fields: ["x"] }] },
    keeps: (stream: readonly SmallEvent[]) => {
      const numbers = stream.flatMap(({ type, x }) => (type === "a" && x !== undefined ? [x] : []));
      return numbers.every((x, index) => index === 0 || x >= (numbers[index - 1] ?? 0));
    },
  },
} as const;

type SmallRule = keyof typeof SMALL_RULES;

const smallType: fc.Arbitrary<SmallType> = fc.record({
  values: fc.constantFrom([1], [1, 2], [1, 2, 3]),
  isRequired: fc.boolean(),
});

const smallContract: fc.Arbitrary<SmallContract> = fc
  .record({
    a: fc.option(smallType, { nil: undefined, freq: 4 }),
    b: fc.option(smallType, { nil: undefined, freq: 4 }),
    rule: fc.option(fc.constantFrom(...(Object.keys(SMALL_RULES) as SmallRule[])), { nil: undefined }),
  })
  .filter(({ a, b }) => a !== undefined || b !== undefined)
  // The rules name both event types.
  .map((contract) => (contract.a && contract.b ? contract : { ...contract, rule: undefined }));

/** The number that upcasters to a contract give events without `x`. */
const smallDefault = fc.constantFrom(1, 2, 3);

/** The readings of the versions 1, 2 and 3. Upcasters lead from earlier versions. */
const smallReading = (number: number): fc.Arbitrary<Reading> =>
  fc.record({
    version: fc.constant(String(number)),
    isStrict: fc.constantFrom(false, false, false, true),
    upcasts: fc.subarray(["1", "2", "3"].slice(0, number - 1)),
  });

/** The versions of random fleets, and their parts. */
const smallFleet = fc.record({
  contracts: fc.tuple(smallContract, smallContract, smallContract),
  defaults: fc.tuple(smallDefault, smallDefault, smallDefault),
  readings: fc.tuple(smallReading(1), smallReading(2), smallReading(3)),
  writers: fc.array(fc.shuffledSubarray(["1", "2", "3"], { minLength: 1 }), { minLength: 1, maxLength: 2 }),
  readers: fc.array(fc.shuffledSubarray(["1", "2", "3"], { minLength: 1 }), { minLength: 1, maxLength: 2 }),
  held: fc.option(fc.constantFrom("1", "2", "3")),
});

type SmallFleet = typeof smallFleet extends fc.Arbitrary<infer T> ? T : never;

const fleetRuns = 300;

describe("the order of deployment", () => {
  deep.it(
    "is found in random fleets if and only if trying all orders and all streams finds one",
    async () => {
      const verdicts = { ordered: 0, blocked: 0 };
      const kinds = { event: 0, stream: 0, unproven: 0 };
      await fc.assert(
        fc.asyncProperty(smallFleet, async (small) => {
          const fleet = createFleet(small);
          const table = await proveReadings(fleet, await loadSmallContracts(small));
          const plan = planRollout(fleet, (sent, read) => table.find(sent, read)?.refused.length === 0);
          const canRead = (sent: string, read: string) => readsAll(small, sent, read);
          verdicts[plan.kind]++;
          for (const sent of table.sent)
            for (const read of table.read) {
              const refused = table.find(sent, read)?.refused ?? [];
              for (const each of refused) {
                kinds[each.kind]++;
                // A tenth of the streams are built, because that takes longest.
                if (each.kind === "unproven" || kinds[each.kind] % 10 !== 0) continue;
                const stream = each.kind === "event" ? each.findStream() : each.events;
                expect([stream, isRefused(small, sent, read, stream as unknown as SmallEvent[])]).toEqual([
                  stream,
                  true,
                ]);
              }
              expect([sent, read, refused.length === 0]).toEqual([sent, read, canRead(sent, read)]);
            }
          expect(plan.kind).toBe(hasSafeOrder(fleet, canRead) ? "ordered" : "blocked");
          expect(
            isSafeOrder(
              fleet,
              plan.steps.map(({ component }) => component.name),
              canRead,
            ),
          ).toBe(
            plan.steps.length > 0 ||
              isSafe(
                fleet,
                fleet.components.map(() => 0),
                canRead,
              ),
          );
        }),
        { numRuns: fleetRuns, seed: 1 },
      );
      expect(Math.min(verdicts.ordered, verdicts.blocked)).toBeGreaterThan(fleetRuns / 10);
      expect(Math.min(kinds.event, kinds.stream)).toBeGreaterThan(fleetRuns / 10);
      expect(kinds.unproven).toBe(0);
    },
    600_000,
  );
});

function createFleet({ writers, readers, readings, held }: SmallFleet): Fleet {
  const archive = { name: "log", holds: held === null ? [] : [held], readers: ["reader0"] };
  return {
    versions: new Map(["1", "2", "3"].map((name) => [name, name])),
    readings: new Map(readings.map((reading) => [reading.version, reading])),
    components: [
      ...writers.map((versions, index) => ({ name: `writer${index}`, role: "writer" as const, versions })),
      ...readers.map((versions, index) => ({ name: `reader${index}`, role: "reader" as const, versions })),
    ],
    archives: held === null ? [] : [archive],
  };
}

/** Loads the contracts as major versions 1, 2 and 3, with upcasters from each version to the later ones. */
async function loadSmallContracts({ contracts, defaults }: SmallFleet): Promise<Map<string, Protocol>> {
  const protocols = new Map<string, Protocol>();
  for (const [index, contract] of contracts.entries()) {
    const protocol = await loadSmallContract(contract);
    const steps = [{ step: "default" as const, to: "/x", value: defaults[index] ?? 0 }];
    const upcasts = [1, 2].map((from) => ({ from, steps }));
    protocols.set(String(index + 1), { ...protocol, major: index + 1, upcasts });
  }
  return protocols;
}

const loaded = new Map<string, Protocol>();

async function loadSmallContract(contract: SmallContract): Promise<Protocol> {
  const key = JSON.stringify(contract);
  const known = loaded.get(key);
  if (known) return known;
  const { rule, ...types } = contract;
  const events = Object.entries(types).flatMap(([type, declared]: [string, SmallType | undefined]) =>
    declared === undefined ? [] : [[`events/${type}.schema.json`, createEventSchema(declared)] as const],
  );
  const { protocol, findings } = await loadFiles({
    "protocol.json": {
      name: "tea",
      major: 1,
      version: "1.0",
      title: "Tea",
      description: "Tea events.",
      envelope: { discriminator: "type", payload: { placement: "inline" } },
      stream: { key: ["s"], ...(rule && { rules: SMALL_RULES[rule].declared as unknown as JsonObject }) },
    },
    "envelope.schema.json": {
      title: "Envelope",
      description: "The fields of every event.",
      type: "object",
      properties: {
        type: { type: "string", description: "The event type." },
        s: { type: "string", description: "The stream." },
      },
      required: ["type", "s"],
    },
    ...Object.fromEntries(events),
  });
  if (protocol === undefined) throw new Error(JSON.stringify(findings));
  loaded.set(key, protocol);
  return protocol;
}

function createEventSchema({ values, isRequired }: SmallType): JsonObject {
  return {
    title: "An event",
    description: "An event with one field.",
    "x-stability": "stable",
    "x-since": "1.0",
    type: "object",
    properties: { x: { enum: [...values], description: "A number." } },
    ...(isRequired && { required: ["x"] }),
  };
}

/** All events that a small contract could describe: a type, and a value or none. */
const EVENTS = ["a", "b"].flatMap((type) =>
  [undefined, 1, 2, 3, 4].map((x): SmallEvent => ({ type: type as "a" | "b", x })),
);

/** All streams of at most two events. Two events break each rule that a stream can break. */
const STREAMS = [
  ...EVENTS.map((event) => [event]),
  ...EVENTS.flatMap((first) => EVENTS.map((second) => [first, second])),
];

/** Returns whether readers accept each stream that writers may send. */
function readsAll(small: SmallFleet, sent: string, read: string): boolean {
  return !STREAMS.some((stream) => isRefused(small, sent, read, stream));
}

/** Returns whether writers may send a stream and readers refuse it, by the words of the contract. */
function isRefused(
  { contracts, defaults, readings }: SmallFleet,
  sent: string,
  read: string,
  stream: readonly SmallEvent[],
): boolean {
  const [writer, reader] = [contracts[Number(sent) - 1], contracts[Number(read) - 1]];
  const reading = readings[Number(read) - 1];
  const isCarriedOver = reading?.upcasts.includes(sent) === true;
  const isSent =
    stream.every(({ type, x }) => writer?.[type] !== undefined && isValid(writer[type], x)) &&
    keepsRule(writer, stream);
  const isRead = ({ type, x }: SmallEvent): boolean => {
    const declared = reader?.[type];
    // A tolerant reader takes an event type that it does not know for an unknown event.
    if (declared === undefined) return reading?.isStrict === false;
    return isValid(declared, isCarriedOver ? (x ?? defaults[Number(read) - 1]) : x);
  };
  // Rules are not compared for events that are carried over.
  return isSent && !(stream.every(isRead) && (isCarriedOver || keepsRule(reader, stream)));
}

function keepsRule(contract: SmallContract | undefined, stream: readonly SmallEvent[]): boolean {
  return contract?.rule === undefined || SMALL_RULES[contract.rule].keeps(stream);
}

function isValid({ values, isRequired }: SmallType, x: number | undefined): boolean {
  return x === undefined ? !isRequired : values.includes(x);
}

type CanRead = (sent: string, read: string) => boolean;

/** Returns whether each reader accepts all events that reach it. */
function isSafe({ components, archives }: Fleet, mix: readonly number[], canRead: CanRead): boolean {
  const writers = components.map((component, index) => ({ component, at: mix[index] ?? 0 }));
  return writers.every(({ component: reader, at }) => {
    if (reader.role === "writer") return true;
    const read = reader.versions[at] ?? "";
    const opened = archives.some(({ readers }) => readers.includes(reader.name));
    const held = archives.flatMap(({ holds, readers }) => (readers.includes(reader.name) ? holds : []));
    const written = writers.flatMap(({ component, at: now }) => {
      if (component.role === "reader") return [];
      return component.versions.slice(opened ? 0 : now, now + 1);
    });
    return [...held, ...written].every((sent) => canRead(sent, read));
  });
}

/** Returns whether all mixes that an order of components leads through are safe. */
function isSafeOrder(fleet: Fleet, order: readonly string[], canRead: CanRead): boolean {
  const mix = fleet.components.map(() => 0);
  return [undefined, ...order].every((name) => {
    const index = fleet.components.findIndex((component) => component.name === name);
    if (index >= 0) mix[index] = (mix[index] ?? 0) + 1;
    return isSafe(fleet, mix, canRead);
  });
}

/** Returns whether one of all orders is safe. */
function hasSafeOrder(fleet: Fleet, canRead: CanRead): boolean {
  const steps = fleet.components.flatMap(({ name, versions }) => versions.slice(1).map(() => name));
  return listOrders(steps).some((order) => isSafeOrder(fleet, order, canRead));
}

function listOrders(steps: readonly string[]): string[][] {
  if (steps.length === 0) return [[]];
  return [...new Set(steps)].flatMap((first) => {
    const rest = steps.toSpliced(steps.indexOf(first), 1);
    return listOrders(rest).map((order) => [first, ...order]);
  });
}

/** Stream rules of writers that pour before they serve. */
const POURED_FIRST: JsonObject = { openings: [{ type: "tea.poured" }] };

describe("accrete rollout", () => {
  quick.it("deploys readers first when a writer begins to send what old readers refuse", async () => {
    const folder = await writeVersions((schema) => {
      schema.properties.tool_calls.minimum = -1;
    });
    const { exitCode, stdout } = await runAccrete(["rollout", path.join(folder, "fleet.json")]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("1. reader web from old to new\n  2. writer runtime from old to new\n");
  });

  quick.it("writes the refused events if there is no order", async () => {
    const folder = await writeVersions((schema) => {
      schema.required = [...schema.required, "price"];
      schema.properties.price = { type: "integer", description: "The price." };
    });
    const witness = path.join(folder, "refused.jsonl");
    const { exitCode, stdout } = await runAccrete([
      "rollout",
      path.join(folder, "fleet.json"),
      "--json",
      "--witness",
      witness,
    ]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      safe: false,
      steps: [{ writer: "runtime", from: "old", to: "new" }],
      failures: [{ refusals: [{ events: "old", archive: "log", reader: "web", version: "new" }] }],
    });
    const [event = ""] = readFileSync(witness, "utf8").trimEnd().split("\n").reverse();
    expect(JSON.parse(event).data).not.toHaveProperty("price");
    // The stream is one that writers send, and the new readers refuse it for the stated reason.
    const validate = (...options: readonly string[]) => runAccrete(["validate", ...options, witness]);
    expect(await validate("--profile", "writer")).toMatchObject({ exitCode: 0 });
    const { current } = JSON.parse(readFileSync(path.join(folder, "folders.json"), "utf8"));
    const refused = await validate("--schemas", current);
    expect(refused.stdout).toContain("error event-invalid /data must have the field price");
    expect(refused.exitCode).toBe(1);
  });

  quick.it(
    "refuses ids that a reader expects once in all streams, and says what is not compared",
    async () => {
      const folder = createTemporaryFolder();
      const stream = { key: ["run"], id: "id" };
      const name = { type: "string", description: "A name." };
      const data = { type: "object", description: "The payload." };
      const envelope = {
        properties: { type: name, id: name, run: name, data },
        required: ["type", "id", "run", "data"],
      };
      for (const [index, scope] of [{}, { idScope: "protocol" }].entries())
        writeTea(path.join(folder, `v${index}`), {
          "protocol.json": { major: index + 1, version: `${index + 1}.0`, stream: { ...stream, ...scope } },
          "envelope.schema.json": envelope,
          "events/tea.served.schema.json": { "x-since": `${index + 1}.0` },
        });
      const carrying = { version: "wide", upcasts: ["narrow"] };
      const fleet = {
        versions: { narrow: "v0/tea/v1", wide: "v1/tea/v2" },
        writers: { kitchen: ["narrow", "wide"] },
        readers: { web: ["narrow", "wide"] },
      };
      const plan = async (readers: object) => {
        writeFileSync(path.join(folder, "fleet.json"), JSON.stringify({ ...fleet, readers }));
        const { stdout, stderr } = await runAccrete(["rollout", path.join(folder, "fleet.json"), "--json"]);
        expect(stderr).toBe("");
        return JSON.parse(stdout);
      };
      const { safe, steps, readings, notes } = await plan(fleet.readers);
      expect({ safe, steps, notes }).toEqual({
        safe: true,
        steps: [
          { writer: "kitchen", from: "narrow", to: "wide" },
          { reader: "web", from: "narrow", to: "wide" },
        ],
        notes: [],
      });
      const refused = readings.flatMap((each: { readonly refused: readonly object[] }) => each.refused);
      expect(refused).toMatchObject([{ rule: "event-conflict" }]);
      const [first, second] = refused[0].witness;
      expect([first.id === second.id, first.run === second.run]).toEqual([true, false]);
      expect(await plan({ web: ["narrow", carrying] })).toMatchObject({
        notes: ["Stream rules are not compared for events that a reader carries over."],
        readings: [
          { reader: "narrow", refused: [] },
          {
            reader: "wide with upcasts from narrow",
            refused: [{ type: "streams", reason: expect.stringContaining("the same id before") }],
          },
          {},
          {},
        ],
      });
    },
  );

  quick.it.each([
    { change: "a tighter rule", earlier: {}, later: POURED_FIRST, sent: "old", read: "new" },
    { change: "a rule that is gone", earlier: POURED_FIRST, later: {}, sent: "new", read: "old" },
  ])("refuses the mix in which a reader meets $change", async ({ earlier, later, sent, read }) => {
    const folder = createTemporaryFolder();
    for (const [name, rules] of Object.entries({ old: earlier, new: later }))
      writeTea(path.join(folder, name), {
        "protocol.json": { stream: { key: ["id"], rules } },
        "events/tea.poured.schema.json": {},
      });
    const fleet = {
      versions: { old: "old/tea/v1", new: "new/tea/v1" },
      writers: { kitchen: ["old", "new"] },
      readers: { web: ["old", "new"] },
    };
    const [file, witness] = [path.join(folder, "fleet.json"), path.join(folder, "refused.jsonl")];
    writeFileSync(file, JSON.stringify(fleet));
    const first = await runAccrete(["rollout", file, "--json", "--witness", witness]);
    const { readings } = JSON.parse(first.stdout);
    expect(readings.filter(({ refused }: { refused: readonly object[] }) => refused.length > 0)).toEqual([
      {
        writer: sent,
        reader: read,
        refused: [{ rule: "opening-late", witness: [expect.anything(), expect.anything()] }],
      },
    ]);
    // A fleet that runs these versions already has no safe order, and its witness is the stream.
    const failing = { ...fleet, writers: { kitchen: [sent] }, readers: { web: [read] } };
    writeFileSync(file, JSON.stringify(failing));
    expect(await runAccrete(["rollout", file, "--witness", witness])).toMatchObject({ exitCode: 1 });
    const validate = (version: string, profile: string) =>
      runAccrete(["validate", "--schemas", path.join(folder, version), "--profile", profile, witness]);
    expect(await validate(sent, "writer")).toMatchObject({ exitCode: 0 });
    expect((await validate(read, "reader")).stdout).toContain("error opening-late");
  });

  quick.it.each([
    [
      '{"versions":{"1":"x"},"writers":{"w":["1"]}}',
      "fleet.json:1:1: The fleet must have required property 'readers'.",
    ],
    [
      '{"versions":{"1.0":"x"},"writers":{"w":["1.0"]},"readers":{"r":["1.1"]}}',
      'fleet.json:1:65: There is no version "1.1"; did you mean "1.0"?',
    ],
    [
      '{"versions":{"1":"x"},"writers":{"w":["1"]},"readers":{"r":[{"version":"1","upcasts":["2"]}]}}',
      'fleet.json:1:87: There is no version "2"',
    ],
    [
      '{"versions":{"1":"x"},"writers":{"w":["1"]},"readers":{"r":[{"version":"1","upcast":["1"]}]}}',
      'fleet.json:1:76: There is no key "upcast"; did you mean "upcasts"?',
    ],
    [
      '{"versions":{"1":"x","1 strict":"y"},"writers":{"w":["1"]},"readers":{"r":["1 strict",{"version":"1","strict":true}]}}',
      'fleet.json: "1 strict" names two versions of readers. Rename one of them.',
    ],
    [
      '{"versions":{"1":"x"},"writers":{"w":["1"]},"readers":{"r":["1","1"]}}',
      'fleet.json:1:65: The reader "r" has the version "1" twice in a row. Remove one of them.',
    ],
    ['{"versions":', "fleet.json:1:13: "],
    [
      '{"versions":{"1":"missing.json"},"writers":{"w":["1"]},"readers":{"r":["1"]}}',
      'accrete: Version "1" of the fleet: /',
    ],
  ])("names the place of a mistake in %s", async (text, message) => {
    const folder = createTemporaryFolder();
    writeFileSync(path.join(folder, "fleet.json"), text);
    const { exitCode, stderr } = await runAccrete(["rollout", path.join(folder, "fleet.json")]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("the versions of a fleet", () => {
  /** A schema of one event, whose field `how` is an open enumeration. */
  const createUnion = (...values: readonly string[]): JsonObject => ({
    oneOf: [
      {
        type: "object",
        properties: { type: { const: "tea.served" }, how: { type: "string", "x-extensible-enum": values } },
        required: ["type", "how"],
      },
    ],
  });
  const bundle = ({ oneOf }: JsonObject): JsonObject => ({
    $ref: "#/$defs/Event",
    $defs: { Event: { oneOf: [{ $ref: "#/$defs/Served" }] }, Served: (oneOf as JsonObject[])[0] ?? {} },
  });
  const FORMS: { readonly [form: string]: (folder: string, values: readonly string[]) => string } = {
    "a bare schema": (folder, values) => {
      writeFileSync(`${folder}.json`, JSON.stringify(createUnion(...values)));
      return `${path.basename(folder)}.json`;
    },
    "a bundle": (folder, values) => {
      writeFileSync(`${folder}.json`, JSON.stringify(bundle(createUnion(...values))));
      return `${path.basename(folder)}.json#/$defs/Event`;
    },
    "a protocol folder": (folder, values) => {
      const how = { type: "string", "x-extensible-enum": values, description: "How it was served." };
      writeTea(folder, {
        "protocol.json": { envelope: { discriminator: "type", payload: { placement: "inline" } } },
        "events/tea.served.schema.json": { properties: { how }, required: ["how"] },
      });
      return `${path.basename(folder)}/tea/v1`;
    },
  };

  quick.it.each(Object.entries(FORMS))(
    "mean the same as %s: a new value of an open list",
    async (_form, write) => {
      const folder = createTemporaryFolder();
      const versions = {
        old: write(path.join(folder, "old"), ["cold"]),
        new: write(path.join(folder, "new"), ["cold", "hot"]),
      };
      const read = (isStrict: boolean) =>
        Object.keys(versions).map((version) => ({ version, strict: isStrict }));
      const fleet = {
        versions,
        writers: { kitchen: ["old", "new"] },
        readers: { strict: read(true), free: read(false) },
      };
      const file = path.join(folder, "fleet.json");
      writeFileSync(file, JSON.stringify(fleet));
      const { stdout, stderr } = await runAccrete(["rollout", file, "--json"]);
      expect(stderr).toBe("");
      const readings: { writer: string; reader: string; refused: readonly { witness: JsonObject }[] }[] =
        JSON.parse(stdout).readings;
      const refused = readings.filter((each) => each.refused.length > 0);
      expect(refused.map(({ writer, reader }) => [writer, reader])).toEqual([["new", "old strict"]]);
      expect(refused[0]?.refused[0]?.witness.how).toBe("hot");
      const diff = await runAccrete([
        "diff",
        ...[versions.new, versions.old].map((each) => path.join(folder, each)),
      ]);
      expect(diff.stdout).toContain("enum-value-removed");
    },
  );

  quick.it("come again when a deployment is rolled back", async () => {
    const folder = createTemporaryFolder();
    const write = FORMS["a bare schema"];
    const versions = {
      A: write?.(path.join(folder, "A"), ["cold"]),
      B: write?.(path.join(folder, "B"), ["cold", "hot"]),
    };
    const strict = ["A", "B", "A"].map((version) => ({ version, strict: true }));
    const file = path.join(folder, "fleet.json");
    const plan = async (writer: readonly string[]) => {
      writeFileSync(
        file,
        JSON.stringify({ versions, writers: { kitchen: writer }, readers: { web: strict } }),
      );
      return JSON.parse((await runAccrete(["rollout", file, "--json"])).stdout);
    };
    const { safe, steps } = await plan(["A", "B", "A"]);
    expect(safe).toBe(true);
    // The writer goes to B and back while the reader reads B.
    expect(steps.map((step: JsonObject) => [Object.keys(step)[0], step.to])).toEqual([
      ["reader", "B strict"],
      ["writer", "B"],
      ["writer", "A"],
      ["reader", "A strict"],
    ]);
    expect(await plan(["A", "B"])).toMatchObject({ safe: false });
  });

  quick.it(
    "are read from the repository and the folder of the fleet, wherever the command runs",
    async () => {
      const folder = createTemporaryFolder({
        "contracts/a.json": JSON.stringify(createUnion("cold")),
        "contracts/fleet.json": JSON.stringify({
          versions: { now: "a.json", before: "git:HEAD:./a.json", first: "git:HEAD:contracts/a.json" },
          writers: { kitchen: ["first", "before", "now"] },
          readers: { web: ["now"] },
        }),
      });
      for (const argv of [
        ["init", "--quiet"],
        ["add", "."],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "first"],
      ])
        execFileSync("git", argv, { cwd: folder });
      expect(await runAccrete(["rollout", path.join(folder, "contracts/fleet.json")])).toMatchObject({
        exitCode: 0,
        stderr: "",
      });
    },
  );
});

/** Writes two versions of hecate/v1, and a fleet that goes from the first to the second. */
async function writeVersions(
  // biome-ignore lint/suspicious/noExplicitAny: the schema is a JSON document that this test knows
  change: (schema: any) => void,
): Promise<string> {
  const folder = createTemporaryFolder();
  const [old, current] = [await createProject(), await createProject()];
  editFile(current, "hecate/v1/events/turn.completed.schema.json", change);
  const fleet = {
    versions: { old: path.join(old, "hecate/v1"), new: path.join(current, "hecate/v1") },
    writers: { runtime: ["old", "new"] },
    readers: { web: ["old", "new"] },
    archives: { log: { holds: ["old"], readers: ["web"] } },
  };
  writeFileSync(path.join(folder, "fleet.json"), JSON.stringify(fleet));
  writeFileSync(path.join(folder, "folders.json"), JSON.stringify({ old, current }));
  return folder;
}

describe("the stream of a refused event", () => {
  quick.it.each([
    ["evva/v0", "run_end"],
    ["frames/v1", "session_started"],
    ["frames/v2", "tool_ended"],
    ["frames/v2", "tool_task_output_delta"],
    ["hecate/v1", "run.failed"],
    ["hecate/v1", "tool.completed"],
    ["hecate/v1", "approval.resolved"],
    ["hecate/v1", "gap.events_pruned"],
  ])("of %s with %s is one that writers send", async (id, type) => {
    const [protocol] = await loadValidProtocols("schemas", [id], { examples: false });
    if (protocol === undefined) throw new Error(`${id} has errors`);
    const { discriminator } = protocol.envelope;
    const fixtures = path.join("fixtures", id, "valid", type);
    const event = JSON.parse(readFileSync(path.join(fixtures, readdirSync(fixtures)[0] ?? ""), "utf8"));
    const stream = completeStream(protocol, event, (each) => each[discriminator] === type);
    const file = path.join(createTemporaryFolder(), "stream.jsonl");
    writeFileSync(file, (stream ?? []).map((each) => `${JSON.stringify(each)}\n`).join(""));
    const argv = ["validate", "--profile", "writer", "--protocol", id, file];
    expect(await runAccrete(argv)).toMatchObject({ exitCode: 0 });
    expect(stream?.map((each) => each[discriminator])).toContain(type);
  });

  quick.it("keeps the value that the reader refuses, even if it orders or identifies events", async () => {
    const [protocol] = await loadValidProtocols("schemas", ["hecate/v1"], { examples: false });
    const event = JSON.parse(readFileSync("fixtures/hecate/v1/valid/turn.completed/rfc.json", "utf8"));
    const isRefused = (each: JsonObject): boolean => each.event_id === event.event_id;
    const isRefusedAmongOthers = (each: JsonObject, types: ReadonlySet<string>): boolean =>
      isRefused(each) && types.size > 1;
    const stream = completeStream(protocol as Protocol, event, isRefusedAmongOthers);
    expect(stream?.filter(isRefused)).toMatchObject([{ type: "turn.completed" }]);
  });
});
