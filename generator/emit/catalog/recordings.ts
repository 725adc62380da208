/** What the catalogue shows of recordings: runs, and the changes of state that happen in them. */

import type { StateDiagram, StateMove } from "../../conform/stream-rule.js";
import { areEqual, getMembers, getOwn, type Json, type JsonObject } from "../../json.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import type { StateMachine } from "../../protocol/stream-rules.js";
import type { FixtureStream } from "../emitter.js";
import { chooseFlows, type Flow } from "./flows.js";

/** What recordings show of a protocol. */
export interface Recordings {
  readonly flows: readonly Flow[];
  /** The changes of state that happen in recordings, a diagram for each machine with any. */
  readonly states: readonly StateDiagram[];
}

/** The recordings of a protocol without any. */
export const NO_RECORDINGS: Recordings = { flows: [], states: [] };

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

/** Returns what the streams of the fixtures show. */
export function readRecordings(protocol: Protocol, streams: readonly FixtureStream[]): Recordings {
  if (streams.length === 0) return NO_RECORDINGS;
  const runs = streams.flatMap((stream) => splitRuns(protocol, stream));
  const machines = protocol.stream?.rules?.machines ?? [];
  const states = machines.map((machine) => traceMachine(machine, runs));
  return { flows: chooseFlows(protocol, runs), states: states.filter(({ moves }) => moves.length > 0) };
}

/** Splits a recording into the events of its streams. */
function splitRuns(
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

/** Returns the changes of state of a machine in recordings, each with the event types that cause it. */
function traceMachine(machine: StateMachine, runs: readonly RecordedRun[]): StateDiagram {
  const { name, key, initial, changes } = machine;
  const causes = new Map<
    string,
    { readonly from: string; readonly to: string; readonly types: Set<string> }
  >();
  for (const { events } of runs) {
    const states = new Map<string, string>();
    for (const { event, payload } of events) {
      const ids = key === undefined ? [""] : [getOwn(payload, key) ?? []].flat();
      for (const id of ids.map((value: Json) => JSON.stringify(value))) {
        const from = states.get(id) ?? initial;
        const change = changes.find(
          (each) =>
            each.types.includes(event.type) &&
            Object.entries(each.when ?? {}).every(([field, value]) =>
              areEqual(getOwn(payload, field), value),
            ) &&
            (each.from === undefined || each.from.includes(from)),
        );
        const to = change?.to;
        if (to === undefined) continue;
        const values = Object.entries(change?.when ?? {}).map(
          ([field, value]) => `${field} ${String(value)}`,
        );
        states.set(id, to);
        const step = JSON.stringify([from, to]);
        const move = causes.get(step) ?? { from, to, types: new Set() };
        causes.set(step, { ...move, types: move.types.add([event.type, ...values].join(", ")) });
      }
    }
  }
  const moves = [...causes.values()].map(
    ({ from, to, types }): StateMove => ({ from, to, cause: [...types].join(" or ") }),
  );
  return { name, initial, moves };
}
