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

/** A value of a field: either `json`, or the number of the event plus `offset`. */
export interface FieldValue {
  readonly json?: Json;
  readonly offset?: number;
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
  /** Makes the plainest event of a type. */
  makePlainEvent(type: string): JsonObject | undefined;
  /** Makes an event that `isAccepted` accepts and that has the chosen values. A field without a value is absent. */
  makeEvent(
    type: string,
    chosenValues: readonly ChosenValue[],
    isAccepted: (event: JsonObject) => boolean,
  ): JsonObject | undefined;
  /** Returns the values that a field of a type can have. */
  listValues(type: string, uses: readonly FieldUse[]): PossibleValues;
}

/** The sequence number of events while samples are made. It is so large that numbers near it are not negative. */
const SAMPLE_SEQUENCE = 5;
const UUID = "8c2f0c5e-5d3b-4b3e-9d53-3b8f9f0a1b01";
const OTHER_UUID = "8c2f0c5e-5d3b-4b3e-9d53-3b8f9f0a1b02";

/** Creates samples for the checkers of both sides. The search is about `ruleVersions`, the versions of one rule. */
export function createFieldSamples(
  sides: StreamSides,
  maker: EventMaker,
  checkers: readonly Comparable[],
  ruleVersions: readonly Comparable[],
): FieldSamples {
  const factory = createEventFactory(sides, maker);
  const getIds = createIdValues(checkers, findFieldsWithTwoIds(ruleVersions), factory);
  return {
    makePlainEvent: factory.makePlainEvent,
    makeEvent(type, chosenValues, isAccepted) {
      const fields: { readonly [part in "envelope" | "payload"]: { [name: string]: Json } } = {
        envelope: {},
        payload: {},
      };
      for (const { field, isEnvelope, value } of chosenValues) {
        const json = value?.offset === undefined ? value?.json : SAMPLE_SEQUENCE + value.offset;
        if (json !== undefined) fields[isEnvelope ? "envelope" : "payload"][field] = json;
      }
      const absentFields = chosenValues.filter(({ value, isEnvelope }) => value === undefined && !isEnvelope);
      const isWanted = (event: JsonObject): boolean => {
        const payload = factory.getPayload(type, event);
        return absentFields.every(({ field }) => !Object.hasOwn(payload, field)) && isAccepted(event);
      };
      const event = factory.makeEvent(type, fields.envelope, fields.payload);
      if (event === undefined || isWanted(event)) return event;
      const envelope = { ...factory.envelope, ...fields.envelope };
      return maker.make({ type, envelope, fixedFields: fields.payload, seed: 0, isWanted });
    },
    listValues(type, uses) {
      const [first] = uses;
      const event = factory.makePlainEvent(type);
      if (!first || !event) return { values: [undefined], refused: [] };
      const absence = findAbsence(factory, type, first);
      const valuesOfUses = uses.map((use) =>
        findAcceptedValues(factory, type, use, () =>
          listCandidates(factory, type, use, { checkers, getIds }),
        ),
      );
      const values = new Map(
        valuesOfUses.flatMap((each) => each.values).map((value) => [JSON.stringify(value), value]),
      );
      return {
        values: [...absence.values, ...values.values()],
        refused: [...absence.refused, ...valuesOfUses.flatMap(({ refused }) => refused)],
      };
    },
  };
}

/** Finds out whether events of a type can lack a field. The envelope fields of the plain event are always there. */
function findAbsence(
  factory: EventFactory,
  type: string,
  { field, type: payloadType }: FieldUse,
): PossibleValues {
  const event = factory.makePlainEvent(type);
  const isEnvelope = payloadType === undefined;
  const holder = isEnvelope ? event : factory.getPayload(type, event);
  if (holder !== undefined && !Object.hasOwn(holder, field)) return { values: [undefined], refused: [] };
  if (isEnvelope || isAlwaysRequired(factory.small, type, field)) return { values: [], refused: [] };
  const isFound = factory.makeEventWithoutField(type, field) !== undefined;
  return isFound ? { values: [undefined], refused: [] } : { values: [], refused: [undefined] };
}

/** Returns whether the schema of a payload requires a field without a condition. */
function isAlwaysRequired({ events, definitions }: Protocol, type: string, field: string): boolean {
  const event = events.findLast((each) => each.type === type);
  if (event === undefined) return false;
  const requiredFields = collectRequired(describeFamily(event.payload, definitions, event.at));
  return requiredFields.get(field)?.isCertain === true;
}

