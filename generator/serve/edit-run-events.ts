/** Edits of recorded events: changed values, new events, and the numbers that follow from insertions. */
import { createObject, getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { findPayloadCarrier, getEnvelopeFields } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { setJsonValue } from "../source/jsonc-package.js";
import { drawNumber, type Words } from "./draw.js";
import { parseRunEvent, type RunEvent, readEvent } from "./run.js";

/** An event that stays, or a function that makes an inserted event with the given number. */
export type EventOrInsertion = RunEvent | ((sequence: number | undefined) => RunEvent);

/** Makes the inserted events, each with the next number, and increases the numbers after them. */
export function insertEvents(items: readonly EventOrInsertion[], protocol: Protocol): RunEvent[] {
  const events: RunEvent[] = [];
  let inserted = 0;
  for (const item of items) {
    const previous = events.at(-1)?.sequence;
    if (typeof item === "function") {
      events.push(item(previous === undefined ? protocol.stream?.first : previous + 1));
      inserted++;
    } else events.push(inserted === 0 ? item : moveNumbers(protocol, item, inserted));
  }
  return events;
}

/** Returns an event whose number, and the numbers that it reports as missing, are greater by `shift`. */
export function moveNumbers(protocol: Protocol, event: RunEvent, shift: number): RunEvent {
  const { sequence: field, rules } = protocol.stream ?? {};
  if (field === undefined || event.sequence === undefined) return event;
  const edits: EventEdit[] = [[[field], event.sequence + shift]];
  const marker = rules?.gaps?.find(({ type }) => type === event.type);
  const payload = marker ? readPayload(protocol, event) : {};
  const path = findPayloadPath(protocol, event.type) ?? [];
  for (const name of [marker?.first, marker?.last]) {
    const number = name === undefined ? undefined : payload[name];
    if (name !== undefined && typeof number === "number") edits.push([[...path, name], number + shift]);
  }
  return editEvent(protocol, event, edits);
}

/** The path of a value in an event and its new value; undefined removes it. */
export type EventEdit = readonly [path: readonly string[], value: Json | undefined];

/** Returns an event with changed values. Its other bytes stay as they are. */
export function editEvent(protocol: Protocol, event: RunEvent, edits: readonly EventEdit[]): RunEvent {
  let text = Buffer.from(event.raw).toString("utf8");
  for (const [path, value] of edits) text = setJsonValue(text, [...path], value);
  const edited = readEditedEvent(protocol, text);
  return event.state === undefined ? edited : { ...edited, state: event.state };
}

/** Returns a new event with the envelope of another one, and with an id of its own, which `words` determine. */
export function makeEvent(
  protocol: Protocol,
  template: RunEvent,
  content: { readonly type: string; readonly payload: JsonObject; readonly sequence: number | undefined },
  words: Words,
): RunEvent {
  const { type, payload, sequence } = content;
  const { envelope, stream } = protocol;
  const original = parseRunEvent(template);
  const fields = Object.keys(getEnvelopeFields(envelope)).filter((name) => Object.hasOwn(original, name));
  const value: { [name: string]: Json } = createObject(fields.map((name) => [name, original[name] ?? null]));
  value[envelope.discriminator] = type;
  if (stream?.sequence !== undefined && sequence !== undefined) value[stream.sequence] = sequence;
  if (stream?.id !== undefined && template.id !== undefined)
    value[stream.id] = makeId(template.id, ...words, type, sequence ?? 0);
  const [carrier] = findPayloadPath(protocol, type) ?? ["Future"];
  if (carrier === undefined) Object.assign(value, payload);
  else value[carrier] = payload;
  return readEditedEvent(protocol, JSON.stringify(value));
}

/** Returns the path of an event's payload; undefined if events of this type have none. */
export function findPayloadPath({ envelope, events }: Protocol, type: string): string[] | undefined {
  if (envelope.placement === "inline") return [];
  const event = events.find((candidate) => candidate.type === type);
  const property = findPayloadCarrier(envelope, event);
  return property === undefined ? undefined : [property];
}

/** Returns an event's payload; empty if it has none. */
export function readPayload(protocol: Protocol, event: RunEvent): JsonObject {
  const path = findPayloadPath(protocol, event.type);
  let value: Json | undefined = path ? parseRunEvent(event) : {};
  for (const part of path ?? []) value = isObject(value) ? getOwn(value, part) : undefined;
  return isObject(value) ? value : {};
}

/** Returns another id of the same form. Its last characters are digits, which all usual forms of ids allow. */
export function makeId(original: string, ...words: Words): string {
  const digits = Array.from({ length: 8 }, (_, index) => drawNumber(10, original, index, ...words)).join("");
  return original.length >= 16 ? original.slice(0, -8) + digits : `${original}-${digits}`;
}

function readEditedEvent(protocol: Protocol, text: string): RunEvent {
  const event = readEvent(protocol, Buffer.from(text), JSON.parse(text));
  if (typeof event === "string") throw new Error(`A fault made an event that cannot be served: ${event}`);
  return event;
}
