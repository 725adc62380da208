/** Determines where a message carries its payload, and which fields the envelope and the payloads share. */
import { areEqual, createObject, getOwn, isObject, type JsonObject } from "../json.js";
import type { Envelope, EventType } from "./protocol.js";

/** Returns the property that carries the payloads of an event type; undefined if payloads are beside the fields of the envelope, or if there are none. */
export function findPayloadCarrier(
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
  return envelope.placement === "inline" || findPayloadCarrier(envelope, event) !== undefined;
}

/** Returns the fields that the envelope itself declares. */
export function getEnvelopeFields({ schema }: Pick<Envelope, "schema">): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

/** Returns the schema that a nested envelope gives the property with the payload; undefined if it gives none. */
export function findPayloadPlaceSchema(
  envelope: Pick<Envelope, "schema" | "property">,
): JsonObject | undefined {
  const { property } = envelope;
  const place = property === undefined ? undefined : getOwn(getEnvelopeFields(envelope), property);
  return isObject(place) ? place : undefined;
}

/** Returns the fields that a nested envelope declares for every payload, with their schemas. */
export function collectCommonFields(
  envelope: Pick<Envelope, "schema" | "property" | "payloadFields">,
): JsonObject {
  const place = findPayloadPlaceSchema(envelope);
  if (!isObject(place?.properties) || envelope.payloadFields.length === 0) return {};
  const entries = Object.entries(place.properties);
  return createObject(entries.filter(([name]) => envelope.payloadFields.includes(name)));
}

/** Returns the payload fields that the envelope declares for every payload with an equal schema. */
export function collectInheritedFields(envelope: Envelope, payload: JsonObject): ReadonlySet<string> {
  const common = collectCommonFields(envelope);
  const properties = isObject(payload.properties) ? payload.properties : {};
  const names = Object.keys(common).filter((name) => {
    const commonField = getOwn(common, name);
    const field = getOwn(properties, name);
    return commonField !== undefined && field !== undefined && areEqual(commonField, field);
  });
  return new Set(names);
}
