/** The faults of events: functions from the events of a run to those of the same run with the fault. */
import { getMembers, type Json, type JsonObject } from "../json.js";
import { listDependentFields } from "../protocol/event-fields.js";
import { resolveFaultTargets } from "../protocol/fault-targets.js";
import type { Protocol } from "../protocol/protocol.js";
import type { GapMarker } from "../protocol/stream-rules.js";
import { drawNumber, isFaultPlace, type Words } from "./draw.js";
import {
  type EventEdit,
  type EventOrInsertion,
  editEvent,
  findPayloadPath,
  insertEvents,
  makeEvent,
  makeId,
  readPayload,
} from "./edit-run-events.js";
import { type EventFaultName, FAULTS, type FaultPlan, readOption, selectSettings } from "./fault.js";
import { isPartOfDecision } from "./questions.js";
import type { Run, RunEvent } from "./run.js";

/** The settings of one fault. */
interface FaultContext {
  readonly protocol: Protocol;
  /** True if the run waits for the decisions of callers. */
  readonly isInteractive: boolean;
  /** Returns whether the fault happens at an index: of an event, or of a call. */
  happensAt(index: number): boolean;
  /** Returns the value of an option. */
  option(name: "count" | "bytes"): number;
  /** Words that distinguish this fault from all others when values are drawn. */
  readonly words: Words;
}

/** Returns the events of a run with a fault. */
type EventFault = (events: readonly RunEvent[], context: FaultContext) => readonly RunEvent[];

/** Removes events. Without a question or its outcome, an interactive run could not wait for the decision of a caller. */
const drop: EventFault = (events, { protocol, isInteractive, happensAt }) =>
  events.filter((event, index) => !happensAt(index) || (isInteractive && isPartOfDecision(protocol, event)));

/** Removes the first events. The gap marker takes the place and the number of the last removed one. */
const pruneStart: EventFault = (events, { protocol, option, words }) => {
  const count = Math.min(option("count"), events.length - 1);
  const first = events[0];
  const last = events[count - 2];
  const template = events[count - 1];
  if (count < 1 || !template) return events;
  const rest = events.slice(count);
  const marker = listGapMarkers(protocol).find(
    ({ first, last }) => first !== undefined && last !== undefined,
  );
  if (!marker?.first || !marker.last || first?.sequence === undefined || last?.sequence === undefined)
    return rest;
  const { type } = marker;
  const range = { [marker.first]: first.sequence, [marker.last]: last.sequence };
  const payload = { ...findExamplePayload(protocol, type), ...range };
  return [makeEvent(protocol, template, { type, payload, sequence: template.sequence }, words), ...rest];
};

/** Adds a gap marker after the last event. */
const addLateGap: EventFault = (events, { protocol, words }) => {
  const type = listGapMarkers(protocol).find(({ first }) => first === undefined)?.type;
  const last = events.at(-1);
  if (type === undefined || !last) return events;
  const sequence = last.sequence === undefined ? undefined : last.sequence + 1;
  const payload = lowerNumbers(findExamplePayload(protocol, type), type, sequence, protocol);
  return [...events, makeEvent(protocol, last, { type, payload, sequence }, words)];
};

/** Returns a payload whose numbers of earlier events are not above the number of its own event. */
function lowerNumbers(
  payload: JsonObject,
  type: string,
  sequence: number | undefined,
  { stream }: Protocol,
): JsonObject {
  const rules = (stream?.rules?.ordered ?? []).filter((rule) => rule.type === type && rule.upToSequence);
  const fields = new Set(rules.flatMap((rule) => rule.fields));
  const entries = Object.entries(payload).map(([name, value]): [string, Json] => [
    name,
    fields.has(name) && typeof value === "number" ? Math.min(value, sequence ?? value) : value,
  ]);
  return Object.fromEntries(entries);
}

function listGapMarkers({ stream }: Protocol): readonly GapMarker[] {
  return stream?.rules?.gaps ?? [];
}

