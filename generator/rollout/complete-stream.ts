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
  const type = String(event[writer.envelope.discriminator]);
  const getType = (each: JsonObject): string => String(each[writer.envelope.discriminator]);
  const isSent = (events: readonly JsonObject[]): boolean =>
    findRefusingRule(writer, "writer", events) === undefined;
  const { sequence, first = 0 } = writer.stream ?? {};
  const alone = sequence === undefined ? event : { ...event, [sequence]: first };
  if (isValidEvent(writer, "writer", alone) && isRefused(alone, new Set([type])) && isSent([alone]))
    return [alone];
  const context = createGeneratorContext(createWriterEventMaker(writer));
  for (let seed = 0; seed < MAX_SEEDS; seed++)
    for (const endsStreams of [false, true]) {
      // Other events begin streams and decide how they end.
      const picks = [type, ...Array.from({ length: seed }, (_, index) => seed + index)];
      const operations = picks.map((pick) => ({ pick, stream: 0, seed, size: 1, isParallel: false }));
      const { events } = buildStreams(context, { operations, endsStreams }, 1);
      const streamTypes = new Set(events.map(getType));
      const isAllowed = (each: JsonObject): boolean =>
        isValidEvent(writer, "writer", each) && isRefused(each, streamTypes);
      for (const [index, generated] of events.entries()) {
        if (getType(generated) !== type) continue;
        const placed = { ...event, ...pickStreamFields(writer, generated) };
        for (const candidate of [placed, approachEvent(event, generated, isAllowed)]) {
          const stream = events.with(index, candidate);
          if (isAllowed(candidate) && isSent(stream)) return stream;
        }
      }
    }
  return undefined;
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
