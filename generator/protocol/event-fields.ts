import { declaredFields, describeFamily } from "../schema/object-family.js";
import type { EventType, Protocol } from "./protocol.js";

/** The fields that the payload of an event type declares, in whatever branch or reference. */
export function eventFields({ definitions }: Protocol, { payload, at }: EventType): ReadonlySet<string> {
  return declaredFields(describeFamily(payload, definitions, at));
}
