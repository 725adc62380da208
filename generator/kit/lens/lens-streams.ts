/** Generates the streams of experiments: all event types, with many combinations of optional fields and listed values. */
import { combineSeeds } from "../../random.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { buildStreams } from "../build-streams.js";
import type { KitProtocol } from "../kit-protocol.js";
import type { GeneratorContext } from "../scenarios.js";
import type { Operation } from "../script.js";
import type { DeclaredPlace } from "./declared-places.js";
import { isAccepted, listValuesAt, setValuesAt } from "./edit-places.js";

/** The number of event types that one stream is made for. */
const TYPES_PER_STREAM = 12;

/** The least number of streams for each event type. */
const MIN_ROUNDS = 16;

/** The probabilities of optional fields, one after the other. */
const FIELD_CHANCES = [1, 0, 0.5, 0.8] as const;

/** Yields streams in which each event type occurs several times, and, as far as readers allow it, with each listed value of its fields. */
export function* generateLensStreams(
  protocol: KitProtocol,
  context: GeneratorContext,
  places: readonly DeclaredPlace[],
  seed: number,
): Generator<readonly SampleEvent[]> {
  const types = [...context.coverageOrder.keys()];
  const listedPlaces = new Map<string, DeclaredPlace[]>();
  for (const place of places)
    if (place.values.length > 1)
      listedPlaces.set(place.event, [...(listedPlaces.get(place.event) ?? []), place]);
  for (let from = 0; from < types.length; from += TYPES_PER_STREAM) {
    const picks = types.slice(from, from + TYPES_PER_STREAM);
    const sizes = picks.flatMap((type) => (listedPlaces.get(type) ?? []).map(({ values }) => values.length));
    const rounds = Math.max(MIN_ROUNDS, 2 + 2 * Math.max(0, ...sizes));
    for (let round = 0; round < rounds; round++) {
      const events = buildRound(context, picks, round, combineSeeds(seed, from, round));
      // The first rounds keep the generated values.
      const setListedValues = (event: SampleEvent): SampleEvent =>
        (listedPlaces.get(String(event[protocol.envelope.discriminator])) ?? []).reduce(
          (current, { tokens, values }) => setListedValue(protocol, current, tokens, values, round),
          event,
        );
      const listed = round < 2 ? events : events.map(setListedValues);
      yield round % 3 === 1 ? loseSome(listed, round) : repeatSome(protocol, listed, round);
    }
  }
}

function buildRound(
  context: GeneratorContext,
  picks: readonly string[],
  round: number,
  seed: number,
): readonly SampleEvent[] {
  const operations = picks.map(
    (pick, index): Operation => ({
      pick,
      stream: index % (1 + (round % 3)),
      seed: combineSeeds(seed, index),
      size: 1 + (round % 2),
      isParallel: round % 4 === 3,
      fieldChance: FIELD_CHANCES[round % FIELD_CHANCES.length] ?? 1,
    }),
  );
  return buildStreams(context, { operations, endsStreams: round % 2 === 1 }, 1 + (round % 3)).events;
}

/** Returns the event with another of the listed values at a place, if readers accept it. */
function setListedValue(
  protocol: KitProtocol,
  event: SampleEvent,
  tokens: readonly string[],
  values: DeclaredPlace["values"],
  round: number,
): SampleEvent {
  if (listValuesAt(event, tokens).length === 0) return event;
  const changed = setValuesAt(event, tokens, values[round % values.length] ?? null);
  return isAccepted(protocol, changed) ? changed : event;
}

/** Returns a half or a quarter of the events, because a complete text, for example, matters only if pieces of it were lost. */
function loseSome(events: readonly SampleEvent[], seed: number): readonly SampleEvent[] {
  const share = seed % 2 === 0 ? 2 : 4;
  return events.filter((_, index) => combineSeeds(seed, index) % share === 0);
}

/** Returns the events of some rounds with redeliveries, which are the same objects as the first deliveries. */
function repeatSome(
  { stream }: KitProtocol,
  events: readonly SampleEvent[],
  round: number,
): readonly SampleEvent[] {
  if (stream?.id === undefined || round % 3 !== 2) return events;
  return events.flatMap((event, index) => {
    const earlier = events[index - 2];
    return index % 4 === 3 && earlier !== undefined ? [event, earlier] : [event];
  });
}
