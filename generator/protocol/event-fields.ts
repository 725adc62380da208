import { isObject, own } from "../json.js";
import { family } from "../schema/close-objects.js";
import type { Schema } from "../schema/json-schema.js";
import type { EventType, Protocol } from "./protocol.js";

/** The fields that the payload of an event type declares, in whatever branch or reference. */
export function eventFields({ definitions }: Protocol, { payload }: EventType): ReadonlySet<string> {
  const find = (reference: string): Schema =>
    own(definitions, reference.slice("#/$defs/".length))?.schema ?? true;
  return new Set(
    family(payload, find).flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])),
  );
}
