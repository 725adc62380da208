import { declaredFields, describeFamily } from "../schema/object-family.js";
import type { Definitions } from "../schema/reference.js";
import type { EventType, Protocol } from "./protocol.js";

const FIELDS = new WeakMap<Definitions, Map<EventType, ReadonlySet<string>>>();

/** The fields that the payload of an event type declares, in whatever branch or reference. */
export function eventFields({ definitions }: Protocol, event: EventType): ReadonlySet<string> {
  const known = FIELDS.get(definitions) ?? new Map<EventType, ReadonlySet<string>>();
  FIELDS.set(definitions, known);
  const fields = known.get(event) ?? declaredFields(describeFamily(event.payload, definitions, event.at));
  known.set(event, fields);
  return fields;
}
