/** Creates contracts with random declarations of every stream rule, and random streams of their events. */
import type { Json, JsonObject } from "../../../generator/json.js";
import type { EventType, Placement, Protocol } from "../../../generator/protocol/protocol.js";
import type { FieldValues, StreamRules } from "../../../generator/protocol/stream-rules.js";
import { createRandom, type Random } from "../../../generator/random.js";

const TYPES = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"];
const FIELDS = ["a", "b", "c", "d", "e", "f"];
const ENVELOPE_FIELDS = ["stream", "kind", "parent", "id"];
const STATES = ["x", "y", "z"];

/** Values of payload fields. Equal and similar ones are frequent, so that rules find something to compare. */
const VALUES: readonly Json[] = [
  ...["x", "y", "z", "x", "y", "xy", "", "s0", "a", "b", "a/b", "x~y", "1", "é😀", "�", 'x\u0001"\\'],
  ...["/tmp/x", "C:\\x", "$.a[0].b", "/e/0", "e[1]", "c.x", `${"😀".repeat(39)}${"x".repeat(20)}`],
  ...[0, 1, 1, 2, 3, 5, 10, 50, 100, 2.5, -1, 1e21, 1.5e-7, 123456789012345680000, 0.1, 0.000001],
  ...[true, false, null, [], ["x", "y"], ["y", "x"], ["x", 1, null, { a: 1 }], [["/x"], "C:/y"]],
  ...[{}, { x: 1, y: 2 }, { y: 1, x: 2 }, { "10": 1, "9": 2, x: 3 }, { x: { a: [1] }, e: 0 }],
];

const at = { file: "random", pointer: "" };

/** Creates a contract whose payloads accept any values. */
export function createRandomContract(seed: number): Protocol {
  const random = createRandom(seed);
  const placement: Placement = (["nested", "inline", "keyed"] as const)[seed % 3] as Placement;
  const stream = {
    key: random.chance(0.7) ? ["stream"] : ["stream", "kind"],
    ...(random.chance(0.7) && { sequence: "seq" }),
    ...(random.chance(0.7) && { first: random.below(2) }),
    ...(random.chance(0.7) && { id: "id" }),
    ...(random.chance(0.3) && { idScope: "protocol" as const }),
    rules: createRules(random),
  };
  const text = { type: "string" };
  const envelopeFields = Object.fromEntries(ENVELOPE_FIELDS.map((name) => [name, text]));
  return {
    id: `random-${seed}/v1`,
    name: `random-${seed}`,
    major: 1,
    version: "1.0",
    title: "Random",
    description: "Random.",
    stability: "stable",
    envelope: {
      discriminator: "type",
      placement,
      ...(placement === "nested" && { property: "data" }),
      schema: {
        type: "object",
        properties: { type: text, ...envelopeFields, seq: { type: "integer" } },
        required: ["type"],
      },
      payloadFields: [],
      at,
    },
    stream,
    events: TYPES.map((type): EventType => createEventType(type, placement)),
    resources: [],
    definitions: {},
    tombstones: [],
    at,
  } as unknown as Protocol;
}

function createEventType(type: string, placement: Placement): EventType {
  return {
    type,
    group: "all",
    summary: type,
    description: type,
    stability: "stable",
    since: "1.0",
    ...(placement === "keyed" && { payloadProperty: `of_${type}` }),
    payload: { type: "object", properties: Object.fromEntries(FIELDS.map((name) => [name, {}])) },
    examples: [],
    at,
  };
}

/** Creates a stream of random events. `seq` may have gaps, repetitions and late numbers. */
export function createRandomStream({ envelope, stream }: Protocol, random: Random): JsonObject[] {
  const numbers = new Map<string, number>();
  const values = Array.from({ length: random.between(4, 12) }, () => random.pick(VALUES));
  const events: JsonObject[] = [];
  for (let index = random.between(1, 40); index > 0; index--) {
    const last = events.at(-1);
    if (last !== undefined && random.chance(0.03)) {
      events.push(random.chance(0.5) ? last : { ...last, later: 1 });
      continue;
    }
    const type = random.chance(0.05) ? "other" : random.pick(TYPES);
    const key = `s${random.chance(0.8) ? 0 : random.below(4)}`;
    const number =
      (numbers.get(key) ?? stream?.first ?? 0) + (random.chance(0.1) ? random.between(-2, 4) : 0);
    numbers.set(key, number + 1);
    const fields = FIELDS.filter(() => random.chance(0.7)).map((name) => [name, random.pick(values)]);
    const payload: JsonObject = Object.fromEntries(fields);
    const own = {
      type,
      stream: key,
      ...(random.chance(0.9) && { seq: number }),
      ...(random.chance(0.9) && { id: `${key}${number}` }),
      ...(random.chance(0.5) && { kind: random.pick(STATES) }),
      ...(random.chance(0.3) && { parent: random.pick(["", "s0", "x"]) }),
    };
    const carrier = envelope.placement === "nested" ? "data" : `of_${type}`;
    events.push(envelope.placement === "inline" ? { ...payload, ...own } : { ...own, [carrier]: payload });
  }
  return events;
}

