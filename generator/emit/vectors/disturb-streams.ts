/** Disturbs streams, so that they break rules: events are left out, repeated, moved, added or changed. */
import { getItem } from "../../get-item.js";
import { createObject, isObject, type Json, type JsonObject } from "../../json.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Random } from "../../random.js";
import { streamKey } from "../../stream/stream-key.js";

/** Events in the order of their arrival. They may belong to several streams. */
export type EventList = readonly JsonObject[];

/** The events from which disturbed streams are made. */
interface Material {
  readonly streams: readonly EventList[];
  /** Single events, which are added to streams. */
  readonly events: EventList;
}

/** The greatest number of events of a disturbed stream. */
const MAX_EVENTS = 60;

/** The greatest number of changes of a stream. */
const MAX_CHANGES = 4;

/** Returns a function that makes a disturbed stream. The same numbers give the same stream. */
export function createStreamDisturber(protocol: Protocol, { streams, events }: Material) {
  const fields = findStreamFields(protocol);
  const values = collectValues(protocol, [...streams.flat(), ...events]);
  return (random: Random): EventList => {
    const start = streams.length === 0 || random.chance(0.1) ? [] : random.pick(streams);
    const from = random.chance(0.5) ? 0 : random.below(Math.max(1, start.length));
    const list = start.slice(from, from + MAX_EVENTS);
    for (let left = random.between(1, MAX_CHANGES); left > 0; left--)
      random.pick(CHANGES)({ list, events, fields, values, random });
    return random.chance(0.7) ? renumber(protocol, list) : list;
  };
}

interface StreamFields {
  readonly discriminator: string;
  readonly key: readonly string[];
  /** Returns the object that holds the payload of an event, and the field that carries it. */
  readonly findPayload: (event: JsonObject) => { readonly payload: JsonObject; readonly carrier?: string };
}

interface Disturbance {
  readonly list: JsonObject[];
  readonly events: EventList;
  readonly fields: StreamFields;
  readonly values: ReadonlyMap<string, readonly Json[]>;
  readonly random: Random;
}

const CHANGES: readonly ((disturbance: Disturbance) => void)[] = [
  ({ list, random }) => list.splice(random.below(list.length + 1), random.between(1, 3)),
  ({ list, random }) => list.splice(random.below(list.length + 1)),
  ({ list, random }) =>
    list.splice(random.below(list.length + 1), 0, ...list.splice(random.below(list.length + 1), 1)),
  ({ list, random }) =>
    list.splice(
      random.below(list.length + 1),
      0,
      ...list.slice(0, 1 + random.below(list.length + 1)).slice(-1),
    ),
  addEvents,
  addEvents,
  changeValue,
  changeValue,
  changeValue,
  moveToStream,
];

/** Adds events, which get the stream and most ids of another one. */
function addEvents({ list, events, fields, random }: Disturbance): void {
  if (events.length === 0) return;
  for (let left = random.between(1, 2); left > 0; left--) {
    const model = list.length === 0 ? undefined : random.pick(list);
    const event = random.pick(events);
    const copy = model === undefined ? event : adoptFields(event, model, fields, random);
    list.splice(random.below(list.length + 1), 0, copy);
  }
}

function adoptFields(
  event: JsonObject,
  model: JsonObject,
  { key, discriminator, findPayload }: StreamFields,
  random: Random,
): JsonObject {
  const { payload, carrier } = findPayload(event);
  const others = findPayload(model).payload;
  const shared = Object.keys(payload).filter(
    (name) => typeof payload[name] === typeof others[name] && random.chance(0.8),
  );
  const ids = createObject(shared.map((name) => [name, others[name] ?? null]));
  const stream = createObject(
    key.flatMap((name): [string, Json][] => (model[name] === undefined ? [] : [[name, model[name]]])),
  );
  const place = carrier === undefined ? ids : { [carrier]: { ...payload, ...ids } };
  return { ...event, ...place, ...stream, [discriminator]: event[discriminator] ?? null };
}

/** Gives a field of an event another value. */
function changeValue({ list, fields, values, random }: Disturbance): void {
  if (list.length === 0) return;
  const index = random.below(list.length);
  const event = getItem(list, index);
  const { payload, carrier } = fields.findPayload(event);
  const isInEnvelope = carrier === undefined || random.chance(0.15);
  const target = isInEnvelope ? event : payload;
  const names = Object.keys(target).filter((name) => values.has(name));
  if (names.length === 0) return;
  const name = random.pick(names);
  const { [name]: value, ...others } = target;
  const changed = random.chance(0.1)
    ? others
    : { ...target, [name]: changeScalar(value as Json, values.get(name) ?? [], random) };
  list[index] = isInEnvelope ? changed : { ...event, [carrier]: changed };
}

function changeScalar(value: Json, others: readonly Json[], random: Random): Json {
  if (typeof value === "number" && random.chance(0.5)) return value + random.pick([-1, 1, 1000]);
  if (typeof value === "string" && random.chance(0.2)) return value + random.pick(["é", "😀x", "\n", "�"]);
  return random.pick(others);
}

/** Sends an event in the stream of another one. */
function moveToStream({ list, events, fields, random }: Disturbance): void {
  if (list.length === 0) return;
  const index = random.below(list.length);
  const model = random.pick([...list, ...events]);
  const names = fields.key.filter((name) => model[name] !== undefined);
  const stream = createObject(names.map((name) => [name, model[name] ?? null]));
  list[index] = { ...getItem(list, index), ...stream };
}

function findStreamFields({ envelope, events, stream }: Protocol): StreamFields {
  const carriers = new Map(events.map((event) => [event.type, findPayloadCarrier(envelope, event)]));
  return {
    discriminator: envelope.discriminator,
    key: stream?.key ?? [],
    findPayload(event) {
      const carrier = carriers.get(String(event[envelope.discriminator]));
      const payload = carrier === undefined ? undefined : event[carrier];
      return isObject(payload) && carrier !== undefined ? { payload, carrier } : { payload: event };
    },
  };
}

/** Returns the values of the fields of envelopes and payloads by name, without those that number and identify events. */
function collectValues(protocol: Protocol, events: EventList): ReadonlyMap<string, readonly Json[]> {
  const { envelope, stream } = protocol;
  const { findPayload } = findStreamFields(protocol);
  const values = new Map<string, Map<string, Json>>();
  for (const event of events) {
    const { payload, carrier = envelope.discriminator } = findPayload(event);
    for (const [name, value] of [...Object.entries(event), ...Object.entries(payload)]) {
      if ([carrier, envelope.discriminator, stream?.id, stream?.sequence].includes(name)) continue;
      const known = values.get(name) ?? new Map<string, Json>();
      values.set(name, known.set(JSON.stringify(value), value));
    }
  }
  return new Map([...values].map(([name, known]) => [name, [...known.values()]]));
}

/** Returns the events with numbers without gaps and with different ids. */
function renumber({ stream }: Protocol, list: EventList): EventList {
  const { sequence, first = 0, id } = stream ?? {};
  const numbers = new Map<string, number>();
  return list.map((event, index) => {
    const key = streamKey(stream, event);
    const number = numbers.get(key) ?? first;
    numbers.set(key, number + 1);
    const ownId = id === undefined ? undefined : event[id];
    // The end of an id is replaced by digits, because its beginning may have to match a pattern.
    const digits = String(index + 1).padStart(4, "0");
    return {
      ...event,
      ...(sequence !== undefined && event[sequence] !== undefined && { [sequence]: number }),
      ...(id !== undefined && typeof ownId === "string" && { [id]: ownId.slice(0, -4) + digits }),
    };
  });
}
