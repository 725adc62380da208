/** Finds values of fields that the stream rules tell apart and that the schemas of both sides accept. */
import type { Comparable, FieldUse, Samples } from "../../conform/comparable.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import type { EventMaker, KitEvent } from "../../sample/event-maker.js";
import { firstDemands } from "../../sample/merged-schema.js";
import { findIn } from "../../schema/reference.js";
import type { StreamSides } from "./stream-sides.js";

/** A value, or a number near the number of its event. */
export interface FieldValue {
  readonly json?: Json;
  readonly near?: number;
}

/** A field of an event sample with its value, which is undefined if the field is absent. */
export interface Chosen {
  readonly field: string;
  readonly isEnvelope: boolean;
  readonly value: FieldValue | undefined;
}

/** Finds values of fields, and makes events that have them. */
export interface FieldSamples {
  /** The plainest event of a type. */
  plainEvent(type: string): JsonObject | undefined;
  /** An event with these fields. */
  eventWith(type: string, chosen: readonly Chosen[]): JsonObject | undefined;
  /** The values that a field of a type can have, undefined among them if it may be absent; and those that it cannot have. */
  valuesOf(
    type: string,
    uses: readonly FieldUse[],
  ): { readonly values: readonly (FieldValue | undefined)[]; readonly refused: readonly Json[] };
}

/** The sequence number of events while samples are made. Numbers near it must not be negative. */
const SOME_NUMBER = 5;
const UUID = "8c2f0c5e-5d3b-4b3e-9d53-3b8f9f0a1b01";
const OTHER_UUID = "8c2f0c5e-5d3b-4b3e-9d53-3b8f9f0a1b02";

