import { getMembers, getOwn, type JsonObject } from "../../json.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import type { FixtureStream } from "../fixture-stream.js";

/** An event of a recording, with its type. */
export interface RecordedEvent {
  readonly event: EventType;
  readonly payload: JsonObject;
}

/** The events of one stream of a recording. */
export interface RecordedRun {
  readonly name: string;
  readonly events: readonly RecordedEvent[];
}

/** Splits a recording into the events of its streams. */
export function splitRuns(
  { envelope, stream, events }: Protocol,
  { id, events: recorded }: FixtureStream,
): RecordedRun[] {
  const types = new Map(events.map((event) => [event.type, event]));
  const runs = new Map<string, RecordedEvent[]>();
  for (const whole of recorded) {
    const event = types.get(String(getOwn(whole, envelope.discriminator)));
    if (event === undefined) continue;
    const carrier = findPayloadCarrier(envelope, event);
    const payload = getMembers(carrier === undefined ? whole : getOwn(whole, carrier));
    const key = JSON.stringify((stream?.key ?? []).map((name) => getOwn(whole, name)));
    runs.set(key, [...(runs.get(key) ?? []), { event, payload }]);
  }
  return [...runs.values()].map((own) => ({ name: id.replace(/\.jsonl$/, ""), events: own }));
}
