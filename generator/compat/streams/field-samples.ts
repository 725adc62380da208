/** Finds values of fields that the stream rules distinguish and that the schemas of both sides accept. */
import type { Comparable, FieldUse, Samples } from "../../conform/comparable.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { EventMaker, SampleEvent } from "../../sample/event-maker.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { mergeWithFixedChoices } from "../../sample/merged-schema.js";
import { collectRequired } from "../../schema/merge.js";
import { describeFamily } from "../../schema/object-family.js";
import type { StreamSides } from "./stream-sides.js";

/** A value, or a number near the number of its event. */
export interface FieldValue {
  readonly json?: Json;
  readonly near?: number;
}

/** A field of an event sample with its value, which is undefined if the field is absent. */
export interface ChosenValue {
  readonly field: string;
  readonly isEnvelope: boolean;
  readonly value: FieldValue | undefined;
}

/** The values of a field. */
interface PossibleValues {
  /** Values that the field can have; undefined stands for its absence. */
  readonly values: readonly (FieldValue | undefined)[];
  /** Values for which no event was found. */
  readonly refused: readonly (Json | undefined)[];
}

/** Finds values of fields, and makes events that have them. */
export interface FieldSamples {
  /** The plainest event of a type. */
  plainEvent(type: string): JsonObject | undefined;
  /** An event with these fields, without those of them that have no value, that `isAccepted` accepts. */
  eventWith(
    type: string,
    chosen: readonly ChosenValue[],
    isAccepted: (event: JsonObject) => boolean,
  ): JsonObject | undefined;
  /** Returns the values that a field of a type can have. */
  valuesOf(type: string, uses: readonly FieldUse[]): PossibleValues;
}

/** The sequence number of events while samples are made. It is so large that numbers near it are not negative. */
const SAMPLE_SEQUENCE = 5;
const UUID = "8c2f0c5e-5d3b-4b3e-9d53-3b8f9f0a1b01";
const OTHER_UUID = "8c2f0c5e-5d3b-4b3e-9d53-3b8f9f0a1b02";

/** Creates samples for the checkers of both sides. The search is about `asked`, the versions of one rule. */
export function createFieldSamples(
  sides: StreamSides,
  maker: EventMaker,
  checkers: readonly Comparable[],
  asked: readonly Comparable[],
): FieldSamples {
  const factory = createEventFactory(sides, maker);
  const getIds = createIdValues(checkers, findDifferingIds(asked), factory);
  return {
    plainEvent: factory.plainEvent,
    eventWith(type, chosen, isAccepted) {
      const fields: { readonly [part in "envelope" | "payload"]: { [name: string]: Json } } = {
        envelope: {},
        payload: {},
      };
      for (const { field, isEnvelope, value } of chosen) {
        const json = value?.near === undefined ? value?.json : SAMPLE_SEQUENCE + value.near;
        if (json !== undefined) fields[isEnvelope ? "envelope" : "payload"][field] = json;
      }
      const absent = chosen.filter(({ value, isEnvelope }) => value === undefined && !isEnvelope);
      const isWanted = (event: JsonObject): boolean => {
        const payload = factory.payloadOf(type, event);
        return absent.every(({ field }) => !Object.hasOwn(payload, field)) && isAccepted(event);
      };
      const event = factory.makeEvent(type, fields.envelope, fields.payload);
      if (event === undefined || isWanted(event)) return event;
      const envelope = { ...factory.envelope, ...fields.envelope };
      return maker.make({ type, envelope, wantedFields: fields.payload, seed: 0, isWanted });
    },
    valuesOf(type, uses) {
      const [first] = uses;
      const event = factory.plainEvent(type);
      if (!first || !event) return { values: [undefined], refused: [] };
      const absence = findAbsence(factory, type, first);
      const found = uses.map((use) =>
        findAcceptedValues(factory, type, use, () =>
          listCandidates(factory, type, use, { checkers, getIds }),
        ),
      );
      const values = new Map(
        found.flatMap((each) => each.values).map((value) => [JSON.stringify(value), value]),
      );
      return {
        values: [...absence.values, ...values.values()],
        refused: [...absence.refused, ...found.flatMap(({ refused }) => refused)],
      };
    },
  };
}

