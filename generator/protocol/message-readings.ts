/** The readings of whole messages: an event is valid exactly when the envelope's and its body's reading accept it. */
import { isObject, type JsonObject, objectFrom } from "../json.js";
import { type Profile, type Reading, readAs } from "../schema/readings.js";
import { envelopeFields, inheritedFields } from "./message-layout.js";
import type { Envelope, EventType, Protocol } from "./protocol.js";

/** Returns the schema that the envelope gives every message, also one of an unknown event type. It allows any payload. */
export function envelopeReading(profile: Profile, { envelope, definitions }: Protocol): Reading {
  return readAs(profile, envelope.schema, definitions);
}

/** Returns what an event type adds to the envelope, as a schema of the whole message, so that pointers of errors begin at its root. */
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
      // The values of inherited fields are checked by the envelope's reading, so not again.
      const checked = [...inheritedFields(envelope, payload)].map((name) => [name, true] as const);
      const once = { ...payload, properties: { ...properties, ...objectFrom(checked) } };
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
