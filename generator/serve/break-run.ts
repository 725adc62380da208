/** Applies the faults of events to runs. */
import { faultTargetsOf } from "../protocol/fault-targets.js";
import type { Protocol } from "../protocol/protocol.js";
import type { DecodeEvent } from "../runtime/runtime.js";
import type { EventFault, FaultTools } from "./event-fault-tools.js";
import {
  drop,
  duplicate,
  interleave,
  largeChunk,
  lateGap,
  missingArtifacts,
  prunedStart,
  unknownField,
  unknownType,
} from "./event-faults.js";
import {
  type EventFaultName,
  FAULTS,
  type FaultPlan,
  type FaultSetting,
  optionOf,
  settingsOf,
} from "./fault.js";
import { happens } from "./places.js";
import type { Run } from "./run.js";

/** A protocol and its reader, as conform makes them. */
interface Reader {
  readonly protocol: Protocol;
  readonly decodeEvent: DecodeEvent<unknown, unknown>;
}

/** How each fault of events changes a run. */
export const EVENT_FAULTS: { readonly [name in EventFaultName]: EventFault } = {
  "pruned-start": prunedStart,
  interleave,
  "unknown-type": unknownType,
  "late-gap": lateGap,
  "large-chunk": largeChunk,
  "missing-artifacts": missingArtifacts,
  "unknown-field": unknownField,
  drop,
  duplicate,
};

/** The run as it is with all faults of the plan, and the names of those that changed it. */
export function breakRun(
  run: Run,
  plan: FaultPlan,
  reader: Reader,
): { readonly run: Run; readonly changed: readonly string[] } {
  const names = Object.keys(FAULTS);
  const settings = settingsOf(plan, "events", run.key).sort(
    (a, b) => names.indexOf(a.fault) - names.indexOf(b.fault),
  );
  const changed: string[] = [];
  let events = run.events;
  for (const [index, setting] of settings.entries()) {
    const after = EVENT_FAULTS[setting.fault as EventFaultName](
      events,
      tools(run, setting, [plan.seed, index], reader),
    );
    if (after.length !== events.length || after.some((event, at) => event !== events[at]))
      changed.push(setting.fault);
    events = after;
  }
  return { run: { ...run, events }, changed };
}

function tools(
  { key }: Run,
  setting: FaultSetting,
  [seed, index]: readonly [number, number],
  reader: Reader,
): FaultTools {
  return {
    protocol: reader.protocol,
    targets: faultTargetsOf(reader.protocol),
    happens: (place) => happens(setting, seed, key, place),
    option: (name) => optionOf(setting, name),
    words: [seed, setting.fault, index, key],
    accepts: (value) => reader.decodeEvent(value).kind === "known",
  };
}