/** Finds out whether events of a type can lack a field. The envelope fields of the plain event are always there. */
function findAbsence(factory: EventFactory, type: string, { field, type: of }: FieldUse): PossibleValues {
  const event = factory.plainEvent(type);
  const holder = of === undefined ? event : factory.payloadOf(type, event);
  if (holder !== undefined && !Object.hasOwn(holder, field)) return { values: [undefined], refused: [] };
  if (of === undefined || isAlwaysRequired(factory.small, type, field)) return { values: [], refused: [] };
  const isFound = factory.makeWithout(type, field) !== undefined;
  return isFound ? { values: [undefined], refused: [] } : { values: [], refused: [undefined] };
}

/** Returns whether the schema of a payload requires a field without a condition. */
function isAlwaysRequired({ events, definitions }: Protocol, type: string, field: string): boolean {
  const event = events.findLast((each) => each.type === type);
  if (event === undefined) return false;
  const required = collectRequired(describeFamily(event.payload, definitions, event.at));
  return required.get(field)?.isCertain === true;
}

/** Makes events, and checks which values their fields accept. */
interface EventFactory {
  readonly small: Protocol;
  readonly maker: EventMaker;
  /** The envelope fields that all event samples share. */
  readonly base: JsonObject;
  /** The envelope fields that events have unless others are asked for: those of `base`, and the number. */
  readonly envelope: JsonObject;
  makeEvent(type: string, envelope: JsonObject, payload: JsonObject): SampleEvent | undefined;
  plainEvent(type: string): SampleEvent | undefined;
  /** Makes an event without a payload field. */
  makeWithout(type: string, field: string): SampleEvent | undefined;
  payloadOf(type: string, event: JsonObject | undefined): JsonObject;
  accepts(type: string, field: string, isEnvelope: boolean, value: Json): boolean;
}

function createEventFactory(sides: StreamSides, maker: EventMaker): EventFactory {
  const { small } = sides;
  const sequence = small.stream?.sequence;
  const base = makeBase(sides, maker);
  const envelope: JsonObject = { ...base, ...(sequence !== undefined && { [sequence]: SAMPLE_SEQUENCE }) };
  const made = getMadeEvents(sides);
  const makeEvent: EventFactory["makeEvent"] = (type, fields, payload) => {
    const fixed = { ...envelope, ...fields };
    const key = JSON.stringify([type, fixed, payload]);
    if (!made.has(key)) made.set(key, maker.make({ type, envelope: fixed, wantedFields: payload, seed: 0 }));
    return made.get(key);
  };
  const payloadOf: EventFactory["payloadOf"] = (type, event) => {
    const carrier = maker.findCarrier(type);
    const payload = event && carrier !== undefined ? event[carrier] : event;
    return isObject(payload) ? payload : {};
  };
  return {
    small,
    maker,
    base,
    envelope,
    makeEvent,
    plainEvent: (type) => makeEvent(type, {}, {}),
    makeWithout(type, field) {
      const key = JSON.stringify([type, envelope, { without: field }]);
      const isWanted = (event: SampleEvent): boolean => !Object.hasOwn(payloadOf(type, event), field);
      if (!made.has(key)) made.set(key, maker.make({ type, envelope, wantedFields: {}, seed: 0, isWanted }));
      return made.get(key);
    },
    payloadOf,
    accepts: (type, field, isEnvelope, value) =>
      (isEnvelope ? makeEvent(type, { [field]: value }, {}) : makeEvent(type, {}, { [field]: value })) !==
      undefined,
  };
}

/**
 * Returns the forms in which a field may hold a value: the value itself, a list of it or, for a figure, an object in which
 * each number is the figure.
 */
function listForms(kind: Samples["kind"], value: Json, shape?: Json): Json[] {
  if (kind !== "figure") return [value, [value]];
  if (!isObject(shape)) return [value];
  const figures = Object.entries(shape).map(([name, each]) => [
    name,
    typeof each === "number" ? value : each,
  ]);
  return [value, Object.fromEntries(figures)];
}

