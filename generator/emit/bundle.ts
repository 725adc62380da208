import { isObject, type Json, type JsonObject } from "../json.js";
import { findPayloadCarrier, getEnvelopeFields, hasPayload } from "../protocol/message-layout.js";
import { deriveEventName, derivePayloadName, deriveResourceName } from "../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../protocol/protocol.js";
import { dropDialect } from "../schema/json-schema.js";
import { formatReference } from "../schema/reference.js";
import { createBanner, formatLiteral } from "../text.js";

/**
 * `schema.json`: the whole contract as one self-contained JSON Schema 2020-12 document with named definitions, with all
 * annotations. The document itself accepts every known event as its schema says, which is close to the reader reading.
 */
export function emitBundle(protocol: Protocol): OutputFile {
  return { path: `${protocol.id}/schema.json`, content: `${formatLiteral(createBundle(protocol), 2)}\n` };
}

/** Creates the document that `emitBundle` writes. */
export function createBundle(protocol: Protocol): JsonObject {
  const { envelope, events, resources, definitions } = protocol;
  const schemas: [string, Json][] = [
    ["Envelope", envelope.schema],
    ...resources.map(({ name, schema }): [string, Json] => [deriveResourceName(name), schema]),
    ...Object.entries(definitions).map(([name, { schema }]): [string, Json] => [name, schema]),
    ...events.flatMap((event) => listEventSchemas(protocol, event)),
  ];
  const sortedSchemas = [...new Map(schemas)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    $comment: createBanner(),
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: protocol.title,
    description: protocol.description,
    ...(events.length === 0
      ? { not: {} }
      : { oneOf: events.map((event) => ({ $ref: formatReference(deriveEventName(event)) })) }),
    $defs: Object.fromEntries(sortedSchemas.map(([name, schema]) => [name, dropDialect(schema)])),
  };
}

/** Lists the schemas of an event type by name: of its payload if it has one, and of the complete event. */
function listEventSchemas(protocol: Protocol, event: EventType): [string, Json][] {
  const eventSchema: [string, Json] = [deriveEventName(event), createEventSchema(protocol, event)];
  if (!hasPayload(protocol.envelope, event)) return [eventSchema];
  return [[derivePayloadName(event), createPayloadSchema(protocol, event)], eventSchema];
}

/** Creates the payload's schema. If the payload is inline and limits undeclared fields, it declares the envelope fields, too. */
function createPayloadSchema({ envelope }: Protocol, { payload }: EventType): JsonObject {
  const limitsFields =
    payload.additionalProperties !== undefined || payload.unevaluatedProperties !== undefined;
  if (envelope.placement !== "inline" || !limitsFields) return payload;
  const fields = Object.keys(getEnvelopeFields(envelope)).map((name): [string, Json] => [name, true]);
  const payloadFields = isObject(payload.properties) ? payload.properties : {};
  return { ...payload, properties: { ...Object.fromEntries(fields), ...payloadFields } };
}

/** Creates the schema of a complete event: the envelope, the event type, and the payload in its place. */
function createEventSchema(protocol: Protocol, event: EventType): JsonObject {
  const { discriminator, placement } = protocol.envelope;
  const payload = { $ref: formatReference(derivePayloadName(event)) };
  const carrier = findPayloadCarrier(protocol.envelope, event);
  return {
    title: event.summary,
    allOf: [{ $ref: formatReference("Envelope") }, ...(placement === "inline" ? [payload] : [])],
    type: "object",
    properties: {
      [discriminator]: { const: event.type },
      ...(carrier !== undefined && { [carrier]: payload }),
    },
    required: [discriminator, ...(carrier === undefined ? [] : [carrier])],
  };
}
