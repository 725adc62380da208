/**
 * Aligns the names of the layout: the discriminator and the properties that carry payloads. If they differ, no place of the
 * baseline exists in the current contract, so everything else is compared under the current names. Witnesses get the names
 * of the baseline again.
 */
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import type { EventType } from "../../protocol/protocol.js";
import type { Change } from "../change.js";
import { EVENT_RULES } from "../rules/events.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side } from "../side.js";

/** A baseline with the current names of the layout. */
export interface AlignedLayout<T extends Side> {
  readonly side: T;
  /** Returns whether a change is about the names that were replaced. */
  readonly isLayoutRename: (change: Change) => boolean;
  /** Returns an event of `side` with the names of the baseline. */
  readonly restoreNames: (event: Json) => Json;
}

/**
 * Returns `before` with the names of the layout of `after`. Aligns the names of all messages or, if these are equal, the
 * names for single event types. Undefined if there is nothing to align.
 */
export function alignLayoutNames<T extends Side>(before: T, after: Side): AlignedLayout<T> | undefined {
  return alignEnvelopeNames(before, after) ?? alignCarrierNames(before, after);
}

/** Renames the discriminator and the payload's property as in `after`; undefined if anything else differs. */
function alignEnvelopeNames<T extends Side>(before: T, after: Side): AlignedLayout<T> | undefined {
  const old = before.protocol.envelope;
  const now = after.protocol.envelope;
  const names = new Map<string, string>();
  if (old.discriminator !== now.discriminator) names.set(old.discriminator, now.discriminator);
  if (old.property !== undefined && now.property !== undefined && old.property !== now.property)
    names.set(old.property, now.property);
  const { properties, required } = old.schema;
  if (names.size === 0 || old.placement !== now.placement || !isObject(properties)) return undefined;
  const canRename = [...names].every(([from, to]) => from in properties && !(to in properties));
  if (!canRename) return undefined;
  const schema = {
    ...old.schema,
    properties: renameMembers(properties, names),
    ...(Array.isArray(required) && { required: required.map((name) => names.get(String(name)) ?? name) }),
  };
  const { discriminator, property } = now;
  const envelope = { ...old, discriminator, ...(property !== undefined && { property }), schema };
  return {
    side: { ...before, protocol: { ...before.protocol, envelope } },
    isLayoutRename: ({ rule }) => rule === EVENT_RULES["layout-changed"],
    restoreNames: (event) => (isObject(event) ? renameMembers(event, invertNames(names)) : event),
  };
}

/** Renames the properties that carry the payloads of single event types as in `after`. */
function alignCarrierNames<T extends Side>(before: T, after: Side): AlignedLayout<T> | undefined {
  const { envelope, events } = before.protocol;
  const newCarriers = new Map(
    after.protocol.events.map(({ type, payloadProperty }) => [type, payloadProperty]),
  );
  const names = new Map(
    events.flatMap(({ type, payloadProperty: from }): [string, [string, string]][] => {
      const to = newCarriers.get(type);
      return from === undefined || to === undefined || from === to ? [] : [[type, [from, to]]];
    }),
  );
  if (names.size === 0) return undefined;
  const renameCarrier = (event: EventType): EventType => {
    const [, to] = names.get(event.type) ?? [];
    return to === undefined ? event : { ...event, payloadProperty: to };
  };
  return {
    side: { ...before, protocol: { ...before.protocol, events: events.map(renameCarrier) } },
    isLayoutRename: ({ rule, from, places: [first] }) =>
      rule === FIELD_RULES["field-renamed"] && first?.path === "" && names.get(first.event)?.[0] === from,
    restoreNames: (event) => {
      if (!isObject(event)) return event;
      const pair = names.get(String(getOwn(event, envelope.discriminator)));
      return pair ? renameMembers(event, invertNames(new Map([pair]))) : event;
    },
  };
}

function invertNames(names: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...names].map(([from, to]) => [to, from]));
}

function renameMembers(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]));
}
