import { groupBy } from "../../group-by.js";
import { areEqual, formatCanonicalJson, isObject, type Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import { makeUnknownEvent, shiftNumbers } from "../edit-events.js";
import type { KitProtocol } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { describeEvent, readConsumer } from "../observe.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";

/** Options of laws whose streams have no terminal events, and no gaps except those that the law creates. */
const GAP_LAW_OPTIONS = { excludesTerminalEvents: true, allowsGaps: false } as const;

/** Laws about events that are missing. */
export const gapLaws: readonly Law[] = [
  {
    id: "start-above-first",
    law: "A stream whose beginning is missing is shown from its first received event: nothing waits for the first number.",
    needs: "numbers",
    ...GAP_LAW_OPTIONS,
    *check(trial) {
      const events = listLongestStream(trial);
      if (events.length < 2) return;
      const rest = events.slice(1 + trial.random.below(events.length - 1));
      const complete = shiftNumbers(trial, rest, getFirstNumber(trial) - getSequence(trial, rest[0]));
      yield* checkContinuation(trial, rest, complete, "a stream that starts above its first number");
    },
  },
  {
    id: "shown-without-opening",
    law: "A stream whose opening event was missed is shown: nothing waits for an event of that type.",
    findSkipReason: ({ rules }) =>
      (rules?.terminal?.opens ?? []).length === 0
        ? "no event type opens the streams of this protocol"
        : undefined,
    ...GAP_LAW_OPTIONS,
    *check(trial) {
      const { events, protocol, rules } = trial;
      const isOpening = (event: SampleEvent): boolean =>
        rules.terminal?.opens.includes(String(event[protocol.envelope.discriminator])) === true;
      const rest = events.filter((event) => !isOpening(event));
      const openings = events.filter(isOpening);
      const [opening] = openings;
      if (opening === undefined) return;
      // A consumer may show nothing but openings.
      const isShown = yield* trial.isShown({ before: openings, added: rest });
      const label = `a stream without ${describeEvent(protocol, opening)}`;
      yield* checkContinuation(trial, rest, events, label, { isShown });
    },
  },
  {
    id: "shown-after-gap",
    law: "After a gap in the numbers, all following events are shown: nothing waits for the missing ones.",
    needs: "numbers",
    ...GAP_LAW_OPTIONS,
    *check(trial) {
      const gap = insertGap(trial);
      if (gap === undefined) return;
      const label = `a gap before ${describeEvent(trial.protocol, gap.next)}`;
      yield* checkContinuation(trial, gap.events, gap.complete, label);
    },
  },
  {
    id: "shown-after-gap-marker",
    law: "After a gap marker, all following events are shown.",
    needs: "gaps",
    ...GAP_LAW_OPTIONS,
    *check(trial) {
      for (const { type, first, last } of trial.rules.gaps ?? []) {
        const hasRange = first !== undefined && last !== undefined;
        const range = hasRange ? { skip: 1 + trial.random.below(5), gap: { first, last } } : {};
        const [marker] = trial.send([{ type, fixedFields: {}, ...range }]);
        if (marker === undefined) continue;
        // The following event has the same number in both streams, because another law checks the gap itself.
        const next = hasRange ? getSequence(trial, marker) + 1 : undefined;
        const label = `the marker ${describeEvent(trial.protocol, marker)}`;
        yield* checkContinuation(trial, [...trial.events, marker], trial.events, label, { next });
      }
    },
  },
  {
    id: "late-gap-marker",
    law: "A gap marker after the end of a run is handled like one before it.",
    needs: "gaps",
    findSkipReason: (protocol) =>
      findTypeBeforeLateMarker(protocol) === undefined
        ? "no event may follow the end of a stream"
        : undefined,
    ...GAP_LAW_OPTIONS,
    *check(trial) {
      const { protocol, events } = trial;
      const end = { type: findTypeBeforeLateMarker(protocol) ?? "", fixedFields: {} };
      for (const { type } of trial.rules.gaps ?? []) {
        const marker = { type, fixedFields: {} };
        const [earlyMarker] = trial.send([marker]);
        const [endEvent, lateMarker] = trial.sendAll([end, marker]) ?? [];
        const reversed = trial.sendAll([marker, end]);
        if (earlyMarker === undefined || endEvent === undefined || lateMarker === undefined) continue;
        // The end may replace what the marker changes, as in a line with the state of a run.
        const ended = yield* trial.tryView([...events, endEvent]);
        const marked = reversed && (yield* trial.tryView([...events, ...reversed]));
        if (ended !== undefined && marked !== undefined && areEqual(ended, marked)) continue;
        yield* trial.expectShownLike(
          { before: events, added: [earlyMarker] },
          { before: [...events, endEvent], added: [lateMarker] },
          `The marker ${describeEvent(protocol, lateMarker)} is not shown, because it came after ${describeEvent(protocol, endEvent)}`,
        );
      }
    },
  },
  {
    id: "gaps-listed",
    law: "gaps() returns each gap in the numbers as { after, before }, and nothing else.",
    hook: "gaps",
    needs: "numbers",
    ...GAP_LAW_OPTIONS,
    *check(trial) {
      const gap = insertGap(trial);
      if (gap === undefined) return;
      yield* checkGaps(trial, gap.events, [gap.range]);
      yield* checkGaps(trial, trial.events, []);
    },
  },
];

/** Returns a terminal event type after which a gap marker may still come. */
function findTypeBeforeLateMarker({ rules }: KitProtocol): string | undefined {
  return rules?.terminal?.final === true ? undefined : rules?.terminal?.types[0];
}

/** Returns the events of the longest generated stream. There can be several, because a task may have its own stream. */
function listLongestStream({ events, protocol }: Trial): readonly SampleEvent[] {
  const streams = groupBy(events, (event) => streamKey(protocol.stream, event));
  return [...streams.values()].reduce(
    (longest, stream) => (stream.length > longest.length ? stream : longest),
    [],
  );
}

function getFirstNumber({ protocol }: Trial): number {
  return protocol.stream?.first ?? 0;
}

function getSequence({ protocol }: Trial, event: SampleEvent | undefined): number {
  return Number(event?.[protocol.stream?.sequence ?? ""] ?? 0);
}

function* checkGaps(trial: Trial, events: readonly SampleEvent[], expected: readonly Json[]): Steps<void> {
  const consumer = yield* trial.feed(events);
  const gaps = yield* readConsumer("gaps()", () => consumer.gaps?.());
  // A gap at the start may name the number before the first one, or no number.
  const normalize = (gap: Json): Json =>
    isObject(gap) ? [gap.after ?? getFirstNumber(trial) - 1, gap.before ?? null] : gap;
  const list = Array.isArray(gaps) ? gaps : [gaps];
  if (formatCanonicalJson(list.map(normalize)) !== formatCanonicalJson(expected.map(normalize)))
    trial.fail(`gaps() is ${JSON.stringify(gaps)}, not ${JSON.stringify(expected)}`);
}

/** A stream with a gap. */
interface GapStream {
  readonly events: SampleEvent[];
  /** The same events, numbered without the gap. */
  readonly complete: SampleEvent[];
  /** The first event after the gap. */
  readonly next: SampleEvent;
  /** The gap as `gaps()` returns it. */
  readonly range: Json;
}

/** Removes one to three events from the middle of the generated stream. */
function insertGap(trial: Trial): GapStream | undefined {
  const { random } = trial;
  const events = listLongestStream(trial);
  if (events.length < 3) return undefined;
  const from = 1 + random.below(events.length - 2);
  const to = Math.min(events.length - 1, from + 1 + random.below(3));
  const before = events.slice(0, from);
  const rest = events.slice(to);
  const [next] = rest;
  if (next === undefined) return undefined;
  return {
    events: [...before, ...rest],
    complete: [...before, ...shiftNumbers(trial, rest, from - to)],
    next,
    range: { after: getSequence(trial, before.at(-1)), before: getSequence(trial, next) },
  };
}

/**
 * Fails if a stream with a gap shows nothing, or does not show a following event that is shown after the complete stream.
 * After the complete stream, the following event has the number `next`. `isShown` is false if the consumer may show nothing
 * of the stream with the gap.
 */
function* checkContinuation(
  trial: Trial,
  events: readonly SampleEvent[],
  complete: readonly SampleEvent[],
  label: string,
  {
    next = getSequence(trial, complete.at(-1)) + 1,
    isShown = true,
  }: { readonly next?: number | undefined; readonly isShown?: boolean } = {},
): Steps<void> {
  const { protocol } = trial;
  const { sequence, id } = protocol.stream ?? {};
  const setNumber = (event: SampleEvent, number: number): SampleEvent =>
    sequence === undefined ? event : { ...event, [sequence]: number };
  if (events.length > 0 && isShown)
    yield* trial.expectShownLike(
      { before: [], added: complete },
      { before: [], added: events },
      `Nothing is shown of ${label}`,
    );
  for (const probe of makeProbes(trial)) {
    const followingEvent = setNumber(probe, Math.max(next, getSequence(trial, events.at(-1)) + 1));
    // An event with the id of another one would be ignored as a redelivery.
    if (id !== undefined && events.some((event) => event[id] === probe[id])) continue;
    yield* trial.expectShownLike(
      { before: complete, added: [setNumber(probe, next)] },
      { before: events, added: [followingEvent] },
      `${describeEvent(protocol, followingEvent)} is not shown after ${label}`,
    );
  }
}

/** Makes events that consumers show at any place: one of unknown type, and the start of each thing with an id. */
function makeProbes(trial: Trial): readonly SampleEvent[] {
  const starts = (trial.rules.lifecycles ?? []).flatMap(({ start: [type], key }) =>
    type === undefined
      ? []
      : trial.send([{ type, fixedFields: { [key]: trial.makeUnusedValue(type, key) } }]),
  );
  return [makeUnknownEvent(trial), ...starts];
}
