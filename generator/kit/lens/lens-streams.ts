/** Generates the streams of experiments: all event types, with many combinations of optional fields and listed values. */

import { getItem } from "../../get-item.js";
import { groupBy } from "../../group-by.js";
import type { Json } from "../../json.js";
import { combineSeeds } from "../../random.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { buildStreams } from "../build-streams.js";
import type { KitProtocol } from "../kit-protocol.js";
import type { GeneratorContext } from "../scenarios.js";
import type { Operation } from "../script.js";
import type { DeclaredPlace } from "./declared-places.js";
import { isAccepted, listValuesAt, mapValuesAt } from "./edit-places.js";
import { hasRange, listValuesInRange, RANGE_CHOICES } from "./ranges.js";

/** The number of event types that one stream is made for. */
const TYPES_PER_STREAM = 4;

/** The least number of streams for each event type. */
const MIN_ROUNDS = 20;

/** The number of scenarios in a stream: the events of a type differ, and may be in another order than their values. */
const SCENARIOS_PER_STREAM = 12;

/** The largest number of streams for each event type. */
const MAX_ROUNDS = 60;

/** The probabilities of optional fields, one after the other. */
const FIELD_CHANCES = [1, 0, 0.5, 0.8] as const;

/** Yields streams in which each event type occurs several times, and, as far as readers allow it, with each listed value of its fields. */
export function* generateLensStreams(
  protocol: KitProtocol,
  context: GeneratorContext,
  places: readonly DeclaredPlace[],
  seed: number,
): Generator<readonly SampleEvent[]> {
  const variedPlaces = places.filter(({ values, ranges }) => values.length > 1 || hasRange(ranges));
  const listedPlaces = groupBy(variedPlaces, ({ event }) => event);
  // Types that need many streams share them with each other.
  const types = [...context.coverageOrder.keys()]
    .map((type) => ({ type, rounds: countRounds(listedPlaces.get(type) ?? []) }))
    .sort((a, b) => b.rounds - a.rounds);
  for (let from = 0; from < types.length; from += TYPES_PER_STREAM) {
    const group = types.slice(from, from + TYPES_PER_STREAM);
    const picks = group.map(({ type }) => type);
    const chooseIndices = new Map(
      picks.map((type) => [type, createPairChooser(listedPlaces.get(type) ?? [])] as const),
    );
    const repeats = Math.ceil(SCENARIOS_PER_STREAM / picks.length);
    const rounds = group[0]?.rounds ?? MIN_ROUNDS;
    for (let round = 0; round < rounds; round++) {
      const events = buildRound(context, picks, { round, repeats, seed: combineSeeds(seed, from, round) });
      const setListedValues = (event: SampleEvent): SampleEvent => {
        const type = String(event[protocol.envelope.discriminator]);
        const indices = round % 3 !== 0 ? chooseIndices.get(type)?.(event) : undefined;
        // All events of a type have the same value, or each event has another combination of values.
        return (listedPlaces.get(type) ?? []).reduce(
          (current, place, position) =>
            setChoice(protocol, current, place, { index: indices?.[position] ?? round / 3, round }),
          event,
        );
      };
      // The first rounds keep the generated values.
      const received = round % 3 === 1 ? loseSome(events, round) : events;
      const whole = repeatSome(protocol, round < 2 ? received : received.map(setListedValues), round);
      // The type that opens streams is no pick if it is part of every stream.
      const lastTypes = [...picks, String(events[0]?.[protocol.envelope.discriminator])];
      yield round % 2 === 0 ? endWith(protocol, whole, lastTypes[(round / 2) % lastTypes.length]) : whole;
    }
  }
}

/** Returns the number of streams in which each two values of two lists occur together, as far as the largest number allows it. */
function countRounds(places: readonly DeclaredPlace[]): number {
  const [largest = 0, second = 0] = places.map(countChoices).sort((a, b) => b - a);
  // Two of three streams have other pairs in each event, and optional fields are often missing.
  const pairs = Math.ceil((20 * largest * second * TYPES_PER_STREAM) / SCENARIOS_PER_STREAM);
  return Math.min(MAX_ROUNDS, Math.max(MIN_ROUNDS, 2 + 2 * largest, pairs));
}

/** Returns the number of listed values of a place, or of the parts of its range. */
function countChoices({ values }: DeclaredPlace): number {
  return values.length > 1 ? values.length : RANGE_CHOICES;
}

/**
 * Returns a function that chooses a value of each place by its index. It prefers values that occurred together least often,
 * because a consumer may show a field only for a combination of two values.
 */
function createPairChooser(places: readonly DeclaredPlace[]): (event: SampleEvent) => readonly number[] {
  const counts = new Map<string, number>();
  let calls = 0;
  return (event) => {
    const start = calls++;
    const chosen: number[] = [];
    for (let step = 0; step < places.length; step++) {
      // Another place is the first one each time, so that no place follows the others.
      const position = (start + step) % places.length;
      const place = getItem(places, position);
      if (listValuesAt(event, place.tokens).length === 0) continue;
      const listKeys = (index: number): string[] => [
        `${position} ${index}`,
        ...chosen.flatMap((other, at) => [
          `${position} ${index} ${at} ${other}`,
          `${at} ${other} ${position} ${index}`,
        ]),
      ];
      const countUses = (index: number): number =>
        listKeys(index).reduce((sum, key) => sum + (counts.get(key) ?? 0), 0);
      const uses = Array.from({ length: countChoices(place) }, (_, index) => countUses(index));
      const best = uses.indexOf(Math.min(...uses));
      for (const key of listKeys(best)) counts.set(key, (counts.get(key) ?? 0) + 1);
      chosen[position] = best;
    }
    return chosen;
  };
}

function buildRound(
  context: GeneratorContext,
  picks: readonly string[],
  { round, repeats, seed }: { readonly round: number; readonly repeats: number; readonly seed: number },
): readonly SampleEvent[] {
  const operations = Array.from({ length: repeats }, (_, repeat) => repeat).flatMap((repeat) =>
    picks.map(
      (pick, index): Operation => ({
        pick,
        stream: index % (1 + (round % 3)),
        seed: combineSeeds(seed, index, repeat),
        size: 1 + (round % 2),
        isParallel: round % 4 === 3,
        fieldChance: FIELD_CHANCES[(round + repeat) % FIELD_CHANCES.length] ?? 1,
      }),
    ),
  );
  return buildStreams(context, { operations, endsStreams: round % 2 === 1 }, 1 + (round % 3)).events;
}

/** Returns the event with a listed value at a place, or with one in a part of its range, if readers accept it. */
function setChoice(
  protocol: KitProtocol,
  event: SampleEvent,
  { tokens, values, ranges }: DeclaredPlace,
  { index, round }: { readonly index: number; readonly round: number },
): SampleEvent {
  if (listValuesAt(event, tokens).length === 0) return event;
  const choose = (value: Json): Json => {
    const choices = values.length > 1 ? values : listValuesInRange(value, ranges, round);
    return choices.length === 0 ? value : (choices[index % choices.length] ?? null);
  };
  const changed = mapValuesAt(event, tokens, choose);
  return isAccepted(protocol, changed) ? changed : event;
}

/** Returns the events up to the last one of a type, because a consumer may show the last event only. */
function endWith(
  { envelope }: KitProtocol,
  events: readonly SampleEvent[],
  type: string | undefined,
): readonly SampleEvent[] {
  const end = events.findLastIndex((event) => event[envelope.discriminator] === type);
  return end < 0 ? events : events.slice(0, end + 1);
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