/** Makes events, and checks which values their fields accept. */
interface EventFactory {
  readonly small: Protocol;
  readonly maker: EventMaker;
  /** The envelope fields that all event samples share. */
  readonly sharedFields: JsonObject;
  /** The envelope fields that events have by default: the shared fields and the number. */
  readonly envelope: JsonObject;
  makeEvent(type: string, envelope: JsonObject, payload: JsonObject): SampleEvent | undefined;
  makePlainEvent(type: string): SampleEvent | undefined;
  makeEventWithoutField(type: string, payloadField: string): SampleEvent | undefined;
  getPayload(type: string, event: JsonObject | undefined): JsonObject;
  acceptsValue(type: string, field: string, isEnvelope: boolean, value: Json): boolean;
}

function createEventFactory(sides: StreamSides, maker: EventMaker): EventFactory {
  const { small } = sides;
  const sequence = small.stream?.sequence;
  const sharedFields = makeSharedFields(sides, maker);
  const envelope: JsonObject = {
    ...sharedFields,
    ...(sequence !== undefined && { [sequence]: SAMPLE_SEQUENCE }),
  };
  const events = getMadeEvents(sides);
  const makeEvent: EventFactory["makeEvent"] = (type, fields, payload) => {
    const eventEnvelope = { ...envelope, ...fields };
    const key = JSON.stringify([type, eventEnvelope, payload]);
    if (!events.has(key))
      events.set(key, maker.make({ type, envelope: eventEnvelope, fixedFields: payload, seed: 0 }));
    return events.get(key);
  };
  const getPayload: EventFactory["getPayload"] = (type, event) => {
    const carrier = maker.findCarrier(type);
    const payload = event && carrier !== undefined ? event[carrier] : event;
    return isObject(payload) ? payload : {};
  };
  return {
    small,
    maker,
    sharedFields,
    envelope,
    makeEvent,
    makePlainEvent: (type) => makeEvent(type, {}, {}),
    makeEventWithoutField(type, field) {
      const key = JSON.stringify([type, envelope, { without: field }]);
      const isWanted = (event: SampleEvent): boolean => !Object.hasOwn(getPayload(type, event), field);
      if (!events.has(key))
        events.set(key, maker.make({ type, envelope, fixedFields: {}, seed: 0, isWanted }));
      return events.get(key);
    },
    getPayload,
    acceptsValue(type, field, isEnvelope, value) {
      const fields = { [field]: value };
      const event = isEnvelope ? makeEvent(type, fields, {}) : makeEvent(type, {}, fields);
      return event !== undefined;
    },
  };
}

/**
 * Returns the forms in which a field may hold a value: the value itself, a list of it or, for a figure, the object of the
 * plain event with the figure in place of each number.
 */
