/** Faults of any stream: lost, repeated, out of order, cut, mixed. */
import { STREAM_FINDINGS } from "../../../generator/conform/stream-rules.js";
import type { JsonObject } from "../../../generator/json.js";
import { fixtureStreams } from "../check-stream.js";
import {
  formatStreamKey,
  getEventType,
  getPayload,
  pickIndex,
  replaceEvent,
  setFreshId,
} from "../fault-tools.js";
import {
  dropEvent,
  EVVA,
  type Fault,
  FRAMES,
  GAPS_TOLERATED,
  HECATE,
  hasPredecessor,
  LEGAL,
  NUMBERED,
  pickInnerIndex,
  repeatEvent,
  shiftSequence,
  swapEvents,
  UNNUMBERED_TOLERATED,
} from "./fault.js";

/** Returns whether two events have the same field names, so that each may be valid as the type of the other. */
function haveSameFieldNames(one: JsonObject, other: JsonObject): boolean {
  if (getEventType(one) === getEventType(other)) return true;
  const [names, otherNames] = [listFieldNames(one), listFieldNames(other)];
  return names.length === otherNames.length && names.every((name) => otherNames.includes(name));
}

/** Returns the names of the envelope fields and payload fields of an event, each once. */
function listFieldNames(event: JsonObject): string[] {
  return [...new Set([...Object.keys(event), ...Object.keys(getPayload(event))])];
}

const ALL_RULES = [...STREAM_FINDINGS.map(({ id }) => id), "event-invalid"];