/** Returns the payload of the first example of an event type; empty if it has no example. */
function findExamplePayload({ events }: Protocol, type: string): JsonObject {
  return getMembers(events.find((event) => event.type === type)?.examples[0]);
}

/**
 * Adds a second call for each call: each of its events follows the event that it copies. Leaves out calls with events
 * that are not declared as targets, such as edits with their artifacts, because they cannot happen twice.
 */
const interleave: EventFault = (events, { protocol, happensAt, words }) => {
  const { key: field, types } = resolveFaultTargets(protocol).calls ?? { key: "", types: [] };
  const { sequence: sequenceField, id: idField } = protocol.stream ?? {};
  const ids = events.map((event) => readPayload(protocol, event)[field]);
  const calls = [...new Set(ids.filter((id) => typeof id === "string"))].filter((id) =>
    events.every((event, index) => ids[index] !== id || types.includes(event.type)),
  );
  const chosen = new Set(calls.filter((_, index) => happensAt(index)));
  const correctCounts = createCountCorrector(protocol);
  const items = events.flatMap((event, index): EventOrInsertion[] => {
    const id = ids[index];
    const path = findPayloadPath(protocol, event.type);
    const isCopied = typeof id === "string" && chosen.has(id);
    const corrected = correctCounts(event, isCopied);
    if (!isCopied || !path) return [corrected];
    const copy = (sequence: number | undefined): RunEvent => {
      const edits: EventEdit[] = [[[...path, field], makeId(id, ...words)]];
      if (sequenceField && sequence !== undefined) edits.push([[sequenceField], sequence]);
      if (idField && event.id !== undefined) edits.push([[idField], makeId(event.id, ...words, index)]);
      return editEvent(protocol, event, edits);
    };
    return [corrected, copy];
  });
  return insertEvents(items, protocol);
};

/**
 * Returns a function that takes the events of a run in their order. It adds the copied ones to the fields that the stream
 * rule `counts` declares as their number.
 */
function createCountCorrector(protocol: Protocol): (event: RunEvent, isCopied: boolean) => RunEvent {
  const rules = protocol.stream?.rules?.counts ?? [];
  const copies = rules.map((rule) => ({ ...rule, byId: new Map<unknown, number>() }));
  return (event, isCopied) => {
    let corrected = event;
    for (const { type, field, of, key, start, byId } of copies) {
      const { [key]: id, [field]: number } = readPayload(protocol, event);
      if (start.includes(event.type)) byId.delete(id);
      if (isCopied && of.includes(event.type)) byId.set(id, (byId.get(id) ?? 0) + 1);
      const added = byId.get(id);
      if (event.type !== type || typeof number !== "number" || added === undefined) continue;
      const path = [...(findPayloadPath(protocol, type) ?? []), field];
      corrected = editEvent(protocol, corrected, [[path, number + added]]);
    }
    return corrected;
  };
}

const UNKNOWN_VALUE = { note: "from a newer release", detail: { level: 1, tags: ["new", "🆕"] } };

/** Inserts events of an unknown type, but not before an event that must come first. */
const insertUnknownTypes: EventFault = (events, { protocol, happensAt, words }) => {
  let type = "future_event";
  while (protocol.events.some((event) => event.type === type)) type += "_x";
  const openings = new Set(protocol.stream?.rules?.openings?.map((opening) => opening.type));
  const items = events.flatMap((event, index): EventOrInsertion[] => {
    if (index === 0 || openings.has(event.type) || !happensAt(index)) return [event];
    return [
      (sequence) => makeEvent(protocol, event, { type, payload: UNKNOWN_VALUE, sequence }, words),
      event,
    ];
  });
  return insertEvents(items, protocol);
};

/** Adds an unknown field to the envelope and one to the payload. */
const addUnknownFields: EventFault = (events, { protocol, happensAt }) =>
  events.map((event, index) => {
    if (!happensAt(index)) return event;
    const edits: EventEdit[] = [[["future_field"], UNKNOWN_VALUE]];
    const path = findPayloadPath(protocol, event.type) ?? [];
    if (path.length > 0) edits.push([[...path, "future_field"], UNKNOWN_VALUE]);
    return editEvent(protocol, event, edits);
  });

