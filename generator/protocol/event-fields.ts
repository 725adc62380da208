import { isObject } from "../json.js";
import { acceptsOtherFields, collectDeclaredFields, describeFamily } from "../schema/object-family.js";
import type { Definitions } from "../schema/reference.js";
import type { EventType, Protocol } from "./protocol.js";

/** The results of `collectEventFields`. */
const resultsByDefinitions = new WeakMap<Definitions, Map<EventType, ReadonlySet<string>>>();

/** Returns the fields that the payload of an event type declares in any branch or reference. */
export function collectEventFields({ definitions }: Protocol, event: EventType): ReadonlySet<string> {
  const results = resultsByDefinitions.get(definitions) ?? new Map<EventType, ReadonlySet<string>>();
  resultsByDefinitions.set(definitions, results);
  const fields =
    results.get(event) ?? collectDeclaredFields(describeFamily(event.payload, definitions, event.at));
  results.set(event, fields);
  return fields;
}

/** Returns whether writers may send payloads of an event type with fields that it does not declare. */
export function hasOpenPayload({ definitions }: Protocol, { payload, at }: EventType): boolean {
  return acceptsOtherFields(describeFamily(payload, definitions, at));
}

/** Returns the optional payload fields with `x-requires`. A writer that lacks the requirement omits them. */
export function listDependentFields({ payload }: Pick<EventType, "payload">): readonly string[] {
  const { properties, required } = payload;
  if (!isObject(properties)) return [];
  const requiredNames = Array.isArray(required) ? required : [];
  return Object.entries(properties).flatMap(([name, schema]) =>
    isObject(schema) && schema["x-requires"] !== undefined && !requiredNames.includes(name) ? [name] : [],
  );
}
