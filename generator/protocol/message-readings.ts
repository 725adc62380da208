/** The readings of whole messages: an event is valid exactly when the envelope's and its body's reading accept it. */
import { isObject, type JsonObject } from "../json.js";
import { type Profile, type Reading, readAs } from "../schema/readings.js";
import type { Envelope, EventType, Protocol } from "./protocol.js";

/** The property that carries the payloads of an event type; undefined where they stand beside the envelope's fields, or there are none. */
export function carrierOf(
  { property }: Envelope,
  { payloadProperty }: Pick<EventType, "payloadProperty">,
): string | undefined {
  return property ?? payloadProperty;
}

/** The fields that the envelope itself declares. */
export function envelopeFields(envelope: Envelope): JsonObject {
  return isObject(envelope.schema.properties) ? envelope.schema.properties : {};
}

/** What the envelope says about every message, unknown event types among them; it leaves the payload to the body. */
export function envelopeReading(profile: Profile, { envelope, definitions }: Protocol): Reading {
  return readAs(profile, envelope.schema, definitions);
}

/** What an event type adds to the envelope, as a schema of the whole message: pointers of errors begin at its root. */
export function bodyReading(
  profile: Profile,
  { envelope, definitions }: Protocol,
  event: Pick<EventType, "payload" | "payloadProperty">,
): Reading {
  return readAs(profile, bodySchema(envelope, event), definitions);
}

function bodySchema(
  envelope: Envelope,
  { payload, payloadProperty }: Pick<EventType, "payload" | "payloadProperty">,
): JsonObject {
  const fields = Object.fromEntries(Object.keys(envelopeFields(envelope)).map((name) => [name, true]));
  const properties = isObject(payload.properties) ? payload.properties : {};
  switch (envelope.placement) {
    case "nested": {
      const common = isObject(envelope.schema.properties)
        ? envelope.schema.properties[envelope.property ?? ""]
        : {};
      const once = { ...payload, properties: { ...properties, ...checkedByEnvelope(properties, common) } };
      return { properties: { [envelope.property ?? ""]: once }, additionalProperties: true };
    }
    case "inline":
      return { ...payload, properties: { ...fields, ...properties } };
    case "keyed":
      return payloadProperty === undefined
        ? { type: "object", properties: fields }
        : {
            type: "object",
            properties: { ...fields, [payloadProperty]: payload },
            required: [payloadProperty],
          };
  }
}

/** The payload fields that stand in the envelope for all events: their values are checked there, so not again. */
function checkedByEnvelope(properties: JsonObject, payload: JsonObject[string] | undefined): JsonObject {
  const common = isObject(payload) && isObject(payload.properties) ? payload.properties : {};
  return Object.fromEntries(
    Object.entries(common).flatMap(([name, schema]) =>
      properties[name] === schema ? [[name, true] as const] : [],
    ),
  );
}
