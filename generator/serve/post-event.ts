/** Answers requests that add an event to a run. */
import { getOwn, isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { didYouMean } from "../nearest.js";
import { findPayloadCarrier, getEnvelopeFields } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Validators } from "../validators/protocol-validators.js";
import { type Answer, JSON_HEADERS, type Request } from "./answer.js";
import { makeEvent } from "./edit-run-events.js";
import type { Playback, PlayedRun } from "./play.js";
import { checkPostedEvent, type FieldPlaces, listDeliveredEvents } from "./posted-event.js";
import { type BodyError, HttpError } from "./problem.js";
import { quote } from "./query.js";
import { createBodyError, readJsonObject } from "./read-body.js";
import type { RunEvent } from "./run.js";

/** A run that a caller changes, with its protocol. */
export interface RunContext {
  readonly protocol: Protocol;
  readonly validators: Validators;
  readonly playback: Playback;
  readonly played: PlayedRun;
}

/** Returns the answer to a request that created an event: the event with the status 201. */
export function createEventAnswer({ raw }: RunEvent): Answer {
  const body = Buffer.concat([Buffer.from('{"object":"event","data":'), raw, Buffer.from("}\n")]);
  const headers = { ...JSON_HEADERS, "content-length": String(body.length) };
  return { status: 201, headers, canCompress: false, pieces: () => [body] };
}

/** Adds the event in the body of a request to a run. `types` are the event types that callers may post. */
export function answerPostedEvent(context: RunContext, types: readonly string[], request: Request): Answer {
  const { protocol, played, playback, validators } = context;
  const template = played.log.deliveries.at(-1)?.event;
  if (!template)
    throw new HttpError("state-conflict", "The run has not begun, so no event can be added to it.");
  const body = readJsonObject(request);
  const type = readType(protocol, types, body);
  const { payload, places } = readPayloadFields(protocol, type, body);
  const sequence = played.getNextNumber();
  const words = ["posted", played.run.key, played.log.deliveries.length];
  const event = makeEvent(protocol, template, { type, payload, sequence }, words);
  checkPostedEvent(validators, listDeliveredEvents(played.log.deliveries), event, places);
  playback.add(played, event);
  return createEventAnswer(event);
}

/** Returns the event type that the body names, or the first of `types`. */
function readType(protocol: Protocol, types: readonly string[], body: JsonObject): string {
  const { discriminator } = protocol.envelope;
  const type = getOwn(body, discriminator) ?? types[0];
  if (typeof type === "string" && types.includes(type)) return type;
  const accepted = `Callers may post ${types.join(", ")}`;
  const message =
    typeof type === "string" ? `${accepted}, not ${quote(type)}${didYouMean(type, types)}` : `${accepted}.`;
  throw createBodyError([{ pointer: joinPointer("", discriminator), message }]);
}

/**
 * Returns the payload that the body describes: the members of the property that carries payloads, and all members
 * beside it that the envelope does not have.
 */
function readPayloadFields(
  protocol: Protocol,
  type: string,
  body: JsonObject,
): { readonly payload: JsonObject; readonly places: FieldPlaces } {
  const { envelope, events } = protocol;
  const carrier = findPayloadCarrier(
    envelope,
    events.find((event) => event.type === type),
  );
  const envelopeFields = Object.keys(getEnvelopeFields(envelope));
  const payload = new Map<string, Json>();
  const places = new Map<string, string>();
  const errors: BodyError[] = [];
  const add = (name: string, value: Json, pointer: string): void => {
    if (payload.has(name)) errors.push({ pointer, message: `${quote(name)} is given twice.` });
    payload.set(name, value);
    places.set(name, pointer);
  };
  for (const [name, value] of Object.entries(body)) {
    const pointer = joinPointer("", name);
    if (name === envelope.discriminator) continue;
    if (name === carrier && !isObject(value)) errors.push({ pointer, message: `${name} must be an object.` });
    else if (name === carrier)
      for (const [field, part] of Object.entries(value as JsonObject))
        add(field, part, joinPointer(pointer, field));
    else if (envelopeFields.includes(name))
      errors.push({ pointer, message: `The server sets ${name}; leave it out.` });
    else add(name, value, pointer);
  }
  if (errors.length > 0) throw createBodyError(errors);
  return { payload: Object.fromEntries(payload), places };
}
