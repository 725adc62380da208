/** Reads and edits the payloads of generated events. No function changes its arguments. */
import { getOwn, isObject } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { SampleEvent } from "../sample/event-maker.js";
import type { KitProtocol } from "./kit-protocol.js";

/** Returns the field that carries the payload of an event; undefined if the payload has no field of its own. */
function findCarrier({ envelope, schemas }: KitProtocol, event: SampleEvent): string | undefined {
  const type = getOwn(schemas.events, String(event[envelope.discriminator]));
  return findPayloadCarrier(envelope, {
    ...(type?.property !== undefined && { payloadProperty: type.property }),
  });
}

/** Returns the payload of an event: the event itself if the payload has no field of its own. */
export function getPayload(protocol: KitProtocol, event: SampleEvent): SampleEvent {
  const name = findCarrier(protocol, event);
  const payload = name === undefined ? event : event[name];
  return isObject(payload) ? payload : {};
}

/** Returns an event with a changed payload. */
export function mapPayload(
  protocol: KitProtocol,
  event: SampleEvent,
  change: (payload: SampleEvent) => SampleEvent,
): SampleEvent {
  const name = findCarrier(protocol, event);
  if (name === undefined) return protocol.envelope.placement === "keyed" ? event : change(event);
  const payload = event[name];
  return isObject(payload) ? { ...event, [name]: change(payload) } : event;
}

/** Returns an event with some fields of its payload set. */
export function setPayloadFields(
  protocol: KitProtocol,
  event: SampleEvent,
  fields: SampleEvent,
): SampleEvent {
  return mapPayload(protocol, event, (payload) => ({ ...payload, ...fields }));
}

/** A word that no contract contains. Names and values that a later version may add are made of it. */
export const TOKEN = "qzfuture";
