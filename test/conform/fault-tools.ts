/** Functions for faults. They do not change the stream that they get; they return new events. */
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { validators } from "./check-stream.js";

/** A stream that a fault is injected into. */
export interface TargetStream {
  readonly id: string;
  readonly events: readonly JsonObject[];
  readonly random: () => number;
}

/** The events with the fault; undefined if the stream has no place for it. */
export type FaultyStream = readonly JsonObject[] | undefined;

const findStreamContract = (id: string) => validators.get(id)?.protocol.stream ?? { key: [] };

export function getEventType(event: JsonObject): string {
  return String(event.type ?? event.Kind);
}

/**
 * Returns the object with the payload fields of an event. Events of evva, which have `Kind`, and of hecate, which have
 * `schema_version`, hold them in a member; frames are their own payload.
 */
export function getPayload(event: JsonObject): JsonObject {
  if (event.Kind === undefined && !("schema_version" in event)) return event;
  const payload = event.data ?? Object.values(event).find(isObject);
  return isObject(payload) ? payload : {};
}

export function formatStreamKey(id: string, event: JsonObject): string {
  return findStreamContract(id)
    .key.map((field) => String(event[field]))
    .join("/");
}

/** Returns `event` with fields of its payload set. */
export function setPayloadFields(event: JsonObject, fields: JsonObject): JsonObject {
  if (event.Kind === undefined && !("schema_version" in event)) return { ...event, ...fields };
  const name = event.data === undefined ? Object.keys(event).find((key) => isObject(event[key])) : "data";
  return name === undefined ? event : { ...event, [name]: { ...(event[name] as JsonObject), ...fields } };
}

/** Returns `event` with an id that no other event has. */
export function setFreshId(id: string, event: JsonObject, index = 0): JsonObject {
  const field = findStreamContract(id).id;
  if (field === undefined) return event;
  const tail = String(9000 + index);
  const value = id.startsWith("hecate")
    ? `evt_01KZZ9BYZ0GFHVZ7FASG3C${tail}`
    : `ffffffff-0000-4000-8000-00000000${tail}`;
  return { ...event, [field]: value };
}

/** Numbers the events without gaps, each stream from its first number. Returns undefined if gap markers name numbers. */
export function renumberEvents(id: string, events: readonly JsonObject[]): FaultyStream {
  const field = findStreamContract(id).sequence;
  if (field === undefined) return events;
  if (events.some((event) => getEventType(event) === "gap.events_pruned")) return undefined;
  const next = new Map<string, number>();
  return events.map((event) => {
    const key = formatStreamKey(id, event);
    const number = next.get(key) ?? Number(event[field]);
    next.set(key, number + 1);
    return { ...event, [field]: number };
  });
}

/** Returns a random index whose event `fits`, or undefined. */
export function pickIndex(
  { events, random }: TargetStream,
  fits: (event: JsonObject, index: number) => boolean = () => true,
): number | undefined {
  const all = events.flatMap((event, index) => (fits(event, index) ? [index] : []));
  return all[Math.floor(random() * all.length)];
}

/** Returns the index of the next event after `index` in the same stream that `fits`. */
export function findNextIndex(
  { id, events }: TargetStream,
  index: number,
  fits: (event: JsonObject) => boolean = () => true,
): number | undefined {
  const key = formatStreamKey(id, events[index] as JsonObject);
  const at = events.findIndex(
    (event, each) => each > index && formatStreamKey(id, event) === key && fits(event),
  );
  return at === -1 ? undefined : at;
}

/** Returns the events with the one at `index` replaced by `by`. */
export function replaceEvent(
  events: readonly JsonObject[],
  index: number,
  ...by: readonly JsonObject[]
): JsonObject[] {
  return [...events.slice(0, index), ...by, ...events.slice(index + 1)];
}

/** Returns a fault that changes the payload of one event of `types` for which `change` returns fields. */
export function createPayloadChange(
  types: readonly string[],
  change: (payload: JsonObject, target: TargetStream, index: number) => JsonObject | undefined,
) {
  return (target: TargetStream): FaultyStream => {
    const index = pickIndex(
      target,
      (event, at) =>
        types.includes(getEventType(event)) && change(getPayload(event), target, at) !== undefined,
    );
    if (index === undefined) return undefined;
    const event = target.events[index] as JsonObject;
    return replaceEvent(
      target.events,
      index,
      setPayloadFields(event, change(getPayload(event), target, index) ?? {}),
    );
  };
}

/**
 * Returns a fault that inserts a copy of an event of `types`, changed by `change`, after a later event of its stream that
 * `after` accepts. The events are numbered again.
 */
export function createCopyInsertion(
  types: readonly string[],
  after: (event: JsonObject, original: JsonObject) => boolean,
  change: (event: JsonObject) => JsonObject = (event) => event,
) {
  return (target: TargetStream): FaultyStream => {
    const findInsertionIndex = (index: number) =>
      findNextIndex(target, index, (event) => after(event, target.events[index] as JsonObject));
    const index = pickIndex(
      target,
      (event, at) => types.includes(getEventType(event)) && findInsertionIndex(at) !== undefined,
    );
    const at = index === undefined ? undefined : findInsertionIndex(index);
    if (index === undefined || at === undefined) return undefined;
    const copy = setFreshId(target.id, change(target.events[index] as JsonObject));
    return renumberEvents(target.id, replaceEvent(target.events, at, target.events[at] as JsonObject, copy));
  };
}

/** Returns a function that tells whether the payload fields `names` of two events are equal. */
export function haveSameFields(...names: readonly string[]) {
  return (one: JsonObject, other: JsonObject): boolean =>
    names.every(
      (name) => getPayload(one)[name] !== undefined && getPayload(one)[name] === getPayload(other)[name],
    );
}

export function readNumber(payload: JsonObject, field: string): number {
  const value: Json | undefined = payload[field];
  return typeof value === "number" ? value : Number.NaN;
}
