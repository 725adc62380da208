/** What the catalogue shows of recordings: runs, and the changes of state that happen in them. */

import type { StateDiagram, StateMove } from "../../conform/stream-rule.js";
import { areEqual, getOwn, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { StateMachine } from "../../protocol/stream-rules.js";
import type { FixtureStream } from "../fixture-stream.js";
import { chooseFlows, type Flow } from "./flows.js";
import { type RecordedRun, splitRuns } from "./recorded-runs.js";

/** What recordings show of a protocol. */
export interface Recordings {
  readonly flows: readonly Flow[];
  /** The changes of state that happen in recordings, a diagram for each machine with any. */
  readonly states: readonly StateDiagram[];
}

/** The recordings of a protocol without any. */
export const NO_RECORDINGS: Recordings = { flows: [], states: [] };

/** Returns what the streams of the fixtures show. */
export function readRecordings(protocol: Protocol, streams: readonly FixtureStream[]): Recordings {
  if (streams.length === 0) return NO_RECORDINGS;
  const runs = streams.flatMap((stream) => splitRuns(protocol, stream));
  const machines = protocol.stream?.rules?.machines ?? [];
  const states = machines.map((machine) => traceMachine(machine, runs));
  return { flows: chooseFlows(protocol, runs), states: states.filter(({ moves }) => moves.length > 0) };
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
