/** Makes events with given field values that both sides accept, or proves that none exists. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { createEventMaker, type EventMaker, type SampleEvent } from "../../sample/event-maker.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { createSpot } from "../../schema/describe.js";
import { mergeFields } from "../../schema/merge.js";
import { createView, inlineReferences } from "../diff/view.js";
import { createMessageSchema, createUnknownMessageSchema, renameDefinitions } from "../proof/readings.js";
import type { StreamSides } from "./stream-sides.js";
import type { ReadField } from "./value-classes.js";

/** The fields that an event has to have. A field with the value undefined has to be absent. */
export interface WantedFields {
  readonly payload: { readonly [field: string]: Json | undefined };
  readonly envelope: { readonly [field: string]: Json | undefined };
}

/** An event, a proof that there is none, or neither. */
type MadeEvent =
  | { readonly found: "event"; readonly event: SampleEvent }
  | { readonly found: "nothing" }
  | { readonly found: "unknown"; readonly reason: string };

export interface EventFactory {
  /** The envelope fields that all events have by default. */
  readonly sharedFields: JsonObject;
  /** Returns the plainest event of a type. */
  makePlainEvent(type: string): SampleEvent | undefined;
  /** Returns an event without asking the proof engine. */
  makeQuickly(type: string, wanted: WantedFields): SampleEvent | undefined;
  make(type: string, wanted: WantedFields): Promise<MadeEvent>;
  /** Returns a random event. */
  generate(type: string, seed: number): SampleEvent | undefined;
  /** Returns a value that a field has in some event and that a schema accepts. */
  findValue(
    type: string,
    field: ReadField,
    schema: Json,
  ): Promise<{ readonly value?: Json; readonly isNone: boolean }>;
  /** Returns a schema that accepts each value of a field in events of a type that the smaller side sends. It may accept others. */
  describeField(type: string, field: ReadField): Json;
  /** Returns whether it is proven that no event has these fields with values that the schemas accept. */
  hasNoEvent(
    type: string,
    schemas: { readonly payload: JsonObject; readonly envelope: JsonObject },
  ): Promise<boolean>;
  getPayload(type: string, event: JsonObject | undefined): JsonObject;
  /** Returns the property that carries the payload of a type; undefined if the payload is beside the envelope fields. */
  findCarrier(type: string): string | undefined;
}

/** The sequence number of events while they are made. It is so large that numbers near it are not negative. */
export const SAMPLE_SEQUENCE = 5;

/** The greatest number of questions to the proof engine about the events of two contracts. */
const MAX_QUESTIONS = 600;

/** What is known about the events of two contracts. It does not depend on their stream rules. */
interface KnownEvents {
  readonly quick: Map<string, SampleEvent | undefined>;
  readonly answers: Map<string, Promise<MadeEvent>>;
  questions: number;
}

const knownEvents = memoizeByObject((_large: object) =>
  memoizeByObject((_small: object) => new Map<string, KnownEvents>()),
);

function getKnownEvents({ small, large, profile }: StreamSides): KnownEvents {
  const { sequence = null, id = null, time = null } = small.stream ?? {};
  const byFrame = knownEvents(large.events)(small.events);
  const key = JSON.stringify([profile, sequence, id, time, small.stream?.rules?.hierarchy ?? null]);
  const known = byFrame.get(key) ?? { quick: new Map(), answers: new Map(), questions: 0 };
  byFrame.set(key, known);
  return known;
}

