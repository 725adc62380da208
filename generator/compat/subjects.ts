/** The subjects of a comparison: event types in their envelope, and resources without one. */
import type { EventType, Protocol, Resource } from "../protocol/protocol.js";
import { memoizeByObject } from "../sample/memoize.js";
import type { Change, Occurrence, Rule } from "./change.js";
import { mostStable, spotAt, stabilityOf } from "./side.js";

/** An event type, or a resource in the same form. */
export interface Subject
  extends Pick<EventType, "type" | "payload" | "payloadProperty" | "stability" | "renamedFrom" | "at"> {
  /** The name of the resource; absent for event types. `type` is its `resourceKey` then, `payload` its schema. */
  readonly resource?: string;
}

/** File names have no NUL character, so no event type begins with this. */
const PREFIX = "\0resource ";

/** Returns the key of a resource in occurrences and names; no event type has such a name. */
export function resourceKey(name: string): string {
  return PREFIX + name;
}

/** Returns the name of the resource that `key` refers to; undefined for an event type and for "", the envelope. */
export function resourceNamed(key: string): string | undefined {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined;
}

/** Returns how a tombstone names the resource that held a field or value. */
export function resourceHolder(name: string): string {
  return `resource:${name}`;
}

/** Returns the event types and resources among `keys`, each once and in order; the envelope is "*". */
export function namesIn(keys: readonly string[]): { events: string[]; resources: string[] } {
  const all = [...new Set(keys)];
  const resources = all.map(resourceNamed).filter((name) => name !== undefined);
  const events = all.filter((key) => resourceNamed(key) === undefined);
  return { events: events.map((key) => (key === "" ? "*" : key)), resources };
}

/** All event types and resources of `protocol`. */
export function subjectsOf(protocol: Protocol): Subject[] {
  return [...protocol.events, ...resourceSubjects(protocol)];
}

/** The resources of a protocol as subjects. One that states no stability is as stable as the most stable event type. */
export const resourceSubjects = memoizeByObject(collectResources);

function collectResources({ resources, events }: Protocol): readonly Subject[] {
  const usual = mostStable(events.map(({ stability }) => stability));
  return resources.map(({ name, schema, at }: Resource) => {
    const { "x-stability": stated, "x-renamed-from": renamedFrom } = schema;
    return {
      ...{ type: resourceKey(name), resource: name, payload: schema, at },
      stability: stabilityOf(stated) ?? usual,
      ...(typeof renamedFrom === "string" && { renamedFrom }),
    };
  });
}

/** Creates a change of a subject as a whole. */
export function wholeChange(rule: Rule, before?: Subject, after?: Subject): Change {
  const subject = before ?? after;
  return {
    rule,
    name: subject?.resource ?? subject?.type ?? "",
    occurrences: subject ? [wholePlace(subject)] : [],
    claim: {},
    ...(before && { before: spotAt(before.payload, before.at) }),
    ...(after && { after: spotAt(after.payload, after.at) }),
  };
}

/** Returns the place of a whole message. */
export function wholePlace({ type, stability }: Subject): Occurrence {
  return { event: type, path: "", steps: [], stability };
}
