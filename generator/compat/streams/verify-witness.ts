/** Confirms a stream by the schemas of each event and the stream checkers of both sides. */
import { streamChecker } from "../../conform/stream-checker.js";
import { type Json, type JsonObject, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { eventMaker } from "../../sample/event-maker.js";
import type { Profile } from "../../schema/readings.js";
import { createTracker } from "../../stream/tracker.js";
import type { EventSample } from "./make-event-samples.js";
import { errorIn, numberTrace } from "./search-streams.js";
import { decoderOf, type StreamSides } from "./stream-sides.js";

/** The first rule of `protocol` that refuses the stream with an error, up to its end. */
export function refusingRule(
  protocol: Protocol,
  profile: Profile,
  events: readonly JsonObject[],
): string | undefined {
  const checker = streamChecker(protocol, { profile });
  const tracker = createTracker(protocol.stream);
  for (const [mark, event] of events.entries()) {
    const rule = errorIn(checker.check(event, tracker.place(event), mark));
    if (rule !== undefined) return rule;
  }
  return errorIn(checker.end());
}

/** Whether each event is valid alone for `profile`; types that readers do not know pass. */
export function areValid(protocol: Protocol, profile: Profile, events: readonly JsonObject[]): boolean {
  const decode = decoderOf(protocol);
  return events.every((event) => {
    const { kind } = decode(event, { profile });
    return kind === "known" || (kind === "unknown" && profile === "reader");
  });
}

/** Returns the stream of a trace, with a different id in each event; undefined if the two sides do not confirm it. */
export function confirmStream(sides: StreamSides, trace: readonly EventSample[]): JsonObject[] | undefined {
  const events = assignIds(sides.small, numberTrace(sides, trace)?.map(({ event }) => event) ?? []);
  const isWitness =
    events.length > 0 &&
    events.every((event) => sides.accepts(event)) &&
    refusingRule(sides.small, "writer", events) === undefined &&
    refusingRule(sides.large, sides.profile, events) !== undefined;
  return isWitness ? events : undefined;
}

/** Events with ids that differ, of the kind that the contract wants. */
function assignIds(protocol: Protocol, events: readonly JsonObject[]): JsonObject[] {
  const field = protocol.stream?.id;
  if (field === undefined) return [...events];
  const ids = idsLike(protocol, field, events);
  return events.map((event, index) =>
    ids[index] === undefined ? event : { ...event, [field]: ids[index] as Json },
  );
}

/** How many seeds are tried for each id that is needed. */
const SEEDS = 8;

function idsLike(protocol: Protocol, field: string, events: readonly JsonObject[]): Json[] {
  const decode = decoderOf(protocol);
  const maker = eventMaker(protocol, (event) => decode(event, { profile: "writer" }).kind === "known");
  const [first] = events;
  const type = String(own(first ?? {}, protocol.envelope.discriminator));
  const { [field]: _id, ...envelope } = first ?? {};
  const found = new Map<string, Json>();
  const seeds = first === undefined ? 0 : events.length * SEEDS;
  for (let seed = 1; seed <= seeds && found.size < events.length; seed++) {
    // Only the id is taken; the rest of the event is made anew and thrown away.
    const base = Object.fromEntries(
      Object.keys(protocol.envelope.schema.properties ?? {}).flatMap((name) =>
        Object.hasOwn(envelope, name) && name !== protocol.envelope.property
          ? [[name, envelope[name] as Json]]
          : [],
      ),
    );
    const id = maker.make({ type, envelope: base, wanted: {}, seed })?.[field];
    if (id !== undefined) found.set(JSON.stringify(id), id);
  }
  return [...found.values()];
}
