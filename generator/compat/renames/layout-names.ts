/**
 * Where the names differ that lay messages out, no place of the baseline is a place of the current contract. The
 * baseline under the current names makes the rest comparable; what it says is told back under its own names.
 */
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import type { EventType } from "../../protocol/protocol.js";
import type { Change } from "../change.js";
import { layoutChanged } from "../rules/events.js";
import { fieldRenamed } from "../rules/fields.js";
import type { Side } from "../side.js";

/** A baseline with the current names of the fields that lay messages out. */
export interface AlignedLayout<T extends Side> {
  readonly side: T;
  /** Whether a change is about the names that `side` has lost. */
  readonly isLayoutRename: (change: Change) => boolean;
  /** An event of `side` with the names of the baseline. */
  readonly back: (event: Json) => Json;
}

/** `before` with names as in `after`: those for all messages if they differ, otherwise those of single payloads. */
export function alignLayoutNames<T extends Side>(before: T, after: Side): AlignedLayout<T> | undefined {
  return withEnvelope(before, after) ?? withCarriers(before, after);
}

/** The discriminator and the payload's property called as in `after`; undefined unless that is all that differs. */
function withEnvelope<T extends Side>(before: T, after: Side): AlignedLayout<T> | undefined {
  const [old, now] = [before.protocol.envelope, after.protocol.envelope];
  const names = new Map<string, string>();
  if (old.discriminator !== now.discriminator) names.set(old.discriminator, now.discriminator);
  if (old.property !== undefined && now.property !== undefined && old.property !== now.property)
    names.set(old.property, now.property);
  const { properties, required } = old.schema;
  if (names.size === 0 || old.placement !== now.placement || !isObject(properties)) return undefined;
  if (![...names].every(([from, to]) => from in properties && !(to in properties))) return undefined;
  const schema = {
    ...old.schema,
    properties: withNames(properties, names),
    ...(Array.isArray(required) && { required: required.map((name) => names.get(String(name)) ?? name) }),
  };
  const { discriminator, property } = now;
  const envelope = { ...old, discriminator, ...(property !== undefined && { property }), schema };
  return {
    side: { ...before, protocol: { ...before.protocol, envelope } },
    isLayoutRename: ({ rule }) => rule === layoutChanged,
    back: (event) => (isObject(event) ? withNames(event, reversed(names)) : event),
  };
}

/** The properties that carry the payloads of single event types called as in `after`. */
function withCarriers<T extends Side>(before: T, after: Side): AlignedLayout<T> | undefined {
  const { envelope, events } = before.protocol;
  const now = new Map(after.protocol.events.map(({ type, payloadProperty }) => [type, payloadProperty]));
  const names = new Map(
    events.flatMap(({ type, payloadProperty: from }): [string, [string, string]][] => {
      const to = now.get(type);
      return from === undefined || to === undefined || from === to ? [] : [[type, [from, to]]];
    }),
  );
  if (names.size === 0) return undefined;
  const renamed = (event: EventType): EventType => {
    const [, to] = names.get(event.type) ?? [];
    return to === undefined ? event : { ...event, payloadProperty: to };
  };
  return {
    side: { ...before, protocol: { ...before.protocol, events: events.map(renamed) } },
    isLayoutRename: ({ rule, from, occurrences: [first] }) =>
      rule === fieldRenamed && first?.path === "" && names.get(first.event)?.[0] === from,
    back: (event) => {
      if (!isObject(event)) return event;
      const pair = names.get(String(own(event, envelope.discriminator)));
      return pair ? withNames(event, reversed(new Map([pair]))) : event;
    },
  };
}

function reversed(names: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...names].map(([from, to]) => [to, from]));
}

function withNames(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]));
}
