/** Small contracts with random declarations of every member of `stream.rules`, and random streams, for tests of the views. */
import type { JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { StreamRules } from "../../../generator/protocol/stream-rules.js";
import { type CorpusRandom, createCorpusRandom } from "../../../scripts/corpus/random.js";
import { PROTOCOLS } from "../fixtures.js";

const TYPES = ["a", "b", "c", "d", "e"];
const FIELDS = ["f", "g", "h", "i"];
const NUMBERS = ["m", "n"];

/** Returns a protocol with random rules. Half of the protocols number their events. */
export function createRandomContract(seed: number): {
  readonly protocol: Protocol;
  readonly lines: readonly string[];
} {
  const random = createCorpusRandom(seed);
  const properties = Object.fromEntries([...FIELDS, ...NUMBERS].map((field) => [field, {}]));
  const schema: JsonObject = {
    type: "object",
    properties: {
      type: { type: "string" },
      run: { type: "string" },
      seq: { type: "integer" },
      up: {},
      data: {},
    },
    required: ["type", "run", "data"],
  };
  const [base] = PROTOCOLS;
  if (base?.events[0] === undefined) throw new Error("no protocol");
  const [event] = base.events;
  const isNumbered = random.chance(0.5);
  const protocol = {
    ...base,
    ...{ id: "random/v1", name: "random", major: 1, definitions: {} },
    envelope: {
      ...base.envelope,
      discriminator: "type",
      placement: "nested",
      property: "data",
      schema,
      payloadFields: [],
    },
    events: TYPES.map((type) => ({ ...event, type, payload: { type: "object", properties } })),
    stream: { key: ["run"], ...(isNumbered && { sequence: "seq", first: 0 }), rules: createRules(random) },
  } as unknown as Protocol;
  return { protocol, lines: ["r", "s", "t"].flatMap((run) => createStream(random, run)) };
}

function createRules(random: CorpusRandom): StreamRules {
  const type = (): string => random.pick(TYPES);
  const types = (): string[] => TYPES.filter(() => random.chance(0.35));
  const field = (): string => random.pick(FIELDS);
  const number = (): string => random.pick(NUMBERS);
  const maybe = <T>(value: T): T | undefined => (random.chance(0.5) ? value : undefined);
  const values = (): JsonObject => ({ [field()]: random.pick(["x", "y", 1, true]) });
  const states = ["x", "y", "z"];
  const until = { types: types(), when: maybe(values()), key: maybe(field()) };
  const rules = {
    gaps: [{ type: type(), ...maybe({ first: "m", last: "n" }) }],
    terminal: { opens: types(), types: types(), final: maybe(true), once: maybe(true) },
    openings: [{ type: type(), after: maybe(types()) }],
    lifecycles: [
      {
        key: field(),
        start: ["a"],
        end: ["b"],
        after: maybe(["c"]),
        needsStart: maybe(true),
        endsInStream: maybe(true),
      },
    ],
    pairs: [{ open: "a", close: random.pick(["b", "c"]), same: maybe([field()]) }],
    transitions: [
      {
        ...{ name: "state", moves: { x: ["y"], y: ["z"], z: [] } },
        events: [
          { type: "a", key: field(), to: field(), from: maybe(field()) },
          { type: "b", key: field(), state: random.pick(states), when: maybe(values()) },
        ],
      },
    ],
    machines: [
      {
        ...{ name: "thing", key: maybe(field()), initial: "x" },
        changes: [
          { types: ["a"], when: maybe(values()), from: maybe(["x", "z"]), to: "y" },
          { types: ["b"], when: maybe(values()), from: ["y"], to: "z" },
          { types: ["b"], from: maybe(["y", "z"]), to: "x" },
        ],
        forbids: [
          { in: [random.pick(states)], types: types(), when: maybe(values()), same: maybe(field()) },
          { in: ["y", "z"], types: types() },
        ],
      },
    ],
    texts: [{ delta: "a", part: field(), whole: "b", text: field(), key: [field()], restart: maybe(["c"]) }],
    offsets: [
      {
        ...{
          type: "a",
          key: [field(), field()],
          offset: number(),
          data: field(),
          start: maybe(["c"]),
          end: maybe("b"),
        },
        ...{ totals: maybe({ x: number() }), unless: maybe(field()) },
      },
    ],
    exclusives: [{ types: ["a", "b"], reset: types().filter((each) => each > "b") }],
    rising: [{ type: type(), fields: [random.pick([...FIELDS, ...NUMBERS])] }],
    ordered: [{ type: type(), fields: ["m", field(), "n"] }],
    sums: [
      { type: "a", sum: "m", of: ["n"], plus: maybe({ type: type(), field: number(), until: maybe(["d"]) }) },
    ],
    counts: [{ type: "a", field: number(), of: ["b"], key: field(), start: ["c"] }],
    only: [
      {
        types: types(),
        field: field(),
        of: maybe({ type: type(), key: field() }),
        is: maybe(["x"]),
        not: maybe(["y"]),
      },
    ],
    aliases: [{ field: "up", of: "run", where: maybe({ type: "a" }) }],
    relativePaths: [{ type: type(), field: field() }],
    preparations: [
      {
        ...{ type: "a", name: field(), when: maybe(values()), failed: maybe(["e"]) },
        work: { start: "b", end: ["c"], key: field(), name: field() },
      },
    ],
    dedicatedStreams: [
      {
        types: types(),
        key: field(),
        stream: "run",
        where: maybe({ up: "x" }),
        excluded: maybe(types()),
        always: maybe(true),
      },
    ],
    agree: [{ types: types(), fields: [field(), field()] }],
    differ: [{ type: type(), field: field(), from: maybe(field()), fromEnvelope: maybe("up") }],
    constant: [
      {
        ...{ key: maybe(field()), fields: [...new Set([field(), field()])], oneValue: maybe(true) },
        ...{ restart: maybe(["d"]), types: maybe(types()) },
      },
    ],
    templates: [{ field: field(), template: `{${field()}}` }],
    chains: [
      {
        type: type(),
        previous: field(),
        current: field(),
        copies: maybe([{ type: type(), field: field() }]),
      },
    ],
    thresholds: [{ type: type(), value: number(), of: field(), percent: number(), once: maybe(true) }],
    redactions: { keys: field(), paths: field() },
    stages: [{ key: field(), stages: [["a"], ["b"], ["c"]], repeat: maybe(["b"]) }],
    blocks: [
      {
        ...{
          after: types(),
          when: maybe(values()),
          key: maybe(field()),
          forbids: types(),
          until: maybe(until),
        },
        ...{ forbidsWhen: maybe(values()), without: maybe([field()]), beforeEnd: maybe(true) },
      },
    ],
  };
  // JSON has no absent values.
  return JSON.parse(JSON.stringify(rules));
}

const VALUES = [
  "x",
  "y",
  "z",
  "/x",
  "1",
  "xy",
  1,
  2,
  1.5,
  100,
  null,
  true,
  ["x"],
  ["x", "y"],
  ["y", "x"],
  ["f", "k"],
  { k: 1 },
  { k: 2, l: "x" },
];

function createStream(random: CorpusRandom, run: string): string[] {
  let seq = random.chance(0.7) ? 0 : 2;
  return Array.from({ length: 40 }, () => {
    const fields = FIELDS.flatMap((field) =>
      random.chance(0.7) ? [[field, random.pick(random.chance(0.6) ? VALUES.slice(0, 3) : VALUES)]] : [],
    );
    const numbers = NUMBERS.map((field) => [field, random.between(0, 6)]);
    const data = Object.fromEntries([...fields, ...numbers]);
    const up = random.pick([undefined, "x", run]);
    seq += random.chance(0.1) ? 2 : 1;
    return JSON.stringify({ type: random.pick([...TYPES, ...TYPES, "new"]), run, seq: seq - 1, up, data });
  });
}
