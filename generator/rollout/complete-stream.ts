/** Completes an event that a reader refuses to a stream that writers may send. */
import { createWriterEventMaker, isValidEvent } from "../compat/streams/stream-sides.js";
import { findRefusingRule } from "../compat/streams/verify-witness.js";
import { isObject, type JsonObject } from "../json.js";
import { buildStreams } from "../kit/build-streams.js";
import { createGeneratorContext } from "../kit/scenarios.js";
import type { Protocol } from "../protocol/protocol.js";

/** Returns whether a reader refuses an event in a stream with events of these types. */
export type RefusalTest = (event: JsonObject, streamTypes: ReadonlySet<string>) => boolean;

/** The number of streams that are generated. */
const MAX_SEEDS = 12;

/**
 * Returns a stream that writers may send, with an event that the reader refuses. It is the event alone if the rules
 * allow that. Otherwise, generated streams get the event in place of one of the same type, and the event keeps its values as
 * far as the rules allow. Undefined if none is found.
 */
export function completeStream(
  writer: Protocol,
  event: JsonObject,
  isRefused: RefusalTest,
): readonly JsonObject[] | undefined {
  const getType = (each: JsonObject): string => String(each[writer.envelope.discriminator]);
  const isAllowed = (each: JsonObject, streamTypes: ReadonlySet<string>): boolean =>
    isValidEvent(writer, "writer", each) && isRefused(each, streamTypes);
  const isSent = (events: readonly JsonObject[]): boolean =>
    findRefusingRule(writer, "writer", events) === undefined;
  const { sequence, first = 0 } = writer.stream ?? {};
  const alone = sequence === undefined ? event : { ...event, [sequence]: first };
  if (isAllowed(alone, new Set([getType(event)])) && isSent([alone])) return [alone];
  for (const { events, index, generated } of generatePlaces(writer, getType(event))) {
    const streamTypes = new Set(events.map(getType));
    const isAllowedHere = (each: JsonObject): boolean => isAllowed(each, streamTypes);
    const placed = { ...event, ...pickStreamFields(writer, generated) };
    const stream = [placed, approachEvent(event, generated, isAllowedHere)]
      .filter(isAllowedHere)
      .map((candidate) => events.with(index, candidate))
      .find(isSent);
    if (stream) return stream;
  }
  return undefined;
}

/** A generated stream, and an event in it. */
interface Place {
  readonly events: readonly JsonObject[];
  readonly index: number;
  readonly generated: JsonObject;
}

/** Generates streams, and returns the places of all events of a type in them. */
function* generatePlaces(writer: Protocol, type: string): Generator<Place> {
  const context = createGeneratorContext(createWriterEventMaker(writer));
  const variants = Array.from({ length: MAX_SEEDS }, (_, seed) => [
    { seed, endsStreams: false },
    { seed, endsStreams: true },
  ]).flat();
  for (const { seed, endsStreams } of variants) {
    // Other events begin streams and decide how they end.
    const picks = [type, ...Array.from({ length: seed }, (_, index) => seed + index)];
    const operations = picks.map((pick) => ({ pick, stream: 0, seed, size: 1, isParallel: false }));
    const { events } = buildStreams(context, { operations, endsStreams }, 1);
    for (const [index, generated] of events.entries())
      if (generated[writer.envelope.discriminator] === type) yield { events, index, generated };
  }
}

/** Returns the fields that order and identify an event. */
function pickStreamFields({ stream }: Protocol, event: JsonObject): JsonObject {
  const { key = [], sequence, id, time } = stream ?? {};
  const names = [...key, sequence, id, time];
  return Object.fromEntries(Object.entries(event).filter(([name]) => names.includes(name)));
}

/** Returns the event with as many values of another event as `isAllowed` permits. */
function approachEvent(
  event: JsonObject,
  goal: JsonObject,
  isAllowed: (event: JsonObject) => boolean,
): JsonObject {
  let result = event;
  for (const name of new Set([...Object.keys(event), ...Object.keys(goal)])) {
    const { [name]: before, ...others } = result;
    const after = goal[name];
    const changed = after === undefined ? others : { ...others, [name]: after };
    if (isAllowed(changed)) result = changed;
    else if (isObject(before) && isObject(after)) {
      const isAllowedInside = (inner: JsonObject): boolean => isAllowed({ ...others, [name]: inner });
      result = { ...others, [name]: approachEvent(before, after, isAllowedInside) };
    }
  }
  return result;
}