/** Removes the optional fields with `x-requires`. */
const removeDependentFields: EventFault = (events, { protocol, happensAt }) => {
  const fieldsByType = new Map(protocol.events.map((event) => [event.type, listDependentFields(event)]));
  return events.map((event, index) => {
    const path = findPayloadPath(protocol, event.type);
    const payload = readPayload(protocol, event);
    const fields = (fieldsByType.get(event.type) ?? []).filter((name) => Object.hasOwn(payload, name));
    if (!path || fields.length === 0 || !happensAt(index)) return event;
    const edits = fields.map((name): EventEdit => [[...path, name], undefined]);
    return editEvent(protocol, event, edits);
  });
};

/** Makes the last piece of output very large. It is the last one, so that no later byte offset is wrong. */
const enlargeChunk: EventFault = (events, { protocol, option }) => {
  const { chunks = {} } = resolveFaultTargets(protocol);
  const index = events.findLastIndex(({ type }) => chunks[type] !== undefined);
  const event = events[index];
  const field = chunks[event?.type ?? ""];
  const path = event && findPayloadPath(protocol, event.type);
  if (!event || field === undefined || !path) return events;
  const chunk = readPayload(protocol, event)[field];
  const text = typeof chunk === "string" && chunk !== "" ? chunk : "a line of output ✅\n";
  const large = text.repeat(Math.ceil(option("bytes") / Buffer.byteLength(text)));
  return events.with(index, editEvent(protocol, event, [[[...path, field], large]]));
};

/** The largest number of events between an event and its redelivery. */
const MAX_DELAY = 5;

/** Delivers events twice. Leaves out events without ids, because a redelivery would look like another event. */
const duplicate: EventFault = (events, { happensAt, words }) => {
  const redeliveries = new Map<number, RunEvent[]>();
  for (const [index, event] of events.entries()) {
    if (event.id === undefined || !happensAt(index)) continue;
    const place = Math.min(events.length - 1, index + drawNumber(MAX_DELAY + 1, ...words, index));
    redeliveries.set(place, [...(redeliveries.get(place) ?? []), event]);
  }
  return events.flatMap((event, index) => [event, ...(redeliveries.get(index) ?? [])]);
};

/** The functions of all faults of events. */
export const EVENT_FAULTS: { readonly [name in EventFaultName]: EventFault } = {
  "pruned-start": pruneStart,
  interleave,
  "unknown-type": insertUnknownTypes,
  "late-gap": addLateGap,
  "large-chunk": enlargeChunk,
  "unmet-requirements": removeDependentFields,
  "unknown-field": addUnknownFields,
  drop,
  duplicate,
};

/** Applies the faults of events to a run, in the order of the table. Also returns the names of those that changed it. */
export function applyEventFaults(
  run: Run,
  plan: FaultPlan,
  protocol: Protocol,
  isInteractive: boolean,
): { readonly run: Run; readonly changed: readonly string[] } {
  const names = Object.keys(FAULTS);
  const settings = selectSettings(plan, "events", run.key).sort(
    (a, b) => names.indexOf(a.fault) - names.indexOf(b.fault),
  );
  const changed: string[] = [];
  let { events } = run;
  for (const [index, setting] of settings.entries()) {
    const { fault } = setting;
    const result = EVENT_FAULTS[fault as EventFaultName](events, {
      protocol,
      isInteractive,
      happensAt: (place) => isFaultPlace(setting, plan.seed, run.key, place),
      option: (name) => readOption(setting, name),
      words: [plan.seed, fault, index, run.key],
    });
    if (result.length !== events.length || result.some((event, place) => event !== events[place]))
      changed.push(fault);
    events = result;
  }
  return { run: { ...run, events }, changed };
}
