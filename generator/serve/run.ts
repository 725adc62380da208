/**
 * Runs: streams of a protocol, with their events in the order of delivery. An event is its bytes, which are sent
 * unchanged, and the properties that ordering and filters need.
 */
import { getOwn, isObject, type JsonObject } from "../json.js";
import type { Endpoints } from "../protocol/endpoints.js";
import type { Protocol } from "../protocol/protocol.js";

/** An event as it was recorded. */
export interface RunEvent {
  /** The envelope in UTF-8, on one line. */
  readonly raw: Uint8Array;
  readonly type: string;
  /** Its number in the stream; absent if the protocol has no sequence numbers. */
  readonly sequence?: number;
  /** Its id; absent if the protocol has no ids. */
  readonly id?: string;
  /** Its time in milliseconds since 1970; absent if the event has none. */
  readonly time?: number;
  /** The members of the state that a log stored with the event; absent if it stored none. */
  readonly state?: JsonObject;
}

/** One stream: a run, a session, a task. */
export interface Run {
  /** The id of its protocol, `<name>/v<major>`. */
  readonly protocol: string;
  /** Identifies the stream within its protocol: the values of the key fields, joined by `/`. */
  readonly key: string;
  /** The envelope fields that paths and filters use, as far as its events have them. */
  readonly fields: { readonly [name: string]: string };
  readonly events: readonly RunEvent[];
}

/** The key of the only run of a protocol without streams. */
const ONLY_KEY = "all";

/** Returns the properties of one event, or a sentence that states why it cannot be served. `raw` and `value` must be the same JSON. */
export function readEvent(protocol: Protocol, raw: Uint8Array, value: JsonObject): RunEvent | string {
  const { sequence, id, time } = protocol.stream ?? {};
  const type = getOwn(value, protocol.envelope.discriminator);
  if (typeof type !== "string") return `${protocol.envelope.discriminator} is not a string.`;
  const event: { -readonly [name in keyof RunEvent]: RunEvent[name] } = { raw: replaceLineEnds(raw), type };
  if (sequence !== undefined) {
    const number = getOwn(value, sequence);
    if (!Number.isSafeInteger(number) || (number as number) < 0)
      return `${sequence} is not a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, so it cannot be a cursor.`;
    event.sequence = number as number;
  }
  const eventId = id === undefined ? undefined : getOwn(value, id);
  if (typeof eventId === "string") event.id = eventId;
  const parsedTime = parseTime(time === undefined ? undefined : getOwn(value, time));
  if (parsedTime !== undefined) event.time = parsedTime;
  return event;
}

/** Returns the values of the fields that identify an event's stream, or the first field that is missing. */
export function readStreamKey(
  protocol: Protocol,
  value: JsonObject,
): readonly string[] | { readonly missing: string } {
  const parts: string[] = [];
  for (const field of protocol.stream?.key ?? []) {
    const part = readFieldText(value, field);
    if (part === undefined) return { missing: field };
    parts.push(part);
  }
  return parts.length === 0 ? [ONLY_KEY] : parts;
}

/** Returns the value of an envelope field as text for a path; undefined if there is none. */
export function readFieldText(value: JsonObject, field: string): string | undefined {
  const text = getOwn(value, field);
  if (typeof text === "number") return String(text);
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** Parses an event. */
export function parseRunEvent({ raw }: RunEvent): JsonObject {
  const value = JSON.parse(Buffer.from(raw).toString("utf8"));
  return isObject(value) ? value : {};
}

/** Returns a time in milliseconds since 1970; undefined if the value is not a time. */
function parseTime(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}

/** Replaces line ends by spaces, because a line end would end a field of a server-sent event. */
function replaceLineEnds(raw: Uint8Array): Uint8Array {
  if (!raw.includes(0x0d) && !raw.includes(0x0a)) return raw;
  return raw.map((byte) => (byte === 0x0d || byte === 0x0a ? 0x20 : byte));
}

/** Takes the place of a field that a run does not have in its path. */
const ABSENT_FIELD = "-";

/** Returns the segments of a run's path, not encoded. */
export function listRunSegments({ stream }: Endpoints, { protocol, fields }: Run): string[] {
  const segments = stream
    .split("/")
    .map((part) => (part.startsWith("{") ? (getOwn(fields, part.slice(1, -1)) ?? ABSENT_FIELD) : part));
  return [...protocol.split("/"), ...segments];
}

/** Returns a path of these segments. */
export function formatPath(segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join("/")}`;
}
