/** Faults of any stream: lost, repeated, out of order, cut, mixed. */
import { STREAM_FINDINGS } from "../../../generator/conform/stream-rules.js";
import type { JsonObject } from "../../../generator/json.js";
import { fixtureStreams } from "../check-stream.js";
import { payloadOf, pickIndex, replaceEvent, streamOf, typeOf, withFreshId } from "../fault-tools.js";
import {
  drop,
  EVVA,
  type Fault,
  FRAMES,
  follows,
  HECATE,
  holes,
  inner,
  legal,
  NUMBERED,
  renumber,
  repeat,
  swap,
  unnumbered,
} from "./fault.js";

/** Whether two events have the same payload fields, so that either type may fit both. */
function alike(one: JsonObject, other: JsonObject): boolean {
  if (typeOf(one) === typeOf(other)) return true;
  const names = [one, other].map(
    (event) => new Set([...Object.keys(event), ...Object.keys(payloadOf(event))]),
  );
  return names.every((each, index) => [...each].every((name) => names[1 - index]?.has(name)));
}

const ANY = [...STREAM_FINDINGS.map(({ id }) => id), "event-invalid"];

export const COMMON_FAULTS: readonly Fault[] = [
  {
    name: "an event is dropped",
    of: NUMBERED,
    reader: holes,
    writer: ["sequence-gap", "sequence-start"],
    inject: drop,
  },
  {
    name: "an event is delivered again",
    of: NUMBERED,
    reader: { tolerated: "a redelivery is legal" },
    writer: ["event-repeated"],
    inject: repeat,
  },
  {
    name: "an event comes again under a new id",
    of: NUMBERED,
    reader: ["sequence-late"],
    writer: ["sequence-late"],
    inject(target) {
      const at = pickIndex(target) ?? 0;
      const event = target.events[at] as JsonObject;
      return replaceEvent(target.events, at, event, withFreshId(target.id, event));
    },
  },
  {
    name: "an id comes again with other content",
    of: NUMBERED,
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
    of: NUMBERED,
    reader: ["sequence-late"],
    writer: ["sequence-late"],
    inject: swap,
  },
  {
    name: "an event has a number that is too high",
    of: NUMBERED,
    reader: ["sequence-late"],
    writer: ["sequence-late"],
    inject(target) {
      const at = inner(target);
      return at === undefined
        ? undefined
        : replaceEvent(target.events, at, renumber(target.events[at] as JsonObject, 1000));
    },
  },
  {
    name: "an event has a number that was there",
    of: NUMBERED,
    reader: ["sequence-late"],
    writer: ["sequence-late"],
    inject(target) {
      const at = pickIndex(target, (event, index) => follows(target, event, index));
      return at === undefined
        ? undefined
        : replaceEvent(target.events, at, renumber(target.events[at] as JsonObject, -1));
    },
  },
  {
    name: "all numbers are too high",
    of: NUMBERED,
    reader: holes,
    writer: ["sequence-start"],
    inject: ({ events }) =>
      events.filter(({ type }) => type !== "gap.events_pruned").map((event) => renumber(event, 1000)),
  },
  {
    name: "the beginning is cut off",
    of: NUMBERED,
    reader: holes,
    writer: ["sequence-start"],
    inject: ({ events, random }) => events.slice(1 + Math.floor(random() * (events.length - 1))),
  },
  {
    name: "the beginning is cut off",
    of: EVVA,
    reader: unnumbered,
    writer: {
      tolerated:
        "emitters number nothing either; what the rest says of the beginning is judged by other faults",
    },
    inject: ({ events }) => events.slice(2),
  },
  {
    name: "an event is dropped",
    of: EVVA,
    reader: { ...unnumbered, unless: ["pair-broken"] },
    writer: {
      ...unnumbered,
      unless: ["pair-broken", "lifecycle-without-start", "stream-unfinished", "pair-open"],
    },
    inject: drop,
  },
  {
    name: "an event comes again",
    of: EVVA,
    reader: { ...unnumbered, unless: ["pair-broken"] },
    writer: { ...unnumbered, unless: ["pair-broken", "lifecycle-end-repeated", "lifecycle-after-end"] },
    inject: repeat,
  },
  {
    name: "two events have each other's type",
    of: [...NUMBERED, ...EVVA],
    reader: { tolerated: "readers take open objects, of which many fit two types", unless: ANY },
    writer: ["event-invalid"],
    inject(target) {
      const one = pickIndex(target);
      const field = target.id.startsWith("evva") ? "Kind" : "type";
      const other = pickIndex(target, (event) => !alike(event, target.events[one ?? 0] as JsonObject));
      if (one === undefined || other === undefined) return undefined;
      const [first, second] = [target.events[one] as JsonObject, target.events[other] as JsonObject];
      const swapped = replaceEvent(target.events, one, { ...first, [field]: typeOf(second) });
      return replaceEvent(swapped, other, { ...second, [field]: typeOf(first) });
    },
  },
  {
    name: "the end is cut off",
    of: [...HECATE, ...FRAMES, ...EVVA],
    reader: { tolerated: "the stream may go on" },
    writer: ["stream-unfinished", "pair-open"],
    inject({ events, random }) {
      const opened = events.findIndex((event) =>
        /^(run\.started|run\.created|session_started|run_start)$/.test(typeOf(event)),
      );
      const ended = events.findIndex((event) =>
        /^run\.(finished|failed|cancelled)$|^session_ended$|^run_end$/.test(typeOf(event)),
      );
      if (opened === -1 || ended === -1) return undefined;
      return events.slice(0, opened + 1 + Math.floor(random() * (ended - opened - 1)));
    },
  },
  {
    name: "two files are interleaved",
    of: [...HECATE, ...FRAMES],
    reader: legal,
    writer: { tolerated: "streams are told apart by their key, whatever comes in between" },
    inject({ id, events, random }) {
      const known = new Set(events.map((event) => streamOf(id, event)));
      const others = fixtureStreams
        .filter((stream) => stream.id === id)
        .map(({ lines }) => lines.map((line): JsonObject => JSON.parse(line)))
        .filter((list) => list.every((event) => !known.has(streamOf(id, event))));
      const other = [...(others[Math.floor(random() * others.length)] ?? [])];
      return [
        ...events.flatMap((event) => (random() < 0.5 ? [event] : [...other.splice(0, 2), event])),
        ...other,
      ];
    },
  },
  {
    name: "two runs are merged into one",
    of: NUMBERED,
    reader: ["sequence-late", "event-conflict"],
    writer: ["sequence-late", "event-conflict"],
    inject({ id, events }) {
      const first = events[0] as JsonObject;
      const copies = events.map((event, index) => withFreshId(id, event, index));
      return [first, ...events.slice(1).flatMap((event, index) => [event, copies[index + 1] as JsonObject])];
    },
  },
];
