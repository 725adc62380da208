/** The subjects of a comparison: event types in their envelope, and resources without one. */
import type { EventType, Protocol, Resource } from "../protocol/protocol.js";
import { memoizeByObject } from "../sample/memoize.js";
import type { Change, Occurrence, Rule } from "./change.js";
import { createSpot, findMostStable, parseStability } from "./side.js";

/** An event type, or a resource in the same form. */
export interface Subject
  extends Pick<EventType, "type" | "payload" | "payloadProperty" | "stability" | "renamedFrom" | "at"> {
  /** The name of the resource; absent for event types. `type` is its `resourceKey` then, `payload` its schema. */
  readonly resource?: string;
}

/** File names have no NUL character, so no event type begins with this. */
const PREFIX = "\0resource ";

/** Returns the key of a resource in occurrences and names; no event type has such a name. */
export function createResourceKey(name: string): string {
  return PREFIX + name;
}

/** Returns the name of the resource that `key` refers to; undefined for an event type and for "", the envelope. */
export function parseResourceKey(key: string): string | undefined {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined;
}

/** Returns how a tombstone names the resource that held a field or value. */
export function describeResource(name: string): string {
  return `resource:${name}`;
}

/** Returns the event types and resources among `keys`, each once and in order; the envelope is "*". */
export function listSubjectNames(keys: readonly string[]): { events: string[]; resources: string[] } {
  const all = [...new Set(keys)];
  const resources = all.map(parseResourceKey).filter((name) => name !== undefined);
  const events = all.filter((key) => parseResourceKey(key) === undefined);
  return { events: events.map((key) => (key === "" ? "*" : key)), resources };
}

/** Returns all event types and resources of `protocol`. */
export function listSubjects(protocol: Protocol): Subject[] {
  return [...protocol.events, ...resourceSubjects(protocol)];
}

/** The resources of a protocol as subjects. One that states no stability is as stable as the most stable event type. */
export const resourceSubjects = memoizeByObject(collectResources);

function collectResources({ resources, events }: Protocol): readonly Subject[] {
  const usual = findMostStable(events.map(({ stability }) => stability));
  return resources.map(({ name, schema, at }: Resource) => {
    const { "x-stability": stated, "x-renamed-from": renamedFrom } = schema;
    return {
      type: createResourceKey(name),
      resource: name,
      payload: schema,
      at,
      stability: parseStability(stated) ?? usual,
      ...(typeof renamedFrom === "string" && { renamedFrom }),
    };
  });
}

/** Creates a change of a subject as a whole. */
export function createWholeChange(rule: Rule, before?: Subject, after?: Subject): Change {
  const subject = before ?? after;
  return {
    rule,
    name: subject?.resource ?? subject?.type ?? "",
    occurrences: subject ? [createWholePlace(subject)] : [],
    claim: {},
    ...(before && { before: createSpot(before.payload, before.at) }),
    ...(after && { after: createSpot(after.payload, after.at) }),
  };
}

/** Returns the place of a whole message; that of all messages if the type is "". */
export function createWholePlace({ type, stability }: Pick<Subject, "type" | "stability">): Occurrence {
  return { event: type, path: "", steps: [], stability };
}