export const COMMON_FAULTS: readonly Fault[] = [
  {
    name: "an event is dropped",
    protocols: NUMBERED,
    reader: GAPS_TOLERATED,
    writer: ["sequence-gap", "sequence-start"],
    inject: dropEvent,
  },
  {
    name: "an event is delivered again",
    protocols: NUMBERED,
    reader: { tolerated: "a redelivery is legal" },
    writer: ["event-repeated"],
    inject: repeatEvent,
  },
  {
    name: "an event comes again under a new id",
    protocols: NUMBERED,
    reader: ["sequence-late"],
    writer: ["sequence-late"],
    inject(target) {
      const at = pickIndex(target) ?? 0;
      const event = target.events[at] as JsonObject;
      return replaceEvent(target.events, at, event, setFreshId(target.id, event));
    },
  },
  {
    name: "an id comes again with other content",
    protocols: NUMBERED,
    reader: ["event-conflict"],
    writer: ["event-conflict"],
    inject(target) {
      const at = pickIndex(target) ?? 0;
      const event = target.events[at] as JsonObject;
      const changed = "timestamp_ms" in event ? { timestamp_ms: 7 } : { occurred_at: "2026-01-01T00:00:00Z" };
      return replaceEvent(target.events, at, event, { ...event, ...changed });
    },
  },
  {
    name: "two events are swapped",
    protocols: NUMBERED,
    reader: ["sequence-late"],
    writer: ["sequence-late"],
    inject: swapEvents,
  },
  {
    name: "an event has a number that is too high",
    protocols: NUMBERED,
    reader: ["sequence-late"],
    writer: ["sequence-late"],
    inject(target) {
      const at = pickInnerIndex(target);
      return at === undefined
        ? undefined
        : replaceEvent(target.events, at, shiftSequence(target.events[at] as JsonObject, 1000));
    },
  },
  {
    name: "an event has the number of an earlier event",
    protocols: NUMBERED,
    reader: ["sequence-late"],
    writer: ["sequence-late"],
    inject(target) {
      const at = pickIndex(target, (event, index) => hasPredecessor(target, event, index));
      return at === undefined
        ? undefined
        : replaceEvent(target.events, at, shiftSequence(target.events[at] as JsonObject, -1));
    },
  },
  {
    name: "all numbers are too high",
    protocols: NUMBERED,
    reader: GAPS_TOLERATED,
    writer: ["sequence-start"],
    inject: ({ events }) =>
      events.filter(({ type }) => type !== "gap.events_pruned").map((event) => shiftSequence(event, 1000)),
  },
  {
    name: "the beginning is cut off",
    protocols: NUMBERED,
    reader: GAPS_TOLERATED,
    writer: ["sequence-start"],
    inject: ({ events, random }) => events.slice(1 + Math.floor(random() * (events.length - 1))),
  },
  {
    name: "the beginning is cut off",
    protocols: EVVA,
    reader: UNNUMBERED_TOLERATED,
    writer: {
      tolerated: "writers do not number events either; other faults test a missing start",
    },
    inject: ({ events }) => events.slice(2),
  },
  {
    name: "an event is dropped",
    protocols: EVVA,
    reader: { ...UNNUMBERED_TOLERATED, mayReport: ["pair-broken"] },
    writer: {
      ...UNNUMBERED_TOLERATED,
      mayReport: [
        "pair-broken",
        "lifecycle-without-start",
        "stream-unfinished",
        "pair-open",
        "value-changed",
      ],
    },
    inject: dropEvent,
  },
  {
    name: "an event comes again",
    protocols: EVVA,
    reader: { ...UNNUMBERED_TOLERATED, mayReport: ["pair-broken"] },
    writer: {
      ...UNNUMBERED_TOLERATED,
      mayReport: ["pair-broken", "lifecycle-start-repeated", "lifecycle-end-repeated", "lifecycle-after-end"],
    },
    inject: repeatEvent,
  },
  {
    name: "two events have each other's type",
    protocols: [...NUMBERED, ...EVVA],
    reader: {
      tolerated: "readers ignore unknown fields, so many events fit both types",
      mayReport: ALL_RULES,
    },
    writer: ["event-invalid"],
    inject(target) {
      const one = pickIndex(target);
      const field = target.id.startsWith("evva") ? "Kind" : "type";
      const other = pickIndex(
        target,
        (event) => !haveSameFieldNames(event, target.events[one ?? 0] as JsonObject),
      );
      if (one === undefined || other === undefined) return undefined;
      const [first, second] = [target.events[one] as JsonObject, target.events[other] as JsonObject];
      const swapped = replaceEvent(target.events, one, { ...first, [field]: getEventType(second) });
      return replaceEvent(swapped, other, { ...second, [field]: getEventType(first) });
    },
  },
  {
    name: "the end is cut off",
    protocols: [...HECATE, ...FRAMES, ...EVVA],
    reader: { tolerated: "the stream may go on" },
    writer: ["stream-unfinished", "pair-open"],
    inject({ events, random }) {
      const opened = events.findIndex((event) =>
        /^(run\.started|run\.created|session_started|run_start)$/.test(getEventType(event)),
      );
      const ended = events.findIndex((event) =>
        /^run\.(finished|failed|cancelled)$|^session_ended$|^run_end$/.test(getEventType(event)),
      );
      if (opened === -1 || ended === -1) return undefined;
      return events.slice(0, opened + 1 + Math.floor(random() * (ended - opened - 1)));
    },
  },
  {
    name: "two files are interleaved",
    protocols: [...HECATE, ...FRAMES],
    reader: LEGAL,
    writer: { tolerated: "streams are told apart by their key, whatever comes in between" },
    inject({ id, events, random }) {
      const known = new Set(events.map((event) => formatStreamKey(id, event)));
      const others = fixtureStreams
        .filter((stream) => stream.id === id)
        .map(({ lines }) => lines.map((line): JsonObject => JSON.parse(line)))
        .filter((list) => list.every((event) => !known.has(formatStreamKey(id, event))));
      const other = [...(others[Math.floor(random() * others.length)] ?? [])];
      return [
        ...events.flatMap((event) => (random() < 0.5 ? [event] : [...other.splice(0, 2), event])),
        ...other,
      ];
    },
  },
  {
    name: "two runs are merged into one",
    protocols: NUMBERED,
    reader: ["sequence-late", "event-conflict"],
    writer: ["sequence-late", "event-conflict"],
    inject({ id, events }) {
      const first = events[0] as JsonObject;
      const copies = events.map((event, index) => setFreshId(id, event, index));
      return [first, ...events.slice(1).flatMap((event, index) => [event, copies[index + 1] as JsonObject])];
    },
  },
];