/** Creates a factory of events that both sides accept. */
export function createEventFactory(sides: StreamSides): EventFactory {
  const { small, accepts } = sides;
  const maker = createEventMaker(small, accepts);
  const known = getKnownEvents(sides);
  const sequence = small.stream?.sequence;
  const sharedFields = makeSharedFields(sides, maker);
  const numberFields: JsonObject = sequence === undefined ? {} : { [sequence]: SAMPLE_SEQUENCE };
  const getPayload = (type: string, event: JsonObject | undefined): JsonObject => {
    const carrier = maker.findCarrier(type);
    const payload = event && carrier !== undefined ? event[carrier] : event;
    return isObject(payload) ? payload : {};
  };
  const isWanted =
    (type: string, { payload, envelope }: WantedFields) =>
    (event: JsonObject): boolean =>
      lacksAbsentFields(getPayload(type, event), payload) && lacksAbsentFields(event, envelope);
  const makeQuickly: EventFactory["makeQuickly"] = (type, wanted) => {
    const key = JSON.stringify([type, listEntries(wanted.payload), listEntries(wanted.envelope)]);
    if (!known.quick.has(key)) {
      const envelope = dropAbsent({ ...sharedFields, ...numberFields, ...wanted.envelope });
      const fixedFields = dropAbsent(wanted.payload);
      const draft = { type, envelope, fixedFields, seed: 0, isWanted: isWanted(type, wanted) };
      known.quick.set(key, maker.make(draft));
    }
    return known.quick.get(key);
  };
  const ask = (type: string, wanted: Json): Promise<MadeEvent> => {
    const key = JSON.stringify([type, wanted]);
    const answer = known.answers.get(key) ?? askEngine(sides, known, type, wanted);
    known.answers.set(key, answer);
    return answer;
  };
  const keyFields = Object.fromEntries(
    (small.stream?.key ?? []).flatMap((field) =>
      sharedFields[field] === undefined ? [] : [[field, sharedFields[field]]],
    ),
  );
  return {
    sharedFields,
    makePlainEvent: (type) => makeQuickly(type, { payload: {}, envelope: {} }),
    makeQuickly,
    generate: (type, seed) =>
      maker.make({ type, envelope: { ...sharedFields, ...numberFields }, fixedFields: {}, seed }),
    async make(type, wanted) {
      const event = makeQuickly(type, wanted);
      if (event !== undefined) return { found: "event", event };
      const carrier = maker.findCarrier(type);
      const payload = createObjectSchema(wanted.payload, toConstant);
      const envelope = createObjectSchema({ ...keyFields, ...numberFields, ...wanted.envelope }, toConstant);
      return ask(type, { allOf: [envelope, placePayload(payload, carrier)] });
    },
    async findValue(type, { type: payloadType, field }, schema) {
      const fields = createObjectSchema({ [field]: schema }, (each) => each);
      const carrier = payloadType === undefined ? undefined : maker.findCarrier(type);
      const answer = await ask(type, placePayload(fields, carrier));
      if (answer.found !== "event") return { isNone: answer.found === "nothing" };
      const holder = payloadType === undefined ? answer.event : getPayload(type, answer.event);
      const value = holder[field];
      return { ...(value !== undefined && { value }), isNone: false };
    },
    describeField: (type, field) => describeField(small, type, field),
    async hasNoEvent(type, { payload, envelope }) {
      const ownFields = createObjectSchema(payload, (each) => each);
      const fields = createObjectSchema(envelope, (each) => each);
      const wanted = { allOf: [placePayload(ownFields, maker.findCarrier(type)), fields] };
      return (await ask(type, wanted)).found === "nothing";
    },
    getPayload,
    findCarrier: maker.findCarrier,
  };
}

function describeField(protocol: Protocol, type: string, { type: payloadType, field }: ReadField): Json {
  const { events, envelope, definitions } = protocol;
  const event = events.find((each) => each.type === type);
  const spot =
    payloadType === undefined
      ? createSpot(envelope.schema, envelope.at)
      : event && createSpot(event.payload, event.at);
  const spots = spot ? (mergeFields(createView([spot], protocol)).get(field)?.spots ?? []) : [];
  const schemas = spots.map(({ schema }) => inlineReferences(schema, definitions));
  // A recursive definition keeps its references.
  return { allOf: schemas.filter((schema) => !JSON.stringify(schema).includes('"$ref"')) };
}

