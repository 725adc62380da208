/**
 * What is served: runs, each one stream of a protocol with its events in the order of delivery. Plain data, wherever it
 * came from. An event is its bytes, which are sent as they are, and the few facts that ordering and filters need.
 */
import { isObject, type JsonObject, own } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";

/** An event as it was recorded. */
export interface RunEvent {
  /** The envelope in UTF-8, on one line. */
  readonly raw: Uint8Array;
  readonly type: string;
  /** Its number in the stream; absent if the protocol numbers none. */
  readonly sequence?: number;
  /** Its identity; absent if the protocol gives none. */
  readonly id?: string;
  /** When it happened, in milliseconds since 1970; absent if it does not say. */
  readonly time?: number;
}

/** One stream: a run, a session, a task. */
export interface Run {
  /** The id of its protocol, `<name>/v<major>`. */
  readonly protocol: string;
  /** Identifies the stream within its protocol: the values of the key fields, joined by `/`. */
  readonly key: string;
  /** Envelope fields that paths and filters are made of, as far as its events have them. */
  readonly fields: { readonly [name: string]: string };
  readonly events: readonly RunEvent[];
}

/** The key of a run whose protocol knows no streams. */
const ONLY = "all";

/** Returns the properties of one event, or a sentence that states why it cannot be served. `raw` and `value` must be the same JSON. */
export function readEvent(protocol: Protocol, raw: Uint8Array, value: JsonObject): RunEvent | string {
  const { sequence, id, time } = protocol.stream ?? {};
  const type = own(value, protocol.envelope.discriminator);
  if (typeof type !== "string") return `${protocol.envelope.discriminator} is not a string.`;
  const event: { -readonly [name in keyof RunEvent]: RunEvent[name] } = { raw: withoutBreaks(raw), type };
  if (sequence !== undefined) {
    const number = own(value, sequence);
    if (!Number.isSafeInteger(number) || (number as number) < 0)
      return `${sequence} is not a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, so it cannot be a cursor.`;
    event.sequence = number as number;
  }
  const name = id === undefined ? undefined : own(value, id);
  if (typeof name === "string") event.id = name;
  const at = milliseconds(time === undefined ? undefined : own(value, time));
  if (at !== undefined) event.time = at;
  return event;
}

/** The values of the fields that identify an event's stream, or the name of the first field that it lacks. */
export function keyOf(
  protocol: Protocol,
  value: JsonObject,
): readonly string[] | { readonly missing: string } {
  const parts: string[] = [];
  for (const field of protocol.stream?.key ?? []) {
    const part = fieldText(value, field);
    if (part === undefined) return { missing: field };
    parts.push(part);
  }
  return parts.length === 0 ? [ONLY] : parts;
}

/** The text of an envelope field that can stand in a path; undefined if there is none. */
export function fieldText(value: JsonObject, field: string): string | undefined {
  const text = own(value, field);
  if (typeof text === "number") return String(text);
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The value of an event's bytes. */
export function eventValue({ raw }: RunEvent): JsonObject {
  const value = JSON.parse(Buffer.from(raw).toString("utf8"));
  return isObject(value) ? value : {};
}

function milliseconds(time: unknown): number | undefined {
  const at = typeof time === "string" ? Date.parse(time) : time;
  return typeof at === "number" && Number.isFinite(at) ? at : undefined;
}

/** A line end between tokens is white space to JSON and the end of a field to a stream. */
function withoutBreaks(raw: Uint8Array): Uint8Array {
  if (!raw.includes(0x0d) && !raw.includes(0x0a)) return raw;
  return raw.map((byte) => (byte === 0x0d || byte === 0x0a ? 0x20 : byte));
}
