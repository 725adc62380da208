/** The faults of events: each is a function from the events of a run to those of the same run with the fault. */
import type { Protocol } from "../protocol/protocol.js";
import type { GapMarker } from "../protocol/stream-rules.js";
import {
  type EventFault,
  edited,
  examplePayload,
  type FaultTools,
  freshId,
  payloadOf,
  payloadPath,
  type Slot,
  settle,
  synthetic,
} from "./event-fault-tools.js";
import { pick } from "./random.js";
import type { RunEvent } from "./run.js";

/** `drop`: events are missing. */
export const drop: EventFault = (events, { happens }) => events.filter((_, index) => !happens(index));

/** `pruned-start`: the marker takes the place and the number of the last event that is gone. */
export const prunedStart: EventFault = (events, tools) => {
  const gone = Math.min(tools.option("count"), events.length - 1);
  const [first, last, marked] = [events[0], events[gone - 2], events[gone - 1]];
  if (gone < 1 || !marked) return events;
  const rest = events.slice(gone);
  const marker = gapsOf(tools).find((gap) => gap.first !== undefined && gap.last !== undefined);
  if (!marker?.first || !marker.last || first?.sequence === undefined || last?.sequence === undefined)
    return rest;
  const { type } = marker;
  const range = { [marker.first]: first.sequence, [marker.last]: last.sequence };
  const payload = { ...examplePayload(tools.protocol, type), ...range };
  return [synthetic(tools, marked, { type, payload, sequence: marked.sequence }), ...rest];
};

/** `late-gap`: one more event behind the last. */
export const lateGap: EventFault = (events, tools) => {
  const type = gapsOf(tools).find((gap) => gap.first === undefined)?.type;
  const last = events.at(-1);
  if (type === undefined || !last) return events;
  const sequence = last.sequence === undefined ? undefined : last.sequence + 1;
  const payload = examplePayload(tools.protocol, type);
  return [...events, synthetic(tools, last, { type, payload, sequence })];
};

/** The markers that the protocol declares. */
function gapsOf({ protocol }: FaultTools): readonly GapMarker[] {
  return protocol.stream?.rules?.gaps ?? [];
}

/**
 * `interleave`: each event of a tool call is followed by the same event of a second call with an id of its own. Calls
 * with events of other kinds, such as edits with their artifacts, are left alone: those could not happen twice.
 */
export const interleave: EventFault = (events, tools) => {
  const { protocol, targets, happens, words } = tools;
  const { key: field, types } = targets.calls ?? { key: "", types: [] };
  const ids = events.map((event) => payloadOf(protocol, event)[field]);
  const calls = [...new Set(ids.filter((id) => typeof id === "string"))];
  const whole = calls.filter((id) =>
    events.every((event, at) => ids[at] !== id || types.includes(event.type)),
  );
  const chosen = new Set(whole.filter((_, ordinal) => happens(ordinal)));
  const slots = events.flatMap((event, index): Slot[] => {
    const id = ids[index];
    const path = payloadPath(protocol, event.type);
    if (typeof id !== "string" || !path || !chosen.has(id)) return [event];
    const twin = (sequence: number | undefined) =>
      edited(protocol, event, [
        [[...path, field], freshId(id, ...words)],
        ...(protocol.stream?.sequence && sequence !== undefined
          ? [[[protocol.stream.sequence], sequence] as const]
          : []),
        ...(protocol.stream?.id && event.id !== undefined
          ? [[[protocol.stream.id], freshId(event.id, ...words, index)] as const]
          : []),
      ]);
    return [event, twin];
  });
  return settle(slots, tools);
};

const PAYLOAD = { note: "from a newer release", detail: { level: 1, tags: ["new", "🆕"] } };

/** `unknown-type`: an event of a new type before each place, but none before an event that has to come first. */
export const unknownType: EventFault = (events, tools) => {
  const type = undeclared(tools.protocol);
  const openings = new Set(tools.protocol.stream?.rules?.openings?.map((opening) => opening.type));
  const slots = events.flatMap((event, index): Slot[] =>
    index > 0 && !openings.has(event.type) && tools.happens(index)
      ? [(sequence) => synthetic(tools, event, { type, payload: PAYLOAD, sequence }), event]
      : [event],
  );
  return settle(slots, tools);
};

/** `unknown-field`: a new field in the envelope and one in the payload. */
export const unknownField: EventFault = (events, { protocol, happens }) =>
  events.map((event, index) => {
    if (!happens(index)) return event;
    const path = payloadPath(protocol, event.type);
    const paths = [["future_field"], ...(path && path.length > 0 ? [[...path, "future_field"]] : [])];
    return edited(
      protocol,
      event,
      paths.map((one) => [one, PAYLOAD]),
    );
  });

/** A name that the protocol does not declare. */
function undeclared({ events }: Protocol): string {
  let name = "future_event";
  while (events.some(({ type }) => type === name)) name += "_x";
  return name;
}

const ARTIFACT = /(^|_)artifact(s|_ids?|_refs)$/;

/** `missing-artifacts`: references to artifacts are gone where readers must do without them. */
export const missingArtifacts: EventFault = (events, { protocol, happens, accepts }) =>
  events.map((event, index) => {
    const path = payloadPath(protocol, event.type);
    if (!path || !happens(index)) return event;
    let changed = event;
    for (const name of Object.keys(payloadOf(protocol, event)).filter((name) => ARTIFACT.test(name))) {
      const without = edited(protocol, changed, [[[...path, name], undefined]]);
      if (accepts(JSON.parse(Buffer.from(without.raw).toString("utf8")))) changed = without;
    }
    return changed;
  });

/** `large-chunk`: the last piece of output is that large. It is the last so that no later byte offset is wrong. */
export const largeChunk: EventFault = (events, { protocol, targets, option }) => {
  const index = events.findLastIndex(({ type }) => targets.chunks?.[type] !== undefined);
  const event = events[index];
  const field = targets.chunks?.[event?.type ?? ""];
  const path = event && payloadPath(protocol, event.type);
  if (!event || field === undefined || !path) return events;
  const old = payloadOf(protocol, event)[field];
  const text = typeof old === "string" && old !== "" ? old : "a line of output ✅\n";
  const large = text.repeat(Math.ceil(option("bytes") / Buffer.byteLength(text)));
  return events.with(index, edited(protocol, event, [[[...path, field], large]]));
};

/** How many events later a redelivery comes at most. */
const LATER = 5;

/**
 * `duplicate`: the same event once more, in a row or up to five events later. Events without ids are left alone,
 * because a redelivery would look like a second event.
 */
export const duplicate: EventFault = (events, { happens, words }) => {
  const again = new Map<number, RunEvent[]>();
  for (const [index, event] of events.entries()) {
    if (event.id === undefined || !happens(index)) continue;
    const place = Math.min(events.length - 1, index + pick(LATER + 1, ...words, index));
    again.set(place, [...(again.get(place) ?? []), event]);
  }
  return events.flatMap((event, index) => [event, ...(again.get(index) ?? [])]);
};
