/** Confirms a stream by the schemas of each event and the stream checkers of both sides. */
import { createPlan, type PlannedMachine } from "../../conform/check-plan.js";
import { checkStreams } from "../../conform/check-streams.js";
import { createStreamChecker } from "../../conform/stream-checker.js";
import { getOwn, type Json, type JsonObject } from "../../json.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Profile } from "../../schema/readings.js";
import type { EventSample } from "./event-samples.js";
import { findError, numberTrace } from "./search-streams.js";
import { createWriterEventMaker, type StreamSides } from "./stream-sides.js";

/** Returns the first rule of `protocol` that refuses the stream with an error, up to its end. */
export function findRefusingRule(
  protocol: Protocol,
  profile: Profile,
  events: readonly JsonObject[],
): string | undefined {
  return findError(checkStreams(protocol, profile, events));
}

/**
 * Returns whether a stream shows that an inclusion is broken: the smaller side sends it, and the larger one refuses it.
 */
export function isWitness(sides: StreamSides, events: readonly JsonObject[]): boolean {
  return (
    events.length > 0 &&
    events.every((event) => sides.accepts(event)) &&
    findRefusingRule(sides.small, "writer", events) === undefined &&
    findRefusingRule(sides.large, sides.profile, events) !== undefined
  );
}

/** Returns the machines of the smaller side that refuse a trace, except those in `known`. */
export function findRefusingMachines(
  { small, smallMachines }: StreamSides,
  trace: readonly EventSample[],
  known: ReadonlySet<PlannedMachine>,
): PlannedMachine[] {
  const placedEvents = numberTrace(small, trace) ?? [];
  return smallMachines.filter((candidate) => {
    if (known.has(candidate)) return false;
    const plan = createPlan(small, [candidate]);
    const checker = createStreamChecker(small, { profile: "writer", plan });
    return (
      placedEvents.some(
        ({ event, delivery }, index) => findError(checker.check(event, delivery, index)) !== undefined,
      ) || findError(checker.end()) !== undefined
    );
  });
}

/** Returns the stream of a trace, with a different id in each event; undefined if it is not a witness. */
export function confirmStream(sides: StreamSides, trace: readonly EventSample[]): JsonObject[] | undefined {
  const events = assignIds(sides.small, numberTrace(sides.small, trace)?.map(({ event }) => event) ?? []);
  return isWitness(sides, events) ? events : undefined;
}

/** Returns the events with different ids of the kind that the contract requires. */
function assignIds(protocol: Protocol, events: readonly JsonObject[]): JsonObject[] {
  const field = protocol.stream?.id;
  if (field === undefined) return [...events];
  const ids = makeIds(protocol, field, events);
  return events.map((event, index) => {
    const id = ids[index];
    return id === undefined ? event : { ...event, [field]: id };
  });
}

/** The number of seeds that are tried for each id. */
const SEEDS_PER_ID = 8;

/** Makes different values of the id field, as many as there are events if possible; plain ones if the field accepts them. */
function makeIds(protocol: Protocol, field: string, events: readonly JsonObject[]): Json[] {
  const [first] = events;
  if (first === undefined) return [];
  const maker = createWriterEventMaker(protocol);
  const type = String(getOwn(first, protocol.envelope.discriminator));
  // Only the id is taken from the events that are made, so that the other envelope fields can stay as they are.
  const fields = Object.keys(getEnvelopeFields(protocol.envelope)).filter((name) => name !== field);
  const envelope = Object.fromEntries(
    Object.entries(first).filter(([name]) => fields.includes(name) && name !== protocol.envelope.property),
  );
  const plainIds = events.map((_, index) => `event-${index + 1}`);
  const isPlain = (id: Json): boolean =>
    maker.make({ type, envelope: { ...envelope, [field]: id }, fixedFields: {}, seed: 0 }) !== undefined;
  if (plainIds.every(isPlain)) return plainIds;
  const ids = new Map<string, Json>();
  for (let seed = 1; seed <= events.length * SEEDS_PER_ID && ids.size < events.length; seed++) {
    const id = maker.make({ type, envelope, fixedFields: {}, seed })?.[field];
    if (id !== undefined) ids.set(JSON.stringify(id), id);
  }
  return [...ids.values()];
}