/** Returns the envelope fields that all events have by default. The first emitter has no parent. */
function makeSharedFields({ small, large }: StreamSides, maker: EventMaker): JsonObject {
  const parentFields = [small, large].flatMap(({ stream }) => stream?.rules?.hierarchy?.parent ?? []);
  return { ...maker.makeEnvelope(0, {}), ...Object.fromEntries(parentFields.map((field) => [field, ""])) };
}

/** Returns whether an object lacks the fields that have to be absent. */
function lacksAbsentFields(holder: JsonObject, fields: WantedFields["payload"]): boolean {
  return Object.entries(fields).every(
    ([field, value]) => value !== undefined || !Object.hasOwn(holder, field),
  );
}

function listEntries(fields: WantedFields["payload"]): Json {
  return Object.entries(fields)
    .map(([field, value]): Json => [field, value === undefined ? null : [value]])
    .sort();
}

function dropAbsent(fields: WantedFields["payload"]): { [field: string]: Json } {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
  );
}

function toConstant(value: Json): Json {
  return { const: value };
}

/** Returns the schema of objects with these fields; the schema of a field is made from its value. */
function createObjectSchema(fields: WantedFields["payload"], createSchema: (value: Json) => Json): Json {
  return {
    type: "object",
    required: Object.keys(dropAbsent(fields)),
    properties: Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [
        field,
        value === undefined ? false : createSchema(value),
      ]),
    ),
  };
}

function placePayload(payload: Json, carrier: string | undefined): Json {
  return carrier === undefined
    ? payload
    : { type: "object", required: [carrier], properties: { [carrier]: payload } };
}

/** Asks the proof engine for an event of the type that both sides accept and that a schema accepts. */
async function askEngine(
  sides: StreamSides,
  known: KnownEvents,
  type: string,
  wanted: Json,
): Promise<MadeEvent> {
  known.questions += 1;
  if (known.questions > MAX_QUESTIONS)
    return { found: "unknown", reason: `more than ${MAX_QUESTIONS} questions about possible events` };
  const { checkContainment } = await import("../../contain/contain.js");
  const answer = await checkContainment(createSchema(sides, type, wanted), false);
  if (answer.verdict === "contained") return { found: "nothing" };
  if (answer.verdict === "undecided") return { found: "unknown", reason: answer.reason };
  const event = answer.witness as SampleEvent;
  return sides.accepts(event)
    ? { found: "event", event }
    : { found: "unknown", reason: `validators and proof disagree about an event ${type}` };
}

/** Returns the schema of events of the type that both sides accept and that `wanted` accepts. */
function createSchema({ small, large, profile }: StreamSides, type: string, wanted: Json): Json {
  const smallEvent = small.events.find((event) => event.type === type);
  const largeEvent = large.events.find((event) => event.type === type);
  const writtenSchema = smallEvent
    ? createMessageSchema("writer", small, smallEvent)
    : createUnknownMessageSchema("writer", small);
  const readSchema = largeEvent
    ? createMessageSchema(profile, large, largeEvent)
    : createUnknownMessageSchema(profile, large);
  // Both messages may have definitions of the same name.
  const written = splitDefinitions(writtenSchema);
  const read = renameDefinitions(splitDefinitions(readSchema), "large.");
  const hasType = {
    type: "object",
    required: [small.envelope.discriminator],
    properties: { [small.envelope.discriminator]: { const: type } },
  };
  return {
    allOf: [written.schema, read.schema, hasType, wanted],
    $defs: { ...written.$defs, ...read.$defs },
  };
}

function splitDefinitions(message: Json): { readonly schema: Json; readonly $defs: JsonObject } {
  if (!isObject(message)) return { schema: message, $defs: {} };
  const { $defs, ...schema } = message;
  return { schema, $defs: isObject($defs) ? $defs : {} };
}
