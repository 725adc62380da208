/** What faults are made of. Every function returns new values. */
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { validators } from "./check-stream.js";

/** A stream to spoil. */
export interface Victim {
  readonly id: string;
  readonly events: readonly JsonObject[];
  readonly random: () => number;
}

export type Spoiled = readonly JsonObject[] | undefined;

const contract = (id: string) => validators.get(id)?.protocol.stream ?? { key: [] };

export function typeOf(event: JsonObject): string {
  return String(event.type ?? event.Kind);
}

/** The part of an event that holds the fields of its payload. */
export function payloadOf(event: JsonObject): JsonObject {
  const inner = event.data ?? Object.values(event).find(isObject);
  return event.Kind === undefined && !("schema_version" in event) ? event : isObject(inner) ? inner : {};
}

export function streamOf(id: string, event: JsonObject): string {
  return contract(id)
    .key.map((field) => String(event[field]))
    .join("/");
}

/** `event` with fields of its payload set. */
export function withPayload(event: JsonObject, fields: JsonObject): JsonObject {
  if (event.Kind === undefined && !("schema_version" in event)) return { ...event, ...fields };
  const name = event.data === undefined ? Object.keys(event).find((key) => isObject(event[key])) : "data";
  return name === undefined ? event : { ...event, [name]: { ...(event[name] as JsonObject), ...fields } };
}

/** `event` with an id that no other event has. */
export function fresh(id: string, event: JsonObject, index = 0): JsonObject {
  const field = contract(id).id;
  if (field === undefined) return event;
  const tail = String(9000 + index);
  const value = id.startsWith("hecate")
    ? `evt_01KZZ9BYZ0GFHVZ7FASG3C${tail}`
    : `ffffffff-0000-4000-8000-00000000${tail}`;
  return { ...event, [field]: value };
}

/** The events numbered without a hole, each stream from where it started; undefined where markers name numbers. */
export function renumbered(id: string, events: readonly JsonObject[]): Spoiled {
  const field = contract(id).sequence;
  if (field === undefined) return events;
  if (events.some((event) => typeOf(event) === "gap.events_pruned")) return undefined;
  const next = new Map<string, number>();
  return events.map((event) => {
    const key = streamOf(id, event);
    const number = next.get(key) ?? Number(event[field]);
    next.set(key, number + 1);
    return { ...event, [field]: number };
  });
}

/** One of the indices whose event `fits`, or undefined. */
export function pick(
  { events, random }: Victim,
  fits: (event: JsonObject, index: number) => boolean = () => true,
): number | undefined {
  const all = events.flatMap((event, index) => (fits(event, index) ? [index] : []));
  return all[Math.floor(random() * all.length)];
}

/** The next event of the same stream behind `index` that `fits`. */
export function following(
  { id, events }: Victim,
  index: number,
  fits: (event: JsonObject) => boolean = () => true,
): number | undefined {
  const key = streamOf(id, events[index] as JsonObject);
  const at = events.findIndex((event, each) => each > index && streamOf(id, event) === key && fits(event));
  return at === -1 ? undefined : at;
}

/** The events with the one at `index` replaced by `by`. */
export function put(
  events: readonly JsonObject[],
  index: number,
  ...by: readonly JsonObject[]
): JsonObject[] {
  return [...events.slice(0, index), ...by, ...events.slice(index + 1)];
}

/** A fault that changes the payload of one event of `types`; `change` may decline. */
export function changing(
  types: readonly string[],
  change: (payload: JsonObject, victim: Victim, index: number) => JsonObject | undefined,
) {
  return (victim: Victim): Spoiled => {
    const index = pick(
      victim,
      (event, at) => types.includes(typeOf(event)) && change(payloadOf(event), victim, at) !== undefined,
    );
    if (index === undefined) return undefined;
    const event = victim.events[index] as JsonObject;
    return put(victim.events, index, withPayload(event, change(payloadOf(event), victim, index) ?? {}));
  };
}

/** A fault that puts a copy of an event of `types`, changed by `change`, behind a later event of its stream that `after` accepts, and numbers anew. */
export function inserting(
  types: readonly string[],
  after: (event: JsonObject, original: JsonObject) => boolean,
  change: (event: JsonObject) => JsonObject = (event) => event,
) {
  return (victim: Victim): Spoiled => {
    const place = (index: number) =>
      following(victim, index, (event) => after(event, victim.events[index] as JsonObject));
    const index = pick(victim, (event, at) => types.includes(typeOf(event)) && place(at) !== undefined);
    const at = index === undefined ? undefined : place(index);
    if (index === undefined || at === undefined) return undefined;
    const copy = fresh(victim.id, change(victim.events[index] as JsonObject));
    return renumbered(victim.id, put(victim.events, at, victim.events[at] as JsonObject, copy));
  };
}

/** Whether the payload fields `names` of two events are equal. */
export function same(...names: readonly string[]) {
  return (one: JsonObject, other: JsonObject): boolean =>
    names.every(
      (name) => payloadOf(one)[name] !== undefined && payloadOf(one)[name] === payloadOf(other)[name],
    );
}

export function numberAt(payload: JsonObject, field: string): number {
  const value: Json | undefined = payload[field];
  return typeof value === "number" ? value : Number.NaN;
}