/** Samples for the watches of both sides. */
export function createFieldSamples(
  sides: StreamSides,
  maker: EventMaker,
  watches: readonly Comparable[],
  asked: readonly Comparable[],
): FieldSamples {
  const { small } = sides;
  const { stream, definitions } = small;
  const events = new Map(small.events.map((event) => [event.type, event]));
  const find = findIn(definitions);
  const numbered: JsonObject = stream?.sequence === undefined ? {} : { [stream.sequence]: SOME_NUMBER };
  const base = baseOf(sides, maker);
  const plain = new Map<string, KitEvent | undefined>();
  const made = new Map<string, boolean>();

  const cache = eventsMade(sides);
  const makeEvent = (type: string, envelope: JsonObject, wanted: JsonObject): KitEvent | undefined => {
    const fixed = { ...base, ...numbered, ...envelope };
    const key = JSON.stringify([type, fixed, wanted]);
    if (!cache.has(key)) cache.set(key, maker.make({ type, envelope: fixed, wanted, seed: 0 }));
    return cache.get(key);
  };
  const plainEvent = (type: string): KitEvent | undefined => {
    if (!plain.has(type)) plain.set(type, makeEvent(type, {}, {}));
    return plain.get(type);
  };
  const takes = (type: string, field: string, isEnvelope: boolean, value: Json): boolean => {
    const key = JSON.stringify([type, field, isEnvelope, value]);
    const fields = { [field]: value };
    const known =
      made.get(key) ?? makeEvent(type, isEnvelope ? fields : {}, isEnvelope ? {} : fields) !== undefined;
    made.set(key, known);
    return known;
  };
  /** The value in the form that the field takes: itself, or a list of it. */
  const formOf = (type: string, field: string, isEnvelope: boolean, value: Json): Json | undefined =>
    takes(type, field, isEnvelope, value)
      ? value
      : takes(type, field, isEnvelope, [value])
        ? [value]
        : undefined;
  const payloadOf = (type: string, event: KitEvent | undefined): JsonObject => {
    const carrier = maker.carrier(type);
    const payload = event && carrier !== undefined ? event[carrier] : event;
    return isObject(payload) ? payload : {};
  };
  const listedBySchema = (type: string, field: string, isEnvelope: boolean): readonly Json[] => {
    const holder = isEnvelope ? small.envelope.schema : events.get(type)?.payload;
    const schemas = holder && firstDemands([holder], find).properties.get(field);
    return (schemas && firstDemands(schemas, find).values) ?? [];
  };
  const ids = idValues(watches, differingIds(asked), {
    formOf,
    payloadOf,
    makeEvent,
    seeds: maker,
    base: { ...base, ...numbered },
  });

  const candidates = (type: string, { field, samples, type: of }: FieldUse): readonly Json[] => {
    const isEnvelope = of === undefined;
    switch (samples.kind) {
      case "id":
        return ids(type, field);
      case "stream":
        return [base[stream?.key.at(-1) ?? ""] ?? "", ...ids(type, field).slice(0, 1)];
      case "emitter": {
        const own = base[field];
        const names = ["a", "b", "c"].map((name) =>
          typeof own === "string" && own !== "" ? `${own}-${name}` : name,
        );
        return samples.empty ? ["", ...emitterNames(base, watches)] : names;
      }
      case "copy":
        return [base[samples.of] ?? "a", "another"];
      case "figure":
        return [0, 1, 2];
      case "number":
        return [];
      case "two":
        return [...listedBySchema(type, field, isEnvelope).slice(0, 2), "a", "b", 0, 1, true, false];
      case "listed": {
        const more = samples.others ? othersOf(samples, listedBySchema(type, field, isEnvelope)) : [];
        return [...samples.listed, ...more];
      }
    }
  };
  const readOne = (type: string, use: FieldUse): { values: FieldValue[]; refused: Json[] } => {
    const isEnvelope = use.type === undefined;
    const { kind } = use.samples;
    if (kind === "number") return { values: [-1, 0, 1].map((near) => ({ near })), refused: [] };
    const [values, refused]: [FieldValue[], Json[]] = [[], []];
    for (const value of candidates(type, use)) {
      if (kind === "two" && values.length === 2) break;
      const form =
        kind === "figure"
          ? figureForm(value as number, payloadOf(type, plainEvent(type))[use.field], (each) =>
              takes(type, use.field, isEnvelope, each),
            )
          : formOf(type, use.field, isEnvelope, value);
      if (form !== undefined) values.push({ json: form });
      else if (kind === "listed") refused.push(value);
    }
    return { values, refused };
  };
  return {
    plainEvent,
    eventWith(type, chosen) {
      const [envelope, wanted]: { [name: string]: Json }[] = [{}, {}];
      for (const { field, isEnvelope, value } of chosen) {
        const json = value?.near === undefined ? value?.json : SOME_NUMBER + value.near;
        if (json !== undefined) ((isEnvelope ? envelope : wanted) as { [name: string]: Json })[field] = json;
      }
      return makeEvent(type, envelope ?? {}, wanted ?? {});
    },
    valuesOf(type, uses) {
      const [first] = uses;
      const event = plainEvent(type);
      if (!first || !event) return { values: [undefined], refused: [] };
      const holder = first.type === undefined ? event : payloadOf(type, event);
      const absent: undefined[] = Object.hasOwn(holder, first.field) ? [] : [undefined];
      const read = uses.map((use) => readOne(type, use));
      const values = new Map(
        read.flatMap((each) => each.values).map((value) => [JSON.stringify(value), value]),
      );
      return { values: [...absent, ...values.values()], refused: read.flatMap(({ refused }) => refused) };
    },
  };
}

type Made = Map<string, KitEvent | undefined>;

const MADE = new WeakMap<object, WeakMap<object, Map<string, Made>>>();

/** The events that were made for two contracts before: which ones both accept does not depend on rules of streams. */
function eventsMade({ small, large, profile }: StreamSides): Made {
  const bySmall = MADE.get(large.events) ?? new WeakMap<object, Map<string, Made>>();
  MADE.set(large.events, bySmall);
  const byFrame = bySmall.get(small.events) ?? new Map<string, Made>();
  bySmall.set(small.events, byFrame);
  const { sequence = null, id = null, time = null } = small.stream ?? {};
  const key = JSON.stringify([profile, sequence, id, time]);
  const made = byFrame.get(key) ?? new Map<string, KitEvent | undefined>();
  byFrame.set(key, made);
  return made;
}

/** Returns the envelope fields that all event samples share. The first emitter has no parent. */
function baseOf({ small, large }: StreamSides, maker: EventMaker): JsonObject {
  const base = maker.base(0, {});
  const parents = [small, large].flatMap(({ stream }) => stream?.rules?.hierarchy?.parent ?? []);
  return { ...base, ...Object.fromEntries(parents.map((field) => [field, ""])) };
}

