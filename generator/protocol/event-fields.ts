import { isObject } from "../json.js";
import { declaredFields, describeFamily } from "../schema/object-family.js";
import type { EventType, Protocol } from "./protocol.js";

/** The fields that the payload of an event type declares, in whatever branch or reference. */
export function eventFields({ definitions }: Protocol, { payload, at }: EventType): ReadonlySet<string> {
  return declaredFields(describeFamily(payload, definitions, at));
}

/** The optional payload fields with `x-requires`. They are absent where the emitter lacks what they need. */
export function dependentFields({ payload }: Pick<EventType, "payload">): readonly string[] {
  const { properties, required } = payload;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    isObject(schema) && schema["x-requires"] !== undefined && !names.includes(name) ? [name] : [],
  );
}