function listForms(kind: Samples["kind"], value: Json, plainValue?: Json): Json[] {
  if (kind !== "figure") return [value, [value]];
  if (!isObject(plainValue)) return [value];
  const figures = Object.entries(plainValue).map(([name, each]) => [
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
  { field, samples, type: payloadType }: FieldUse,
  { checkers, getIds }: CandidateSources,
): readonly Json[] {
  const { sharedFields } = factory;
  const readSchemaValues = (): readonly Json[] =>
    listSchemaValues(factory, type, field, payloadType === undefined);
  switch (samples.kind) {
    case "id":
      return getIds(type, field);
    case "stream":
      return getIds(type, field);
    case "emitter":
      return samples.empty
        ? ["", ...makeEmitterNames(sharedFields, findEmitterField(checkers))]
        : makeEmitterNames(sharedFields, field);
    case "copy":
      return [sharedFields[samples.of] ?? "a", "another"];
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
  { field, samples: { kind }, type: payloadType }: FieldUse,
  createCandidates: () => readonly Json[],
): { values: FieldValue[]; refused: Json[] } {
  const isEnvelope = payloadType === undefined;
  if (kind === "number") return { values: [-1, 0, 1].map((offset) => ({ offset })), refused: [] };
  const values: FieldValue[] = [];
  const refused: Json[] = [];
  const plainPayload = factory.getPayload(type, factory.makePlainEvent(type));
  for (const value of createCandidates()) {
    if (kind === "two" && values.length === 2) break;
    const form = listForms(kind, value, plainPayload[field]).find((each) =>
      factory.acceptsValue(type, field, isEnvelope, each),
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
  const eventsByFrame = madeEvents(large.events)(small.events);
  const key = JSON.stringify([profile, sequence, id, time]);
  const events = eventsByFrame.get(key) ?? new Map<string, SampleEvent | undefined>();
  eventsByFrame.set(key, events);
  return events;
}

/** Returns the envelope fields that all event samples share. The first emitter has no parent. */
function makeSharedFields({ small, large }: StreamSides, maker: EventMaker): JsonObject {
  const parentFields = [small, large].flatMap(({ stream }) => stream?.rules?.hierarchy?.parent ?? []);
  return { ...maker.makeEnvelope(0, {}), ...Object.fromEntries(parentFields.map((field) => [field, ""])) };
}

/** Returns the field that names emitters, among the fields that the checkers read. */
function findEmitterField(checkers: readonly Comparable[]): string {
  const uses = checkers.flatMap(({ reads }) => reads);
  return uses.find(({ samples }) => samples.kind === "emitter" && !samples.empty)?.field ?? "";
}

/** Returns names of emitters that begin with the name in the shared fields, if these have one. */
function makeEmitterNames(sharedFields: JsonObject, field: string): string[] {
  const sharedName = sharedFields[field];
  const prefix = typeof sharedName === "string" && sharedName !== "" ? `${sharedName}-` : "";
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

/**
 * Returns the id fields that need two values: those that only some versions of a rule read as ids, and those whose ids a
 * rule relates to each other.
 */
function findFieldsWithTwoIds(versions: readonly Comparable[]): ReadonlySet<string> {
  const idUses = versions.map(({ reads }) => reads.filter(({ samples }) => samples.kind === "id"));
  const idFields = idUses.map((uses) => new Set(uses.map(createUseKey)));
  const relatedKeys = idUses
    .flat()
    .filter(({ samples }) => samples.kind === "id" && samples.related === true)
    .map(createUseKey);
  const allFields = idFields.flatMap((fields) => [...fields]);
  const differingKeys = allFields.filter((field) => !idFields.every((fields) => fields.has(field)));
  return new Set([...relatedKeys, ...differingKeys]);
}

function createUseKey({ type, field }: FieldUse): string {
  return `${type ?? ""}\n${field}`;
}

/**
 * Returns the values of id fields. Fields that one checker reads as ids share their ids. Fields in `differingFields` get
 * two ids, because two events may have one id for one version of the rule and two for another. If a rule compares one of
 * the fields with the stream, all of them get the name of the stream, too.
 */
function createIdValues(
  checkers: readonly Comparable[],
  differingFields: ReadonlySet<string>,
  factory: EventFactory,
): (type: string, field: string) => readonly Json[] {
  const groups = groupIds(checkers);
  const streamFields = new Set(
    checkers
      .flatMap(({ reads }) => reads.filter(({ samples }) => samples.kind === "stream"))
      .map(createUseKey),
  );
  const { sharedFields, small } = factory;
  // The last field of the key names the stream; the fields before it name the streams around it.
  const streamName = sharedFields[small.stream?.key.at(-1) ?? ""] ?? "";
  const values = new Map<string, readonly Json[]>();
  return (type, field) => {
    const key = `${type}\n${field}`;
    const group = groups.get(key);
    if (!group) return ["a"];
    // The first field of a group is the key of its ids.
    const [groupKey = key] = group;
    const ids = values.get(groupKey) ?? chooseIds(group, factory);
    values.set(groupKey, ids);
    const namesStream = group.some((member) => streamFields.has(member));
    return [...(namesStream ? [streamName] : []), ...ids.slice(0, differingFields.has(key) ? 2 : 1)];
  };
}

/** Returns the groups of fields that share their ids, by each field. */
function groupIds(checkers: readonly Comparable[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>();
  for (const { reads } of checkers) {
    const fields = reads.filter(({ samples }) => samples.kind === "id" || samples.kind === "stream");
    const keys = [...new Set(fields.map(createUseKey))];
    const group = [...new Set(keys.flatMap((key) => groups.get(key) ?? [key]))];
    for (const member of group) groups.set(member, group);
  }
  return groups;
}

/** Returns two ids that most fields of a group accept. */
function chooseIds(members: readonly string[], factory: EventFactory): readonly Json[] {
  const { maker, envelope } = factory;
  const fields = members.map((member) => member.split("\n") as [type: string, field: string]);
  // Some ids have a form that only generated events have. Eight fields with four seeds give enough of them.
  const generatedIds = fields.slice(0, 8).flatMap(([type, field]) =>
    [1, 2, 3, 4].flatMap((seed) => {
      const event = maker.make({ type, envelope, fixedFields: {}, seed });
      const value = factory.getPayload(type, event)[field];
      return value === undefined ? [] : [Array.isArray(value) ? (value[0] ?? "a") : value];
    }),
  );
  const candidates = new Set<Json>(["a", "b", 1, 2, UUID, OTHER_UUID, ...generatedIds]);
  const scoredCandidates = [...candidates].map((value) => ({
    value,
    score: fields.filter(([type, field]) =>
      listForms("id", value).some((form) => factory.acceptsValue(type, field, false, form)),
    ).length,
  }));
  const highestScore = Math.max(...scoredCandidates.map(({ score }) => score));
  return scoredCandidates
    .filter(({ score }) => score === highestScore)
    .map(({ value }) => value)
    .slice(0, 2);
}
