/** Determines where a message carries its payload, and which fields the envelope and the payloads share. */
import { equal, isObject, type JsonObject, objectFrom, own } from "../json.js";
import type { Envelope, EventType } from "./protocol.js";

/** Returns the property that carries the payloads of an event type; undefined if they are beside the envelope's fields, or if there are none. */
export function payloadCarrier(
  { placement, property }: Pick<Envelope, "placement" | "property">,
  event: Pick<EventType, "payloadProperty"> | undefined,
): string | undefined {
  if (placement === "nested") return property;
  return placement === "keyed" ? event?.payloadProperty : undefined;
}

/** Returns whether messages of this event type have a payload. With keyed placement, some have none. */
export function hasPayload(
  envelope: Pick<Envelope, "placement" | "property">,
  event: Pick<EventType, "payloadProperty">,
): boolean {
  return envelope.placement === "inline" || payloadCarrier(envelope, event) !== undefined;
}

/** Returns the fields that the envelope itself declares. */
export function envelopeFields({ schema }: Pick<Envelope, "schema">): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

/** Returns the schema that a nested envelope gives for the place of every payload; undefined if it gives none. */
export function payloadPlace(envelope: Pick<Envelope, "schema" | "property">): JsonObject | undefined {
  const { property } = envelope;
  const place = property === undefined ? undefined : own(envelopeFields(envelope), property);
  return isObject(place) ? place : undefined;
}

/** Returns the fields that a nested envelope declares for every payload, with their schemas. */
export function commonFields(envelope: Pick<Envelope, "schema" | "property" | "payloadFields">): JsonObject {
  const place = payloadPlace(envelope);
  if (!isObject(place?.properties) || envelope.payloadFields.length === 0) return {};
  const entries = Object.entries(place.properties);
  return objectFrom(entries.filter(([name]) => envelope.payloadFields.includes(name)));
}

/** Returns the fields of a payload that are the envelope's own: declared there for every payload, and the same here. */
export function inheritedFields(envelope: Envelope, payload: JsonObject): ReadonlySet<string> {
  const common = commonFields(envelope);
  const properties = isObject(payload.properties) ? payload.properties : {};
  const names = Object.keys(common).filter((name) => {
    const [shared, field] = [own(common, name), own(properties, name)];
    return shared !== undefined && field !== undefined && equal(shared, field);
  });
  return new Set(names);
}
