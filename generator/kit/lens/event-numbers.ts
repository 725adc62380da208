/**
 * Tells what a consumer shows of an event type from what it shows of the numbers of events. A writer that no longer sends a type
 * leaves no gap in the numbers, but the events that follow get other ones.
 */
import { groupBy } from "../../group-by.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import type { KitProtocol } from "../kit-protocol.js";
import type { TargetResults } from "./create-lens.js";
import type { Target } from "./edit-places.js";

/** Returns whether the numbers of each stream follow each other, without gaps and redeliveries. */
export function hasAllNumbers({ stream }: KitProtocol, events: readonly SampleEvent[]): boolean {
  const streams = groupBy(events, (event) => streamKey(stream, event));
  return [...streams.values()].every((each) => {
    const numbers = each.map((event) => Number(event[stream?.sequence ?? ""]));
    return numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1);
  });
}

/** Returns events with lower numbers, so that those that are not among them leave no gap in the numbers of their stream. */
export function closeGaps(
  { stream }: KitProtocol,
  originals: readonly SampleEvent[],
  events: readonly SampleEvent[],
): readonly SampleEvent[] {
  const sequence = stream?.sequence;
  if (sequence === undefined) return events;
  const kept = new Set(events);
  const missing = new Map<string, Set<number>>();
  for (const event of originals) {
    const number = event[sequence];
    if (kept.has(event) || typeof number !== "number") continue;
    const key = streamKey(stream, event);
    missing.set(key, (missing.get(key) ?? new Set()).add(number));
  }
  return events.map((event) => {
    const number = event[sequence];
    if (typeof number !== "number") return event;
    const before = [...(missing.get(streamKey(stream, event)) ?? [])].filter((each) => each < number).length;
    return before === 0 ? event : { ...event, [sequence]: number - before };
  });
}

/**
 * Decides about event types whose removal made a difference only in streams whose numbers do not follow each other. That is no
 * evidence about a consumer that uses the numbers.
 */
export function decideIrregularRemovals(
  { stream }: KitProtocol,
  results: ReadonlyMap<Target, TargetResults>,
): void {
  const usesNumbers = [...results].some(
    ([{ event, tokens }, { sensitive, isRead }]) =>
      event === "" && tokens.join() === stream?.sequence && (sensitive.size > 0 || isRead),
  );
  for (const { isIrregular, sensitive, doubtful } of results.values())
    if (isIrregular) (usesNumbers ? doubtful : sensitive).add("removed");
}
