/** The subjects of a comparison: event types in their envelope, and resources without one. */
import type { EventType, Protocol, Resource } from "../protocol/protocol.js";
import { memoizeByObject } from "../sample/memoize.js";
import { createSpot } from "../schema/describe.js";
import { type Change, getFirstSubject, type Place, type Rule } from "./change.js";
import { findMostStable, parseStability } from "./side.js";

/** An event type, or a resource in the same form. */
export interface Subject
  extends Pick<EventType, "type" | "payload" | "payloadProperty" | "stability" | "renamedFrom" | "at"> {
  /** The name of the resource; absent for event types. `type` is then the key of the resource, and `payload` its schema. */
  readonly resource?: string;
}

/** The prefix of the keys of resources. File names have no NUL character, so no event type begins with it. */
const KEY_PREFIX = "\0resource ";

/** Returns the key of a resource in places and names. No event type is equal to it. */
export function createResourceKey(name: string): string {
  return KEY_PREFIX + name;
}

/** Returns the name of the resource that `key` refers to; undefined for an event type and for "", the envelope. */
export function parseResourceKey(key: string): string | undefined {
  return key.startsWith(KEY_PREFIX) ? key.slice(KEY_PREFIX.length) : undefined;
}

/** Returns whether a change is about a resource. */
export function isAboutResource(change: Change): boolean {
  return parseResourceKey(getFirstSubject(change)) !== undefined;
}

/** A tombstone of a field or value of a resource names the resource after this prefix: `resource:tea-list`. */
export const RESOURCE_HOLDER_PREFIX = "resource:";

/** Returns the event types and resources among `keys`, each once and in order; the envelope is "*". */
export function listSubjectNames(keys: readonly string[]): { events: string[]; resources: string[] } {
  const uniqueKeys = [...new Set(keys)];
  const resources = uniqueKeys.map(parseResourceKey).filter((name) => name !== undefined);
  const events = uniqueKeys.filter((key) => parseResourceKey(key) === undefined);
  return { events: events.map((key) => (key === "" ? "*" : key)), resources };
}

/** Returns all event types and resources of `protocol`. */
export function listSubjects(protocol: Protocol): Subject[] {
  return [...protocol.events, ...listResourceSubjects(protocol)];
}

/**
 * Returns the resources of a protocol as subjects. One that states no stability is as stable as the most stable event
 * type. Each protocol always gets the same objects.
 */
export const listResourceSubjects = memoizeByObject(({ resources, events }: Protocol): readonly Subject[] => {
  const defaultStability = findMostStable(events.map(({ stability }) => stability));
  return resources.map(({ name, schema, at }: Resource) => {
    const { "x-stability": stated, "x-renamed-from": renamedFrom } = schema;
    return {
      type: createResourceKey(name),
      resource: name,
      payload: schema,
      at,
      stability: parseStability(stated) ?? defaultStability,
      ...(typeof renamedFrom === "string" && { renamedFrom }),
    };
  });
});

/** Creates a change at the root of a subject. */
export function createSubjectChange(rule: Rule, before?: Subject, after?: Subject): Change {
  const subject = before ?? after;
  return {
    rule,
    name: subject?.resource ?? subject?.type ?? "",
    places: subject ? [createRootPlace(subject)] : [],
    claim: {},
    ...(before && { before: createSpot(before.payload, before.at) }),
    ...(after && { after: createSpot(after.payload, after.at) }),
  };
}

/** Returns the place of a whole message; for the type "", the place of the envelope of every message. */
export function createRootPlace({ type, stability }: Pick<Subject, "type" | "stability">): Place {
  return { event: type, path: "", steps: [], stability };
}