/** Creates declarations of every member of `stream.rules`. */
function createRules(random: Random): StreamRules {
  const type = (): string => random.pick(TYPES);
  const types = (): string[] => [type(), ...TYPES.filter(() => random.chance(0.2))];
  const field = (): string => random.pick(FIELDS);
  const fields = (): string[] => [...new Set([field(), field(), field()])];
  const envelopeField = (): string => random.pick(ENVELOPE_FIELDS);
  const values = (): FieldValues => ({ [field()]: random.pick([...STATES, 1, true]) });
  const scope = (): { profile?: "writer" } => (random.chance(0.3) ? { profile: "writer" } : {});
  const maybe = <T>(make: () => T, chance = 0.5): T | undefined =>
    random.chance(chance) ? make() : undefined;
  const list = <T extends object>(make: () => T): T[] =>
    Array.from({ length: random.between(1, 3) }, () => dropUndefined({ ...scope(), ...make() }));
  const rules = {
    gaps: [{ type: type() }, { type: type(), first: "a", last: "b" }],
    terminal: dropUndefined({
      opens: types(),
      types: [type()],
      final: maybe(() => true),
      once: maybe(() => true),
    }),
    openings: list(() => ({ type: type(), after: maybe(types) })),
    lifecycles: list(() => ({
      key: field(),
      start: types(),
      end: types(),
      after: maybe(types),
      needsStart: maybe(() => true),
      endsInStream: maybe(() => true),
    })),
    pairs: list(() => ({ open: type(), close: type(), same: maybe(fields) })),
    transitions: list(() => ({
      name: "thing",
      moves: { x: ["y"], y: ["z", "x"], z: [] },
      events: [
        dropUndefined({ type: type(), key: field(), to: field(), from: maybe(field), when: maybe(values) }),
        { type: type(), key: field(), state: random.pick(STATES) },
      ],
    })),
    machines: list(() => {
      const key = maybe(field, 0.7);
      const state = (): string => random.pick(STATES);
      return {
        name: "machine",
        key,
        initial: state(),
        changes: Array.from({ length: random.between(1, 4) }, () =>
          dropUndefined({
            types: types(),
            when: maybe(values),
            from: maybe(() => [state()]),
            to: maybe(state, 0.8),
          }),
        ),
        forbids: Array.from({ length: random.between(0, 3) }, () =>
          dropUndefined({
            in: [state(), state()],
            types: types(),
            when: maybe(values, 0.3),
            same: random.chance(0.3) ? key : maybe(field),
          }),
        ),
      };
    }),
    texts: list(() => ({
      delta: type(),
      part: field(),
      whole: type(),
      text: field(),
      key: fields(),
      restart: maybe(types),
    })),
    offsets: list(() => ({
      type: type(),
      key: [field(), field()] as const,
      offset: field(),
      data: field(),
      start: maybe(types),
      end: maybe(type),
      totals: maybe(() => ({ x: field(), y: field() })),
      unless: maybe(field),
    })),
    exclusives: list(() => ({ types: types(), reset: types() })),
    rising: list(() => ({ type: type(), fields: fields() })),
    ordered: list(() => ({ type: type(), fields: fields() })),
    sums: list(() => ({
      type: type(),
      sum: field(),
      of: fields(),
      plus: maybe(() => dropUndefined({ type: type(), field: field(), until: maybe(types) })),
    })),
    counts: list(() => ({ type: type(), field: field(), of: types(), key: field(), start: types() })),
    only: list(() => {
      const isPayload = random.chance(0.5);
      return {
        types: types(),
        field: isPayload ? field() : envelopeField(),
        of: isPayload ? { type: type(), key: field() } : undefined,
        ...(random.chance(0.5) ? { is: ["x", "s0"] } : { not: ["y"] }),
      };
    }),
    aliases: list(() => ({
      field: envelopeField(),
      of: envelopeField(),
      where: maybe(() => ({ kind: random.pick(STATES) })),
    })),
    relativePaths: list(() => ({ type: type(), field: field() })),
    hierarchy: { id: "stream", parent: "parent" },
    preparations: list(() => ({
      type: type(),
      name: field(),
      when: maybe(values),
      failed: maybe(types),
      work: { start: type(), end: types(), key: field(), name: field() },
    })),
    dedicatedStreams: list(() => ({
      types: types(),
      key: field(),
      stream: "stream",
      where: maybe(() => ({ kind: random.pick(STATES) })),
      excluded: maybe(types),
      always: maybe(() => true, 0.2),
    })),
    agree: list(() => ({ types: types(), fields: fields() })),
    differ: list(() => ({
      type: type(),
      field: field(),
      ...(random.chance(0.5) ? { from: field() } : { fromEnvelope: envelopeField() }),
    })),
    constant: list(() => ({
      ...(random.chance(0.3)
        ? { fields: ["kind", "parent"], inEnvelope: true }
        : { key: maybe(field), fields: fields(), oneValue: maybe(() => true), restart: maybe(types) }),
      types: maybe(types),
    })),
    templates: list(() => ({ field: field(), template: `${field()}__{${field()}}_{${field()}}` })),
    chains: list(() => ({
      type: type(),
      previous: field(),
      current: field(),
      copies: maybe(() => [{ type: type(), field: field() }]),
    })),
    thresholds: list(() => ({
      type: type(),
      value: field(),
      of: field(),
      percent: field(),
      once: maybe(() => true),
    })),
    redactions: { keys: "d", paths: "e" },
    stages: list(() => ({ key: field(), stages: [types(), types(), types()], repeat: maybe(types) })),
    blocks: list(() => ({
      after: types(),
      when: maybe(values),
      without: maybe(fields, 0.2),
      beforeEnd: maybe(() => true),
      key: maybe(field, 0.7),
      forbids: types(),
      forbidsWhen: maybe(values, 0.3),
      until: maybe(
        () => dropUndefined({ types: types(), key: maybe(field), when: maybe(values), expiry: maybe(types) }),
        0.7,
      ),
    })),
  } satisfies { readonly [member in keyof StreamRules]?: unknown };
  return rules as unknown as StreamRules;
}

/** Returns an object without the members that are undefined, as JSON has it. */
function dropUndefined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return JSON.parse(JSON.stringify(object));
}