/** Returns the names of the emitters in event samples. */
function emitterNames(base: JsonObject, watches: readonly Comparable[]): string[] {
  const use = watches
    .flatMap(({ reads }) => reads)
    .find(({ samples }) => samples.kind === "emitter" && !samples.empty);
  const own = base[use?.field ?? ""];
  return ["a", "b", "c"].map((name) => (typeof own === "string" && own !== "" ? `${own}-${name}` : name));
}

/** Values besides the listed ones: of those that the schema names, or any. */
function othersOf({ listed }: Extract<Samples, { kind: "listed" }>, ofSchema: readonly Json[]): Json[] {
  const texts = listed.map((value) => JSON.stringify(value));
  const more = ofSchema.filter((value) => !texts.includes(JSON.stringify(value)));
  return ofSchema.length > 0 ? more.slice(0, 2) : ["another"];
}

/** A figure as a number, or as an object whose numbers all are it. */
function figureForm(
  value: number,
  shape: Json | undefined,
  takes: (value: Json) => boolean,
): Json | undefined {
  if (takes(value)) return value;
  if (!isObject(shape)) return undefined;
  const object = Object.fromEntries(
    Object.entries(shape).map(([name, each]) => [name, typeof each === "number" ? value : each]),
  );
  return takes(object) ? object : undefined;
}

interface IdTools {
  formOf(type: string, field: string, isEnvelope: boolean, value: Json): Json | undefined;
  payloadOf(type: string, event: KitEvent | undefined): JsonObject;
  makeEvent(type: string, envelope: JsonObject, wanted: JsonObject): KitEvent | undefined;
  readonly seeds: EventMaker;
  readonly base: JsonObject;
}

/** The fields that only some versions of a rule read as ids: two ids of one version are one thing for another. */
function differingIds(versions: readonly Comparable[]): ReadonlySet<string> {
  const read = versions.map(
    ({ reads }) => new Set(reads.filter(({ samples }) => samples.kind === "id").map(keyOf)),
  );
  return new Set(read.flatMap((keys) => [...keys].filter((key) => !read.every((other) => other.has(key)))));
}

function keyOf({ type, field }: FieldUse): string {
  return `${type ?? ""}\n${field}`;
}

/** Values of ids. Fields that one watch reads as ids get the same ones; two values where `double` has the field. */
function idValues(
  watches: readonly Comparable[],
  double: ReadonlySet<string>,
  tools: IdTools,
): (type: string, field: string) => readonly Json[] {
  const groups = groupIds(watches);
  const values = new Map<string, readonly Json[]>();
  return (type, field) => {
    const key = `${type}\n${field}`;
    const group = groups.get(key);
    if (!group) return ["a"];
    const [first] = group;
    const known = values.get(first ?? key) ?? chooseIds(group, tools);
    values.set(first ?? key, known);
    return known.slice(0, double.has(key) ? 2 : 1);
  };
}

/** The fields that share their ids, by each of them. */
function groupIds(watches: readonly Comparable[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>();
  for (const { reads } of watches) {
    const fields = reads.filter(({ samples }) => samples.kind === "id" || samples.kind === "stream");
    const keys = [...new Set(fields.map(keyOf))];
    const joined = [...new Set(keys.flatMap((key) => groups.get(key) ?? [key]))];
    for (const member of joined) groups.set(member, joined);
  }
  return groups;
}

/** Two ids that most fields of a group take. */
function chooseIds(members: readonly string[], { formOf, payloadOf, seeds, base }: IdTools): readonly Json[] {
  const places = members.map((member) => member.split("\n") as [string, string]);
  const made = places.slice(0, 8).flatMap(([type, field]) =>
    [1, 2, 3, 4].flatMap((seed) => {
      const event = seeds.make({ type, envelope: base, wanted: {}, seed });
      const value = payloadOf(type, event)[field];
      return value === undefined ? [] : [Array.isArray(value) ? (value[0] ?? "a") : value];
    }),
  );
  const candidates: Json[] = ["a", "b", 1, 2, UUID, OTHER_UUID, ...made];
  const scored = candidates
    .filter((value, index) => candidates.indexOf(value) === index)
    .map((value) => ({
      value,
      score: places.filter(([type, field]) => formOf(type, field, false, value) !== undefined).length,
    }));
  const best = Math.max(...scored.map(({ score }) => score));
  return scored
    .filter(({ score }) => score === best)
    .map(({ value }) => value)
    .slice(0, 2);
}
