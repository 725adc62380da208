import { isObject } from "../json.js";
import { family } from "../schema/close-objects.js";
import { findIn } from "../schema/reference.js";
import type { EventType, Protocol } from "./protocol.js";

/** The fields that the payload of an event type declares, in whatever branch or reference. */
export function eventFields({ definitions }: Protocol, { payload }: EventType): ReadonlySet<string> {
  return new Set(
    family(payload, findIn(definitions)).flatMap(({ properties }) =>
      isObject(properties) ? Object.keys(properties) : [],
    ),
  );
}