/** Returns the values that the schema of a field lists. */
function listSchemaValues({ small }: EventFactory, type: string, field: string, isEnvelope: boolean) {
  const { definitions } = small;
  const event = small.events.findLast((each) => each.type === type);
  const holder = isEnvelope ? small.envelope.schema : event?.payload;
  const schemas = holder && mergeWithFixedChoices([holder], definitions).properties.get(field);
  return (schemas && mergeWithFixedChoices(schemas, definitions).values) ?? [];
}

/** The sources of candidate values besides the events. */
interface CandidateSources {
  readonly checkers: readonly Comparable[];
  readonly getIds: (type: string, field: string) => readonly Json[];
}

/** Returns values that a rule may distinguish in a field, whether the field accepts them or not. */
function listCandidates(
  factory: EventFactory,
  type: string,
  { field, samples, type: of }: FieldUse,
  { checkers, getIds }: CandidateSources,
): readonly Json[] {
  const { base, small } = factory;
  const readSchemaValues = (): readonly Json[] => listSchemaValues(factory, type, field, of === undefined);
  switch (samples.kind) {
    case "id":
      return getIds(type, field);
    case "stream":
      return [base[small.stream?.key.at(-1) ?? ""] ?? "", ...getIds(type, field).slice(0, 1)];
    case "emitter":
      return samples.empty
        ? ["", ...makeEmitterNames(base, findEmitterField(checkers))]
        : makeEmitterNames(base, field);
    case "copy":
      return [base[samples.of] ?? "a", "another"];
    case "figure":
      return [0, 1, 2];
    case "number":
      return [];
    case "two":
      return [...readSchemaValues().slice(0, 2), "a", "b", 0, 1, true, false];
    case "listed":
      return [...samples.listed, ...(samples.others ? listOtherValues(samples, readSchemaValues()) : [])];
  }
}

/** Returns the candidates that a field accepts, and those of a list that it refuses. */
function findAcceptedValues(
  factory: EventFactory,
  type: string,
  { field, samples: { kind }, type: of }: FieldUse,
  candidates: () => readonly Json[],
): { values: FieldValue[]; refused: Json[] } {
  const isEnvelope = of === undefined;
  if (kind === "number") return { values: [-1, 0, 1].map((near) => ({ near })), refused: [] };
  const values: FieldValue[] = [];
  const refused: Json[] = [];
  const plain = factory.payloadOf(type, factory.plainEvent(type));
  for (const value of candidates()) {
    if (kind === "two" && values.length === 2) break;
    const form = listForms(kind, value, plain[field]).find((each) =>
      factory.accepts(type, field, isEnvelope, each),
    );
    if (form !== undefined) values.push({ json: form });
    else if (kind === "listed") refused.push(value);
  }
  return { values, refused };
}

type MadeEvents = Map<string, SampleEvent | undefined>;

const madeEvents = memoizeByObject((_large: object) =>
  memoizeByObject((_small: object) => new Map<string, MadeEvents>()),
);

/** Returns the events made so far for two contracts. Which events both accept does not depend on stream rules. */
function getMadeEvents({ small, large, profile }: StreamSides): MadeEvents {
  const { sequence = null, id = null, time = null } = small.stream ?? {};
  const byFrame = madeEvents(large.events)(small.events);
  const key = JSON.stringify([profile, sequence, id, time]);
  const made = byFrame.get(key) ?? new Map<string, SampleEvent | undefined>();
  byFrame.set(key, made);
  return made;
}

/** Returns the envelope fields that all event samples share. The first emitter has no parent. */
function makeBase({ small, large }: StreamSides, maker: EventMaker): JsonObject {
  const base = maker.makeEnvelope(0, {});
  const parents = [small, large].flatMap(({ stream }) => stream?.rules?.hierarchy?.parent ?? []);
  return { ...base, ...Object.fromEntries(parents.map((field) => [field, ""])) };
}

