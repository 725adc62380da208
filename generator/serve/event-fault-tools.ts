/** What faults of events are made of: reading and editing events, and inserting new ones so that the numbers fit. */

import { applyEdits, modify } from "jsonc-parser";
import { isObject, type Json, type JsonObject, objectFrom, own } from "../json.js";
import type { FaultTargets } from "../protocol/fault-targets.js";
import { envelopeFields, payloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { pick } from "./random.js";
import { eventValue, type RunEvent, readEvent } from "./run.js";

/** What a fault of events is given beside the events. */
export interface FaultTools {
  readonly protocol: Protocol;
  readonly targets: FaultTargets;
  /** Whether the fault happens at a place of the run. */
  happens(place: number): boolean;
  /** The value of an option. */
  option(name: "count" | "bytes"): number;
  /** Words that tell this use of the fault from all others, for drawing. */
  readonly words: readonly (string | number)[];
  /** Whether readers know the type of an event and accept it. */
  accepts(value: JsonObject): boolean;
}

/** Changes the events of a run to inject a fault. A pure function. */
export type EventFault = (events: readonly RunEvent[], tools: FaultTools) => readonly RunEvent[];

/** An event that stays, or the making of one that is inserted. */
export type Slot = RunEvent | ((sequence: number | undefined) => RunEvent);

/** Makes the inserted events, each with the next number, and moves the numbers behind them on. */
export function settle(slots: readonly Slot[], { protocol }: FaultTools): RunEvent[] {
  const { sequence: field, first } = protocol.stream ?? {};
  const events: RunEvent[] = [];
  let inserted = 0;
  for (const slot of slots) {
    const before = events.at(-1)?.sequence;
    if (typeof slot === "function") {
      events.push(slot(before === undefined ? first : before + 1));
      inserted++;
    } else if (inserted === 0 || field === undefined || slot.sequence === undefined) events.push(slot);
    else events.push(edited(protocol, slot, [[[field], slot.sequence + inserted]]));
  }
  return events;
}

/** An event with some of its values set, or removed where they are undefined; its other bytes stay as they are. */
export function edited(
  protocol: Protocol,
  event: RunEvent,
  edits: readonly (readonly [path: readonly string[], value: Json | undefined])[],
): RunEvent {
  let text = Buffer.from(event.raw).toString("utf8");
  for (const [path, value] of edits) text = applyEdits(text, modify(text, [...path], value, {}));
  return made(protocol, text);
}

/** A new event of `type` with the envelope of another, its own identity and number. */
export function synthetic(
  { protocol, words }: FaultTools,
  like: RunEvent,
  { type, payload, sequence }: { type: string; payload: JsonObject; sequence: number | undefined },
): RunEvent {
  const { envelope, stream, events } = protocol;
  const old = eventValue(like);
  const fields = Object.keys(envelopeFields(envelope)).filter((name) => Object.hasOwn(old, name));
  const value: { [name: string]: Json } = objectFrom(fields.map((name) => [name, old[name] ?? null]));
  value[envelope.discriminator] = type;
  if (stream?.sequence !== undefined && sequence !== undefined) value[stream.sequence] = sequence;
  if (stream?.id !== undefined && like.id !== undefined)
    value[stream.id] = freshId(like.id, ...words, type, sequence ?? 0);
  if (envelope.placement === "inline") Object.assign(value, payload);
  else {
    const event = events.find((each) => each.type === type);
    value[payloadCarrier(envelope, event) ?? "Future"] = payload;
  }
  return made(protocol, JSON.stringify(value));
}

/** Where an event's payload lies; undefined if it carries none. */
export function payloadPath({ envelope, events }: Protocol, type: string): string[] | undefined {
  if (envelope.placement === "inline") return [];
  const event = events.find((each) => each.type === type);
  const property = payloadCarrier(envelope, event);
  return property === undefined ? undefined : [property];
}

/** An event's payload; empty if it carries none. */
export function payloadOf(protocol: Protocol, event: RunEvent): JsonObject {
  const path = payloadPath(protocol, event.type);
  let value: Json | undefined = path ? eventValue(event) : {};
  for (const part of path ?? []) value = isObject(value) ? own(value, part) : undefined;
  return isObject(value) ? value : {};
}

/** The payload of the first example of an event type; empty if the contract shows none. */
export function examplePayload({ events }: Protocol, type: string): JsonObject {
  const example = events.find((event) => event.type === type)?.examples[0];
  return isObject(example) ? example : {};
}

/** Another id of the same form: its last characters are digits, as every usual form of id allows. */
export function freshId(like: string, ...words: readonly (string | number)[]): string {
  const digits = Array.from({ length: 8 }, (_, index) => pick(10, like, index, ...words)).join("");
  return like.length >= 16 ? like.slice(0, -8) + digits : `${like}-${digits}`;
}

function made(protocol: Protocol, text: string): RunEvent {
  const event = readEvent(protocol, Buffer.from(text), JSON.parse(text));
  if (typeof event === "string") throw new Error(`A fault made an event that cannot be served: ${event}`);
  return event;
}
