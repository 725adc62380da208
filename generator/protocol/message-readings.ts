/** Creates the readings of whole messages. An event is valid if the readings of its envelope and of its body accept it. */
import { createObject, isObject, type JsonObject } from "../json.js";
import { type Profile, type Reading, readAs } from "../schema/readings.js";
import { collectInheritedFields, getEnvelopeFields } from "./message-layout.js";
import type { Envelope, EventType, Protocol } from "./protocol.js";

/** Returns the reading of the envelope, for messages of all event types, also unknown ones. It allows any payload. */
export function createEnvelopeReading(profile: Profile, { envelope, definitions }: Protocol): Reading {
  return readAs(profile, envelope.schema, definitions);
}

/** Returns the reading that an event type adds to the envelope. It describes the whole message, so pointers of errors begin at the root of the message. */
export function createBodyReading(
  profile: Profile,
  { envelope, definitions }: Protocol,
  event: Pick<EventType, "payload" | "payloadProperty">,
): Reading {
  return readAs(profile, createBodySchema(envelope, event), definitions);
}

function createBodySchema(
  envelope: Envelope,
  { payload, payloadProperty }: Pick<EventType, "payload" | "payloadProperty">,
): JsonObject {
  const fields = Object.fromEntries(Object.keys(getEnvelopeFields(envelope)).map((name) => [name, true]));
  const properties = isObject(payload.properties) ? payload.properties : {};
  switch (envelope.placement) {
    case "nested": {
      // The reading of the envelope already checks the values of inherited fields.
      const inherited = [...collectInheritedFields(envelope, payload)].map((name) => [name, true] as const);
      const payloadSchema = { ...payload, properties: { ...properties, ...createObject(inherited) } };
      return { properties: { [envelope.property ?? ""]: payloadSchema }, additionalProperties: true };
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