/** Returns the field that names emitters, among the fields that the checkers read. */
function findEmitterField(checkers: readonly Comparable[]): string {
  const uses = checkers.flatMap(({ reads }) => reads);
  return uses.find(({ samples }) => samples.kind === "emitter" && !samples.empty)?.field ?? "";
}

/** Returns names of emitters that begin with the name in the base, if it has one. */
function makeEmitterNames(base: JsonObject, field: string): string[] {
  const baseName = base[field];
  const prefix = typeof baseName === "string" && baseName !== "" ? `${baseName}-` : "";
  return ["a", "b", "c"].map((name) => prefix + name);
}

/** Returns values other than the listed ones: those that the schema lists, or any. */
function listOtherValues(
  { listed }: Extract<Samples, { kind: "listed" }>,
  schemaValues: readonly Json[],
): Json[] {
  const texts = listed.map((value) => JSON.stringify(value));
  const others = schemaValues.filter((value) => !texts.includes(JSON.stringify(value)));
  return schemaValues.length > 0 ? others.slice(0, 2) : ["another"];
}

/** Returns the fields that only some versions of a rule read as ids. Two events may be of one id to one version only. */
function findDifferingIds(versions: readonly Comparable[]): ReadonlySet<string> {
  const read = versions.map(
    ({ reads }) => new Set(reads.filter(({ samples }) => samples.kind === "id").map(createUseKey)),
  );
  return new Set(read.flatMap((keys) => [...keys].filter((key) => !read.every((other) => other.has(key)))));
}

function createUseKey({ type, field }: FieldUse): string {
  return `${type ?? ""}\n${field}`;
}

/** Returns the values of id fields. Fields that one checker reads as ids share their ids; fields in `withTwoIds` get two. */
function createIdValues(
  checkers: readonly Comparable[],
  withTwoIds: ReadonlySet<string>,
  factory: EventFactory,
): (type: string, field: string) => readonly Json[] {
  const groups = groupIds(checkers);
  const values = new Map<string, readonly Json[]>();
  return (type, field) => {
    const key = `${type}\n${field}`;
    const group = groups.get(key);
    if (!group) return ["a"];
    const [first] = group;
    const known = values.get(first ?? key) ?? chooseIds(group, factory);
    values.set(first ?? key, known);
    return known.slice(0, withTwoIds.has(key) ? 2 : 1);
  };
}

/** Returns the groups of fields that share their ids, by each field. */
function groupIds(checkers: readonly Comparable[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>();
  for (const { reads } of checkers) {
    const fields = reads.filter(({ samples }) => samples.kind === "id" || samples.kind === "stream");
    const keys = [...new Set(fields.map(createUseKey))];
    const joined = [...new Set(keys.flatMap((key) => groups.get(key) ?? [key]))];
    for (const member of joined) groups.set(member, joined);
  }
  return groups;
}

/** Returns two ids that most fields of a group accept. */
function chooseIds(members: readonly string[], factory: EventFactory): readonly Json[] {
  const { maker, envelope, payloadOf } = factory;
  const fields = members.map((member) => member.split("\n") as [type: string, field: string]);
  const made = fields.slice(0, 8).flatMap(([type, field]) =>
    [1, 2, 3, 4].flatMap((seed) => {
      const event = maker.make({ type, envelope, wantedFields: {}, seed });
      const value = payloadOf(type, event)[field];
      return value === undefined ? [] : [Array.isArray(value) ? (value[0] ?? "a") : value];
    }),
  );
  const candidates: Json[] = ["a", "b", 1, 2, UUID, OTHER_UUID, ...made];
  const scored = candidates
    .filter((value, index) => candidates.indexOf(value) === index)
    .map((value) => ({
      value,
      score: fields.filter(([type, field]) =>
        listForms("id", value).some((form) => factory.accepts(type, field, false, form)),
      ).length,
    }));
  const best = Math.max(...scored.map(({ score }) => score));
  return scored
    .filter(({ score }) => score === best)
    .map(({ value }) => value)
    .slice(0, 2);
}
