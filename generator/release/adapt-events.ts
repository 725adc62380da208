/** Changes events of a major version so that they follow the next one. */
import { createObject, getOwn, isObject, type Json, type JsonObject, splitPointer } from "../json.js";
import type { Stream } from "../protocol/protocol.js";
import { streamKey } from "../stream/stream-key.js";

/** The value of the envelope field that states the major version, before and after. */
export interface VersionChange {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** The differences between the events of a major version and those of the next one. */
export interface EventChanges {
  /** The envelope field with the event type. */
  readonly discriminator: string;
  /** Absent if events do not state the version. */
  readonly version?: VersionChange;
  readonly removedTypes: readonly string[];
  /** The removed fields: the event type, or "" for all, the path of the object that has the field, and the name. */
  readonly removedFields: readonly { readonly event: string; readonly path: string; readonly name: string }[];
}

/** Returns an event of the next major version: with its version, and without removed fields. */
export function adaptEvent(event: Json, changes: EventChanges): Json {
  const { discriminator, removedFields } = changes;
  const type = isObject(event) ? getOwn(event, discriminator) : undefined;
  let adapted = raiseVersion(event, changes, true);
  for (const { event: owner, path, name } of removedFields)
    if (owner === "" || owner === type) adapted = removeField(adapted, splitPointer(path), name);
  return adapted;
}

/** Raises the version of a value that is an event, and of all events inside of it. */
export function raiseVersion(value: Json, changes: EventChanges, isEvent = false): Json {
  if (Array.isArray(value)) return value.map((item) => raiseVersion(item, changes));
  const { version, discriminator } = changes;
  if (version === undefined || !isObject(value)) return value;
  const isRaised = isEvent || Object.hasOwn(value, discriminator);
  return createObject(
    Object.entries(value).map(([name, member]) =>
      isRaised && name === version.field && member === version.from
        ? [name, version.to]
        : [name, raiseVersion(member, changes)],
    ),
  );
}

/** Returns a value without the field `name` of the objects at `path`; `*` stands for each item and member. */
export function removeField(value: Json, path: readonly string[], name: string): Json {
  const [first, ...rest] = path;
  if (Array.isArray(value)) return first === "*" ? value.map((item) => removeField(item, rest, name)) : value;
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  if (first === undefined) return createObject(members.filter(([member]) => member !== name));
  return createObject(
    members.map(([member, child]) => [
      member,
      first === "*" || first === member ? removeField(child, rest, name) : child,
    ]),
  );
}

/** Returns the events of a stream file without those of removed types. Later events of a stream move up. */
export function adaptStream(
  events: readonly JsonObject[],
  stream: Stream | undefined,
  changes: EventChanges,
): Json[] {
  const isRemoved = (event: JsonObject): boolean =>
    changes.removedTypes.includes(String(getOwn(event, changes.discriminator)));
  const sequence = stream?.sequence;
  const removedNumbers = new Map<string, Set<number>>();
  for (const event of events.filter(isRemoved)) {
    const key = streamKey(stream, event);
    const numbers = removedNumbers.get(key) ?? new Set();
    removedNumbers.set(key, numbers.add(Number(sequence === undefined ? Number.NaN : event[sequence])));
  }
  const renumber = (event: JsonObject): JsonObject => {
    const number = sequence === undefined ? undefined : event[sequence];
    const removed = [...(removedNumbers.get(streamKey(stream, event)) ?? [])];
    if (sequence === undefined || typeof number !== "number" || removed.length === 0) return event;
    return { ...event, [sequence]: number - removed.filter((each) => each < number).length };
  };
  return events.filter((event) => !isRemoved(event)).map((event) => adaptEvent(renumber(event), changes));
}
