import { pick } from "../random.js";
import type { RunEvent } from "../run.js";
import type { EventFault } from "./tools.js";

/** How many events later a redelivery comes at most. */
const LATER = 5;

/**
 * `duplicate`: the same event once more, in a row or up to five events later. Events without ids are left alone: nobody
 * could tell a redelivery from a second event.
 */
export const duplicate: EventFault = (events, { happens, words }) => {
  const again = new Map<number, RunEvent[]>();
  for (const [index, event] of events.entries()) {
    if (event.id === undefined || !happens(index)) continue;
    const place = Math.min(events.length - 1, index + pick(LATER + 1, ...words, index));
    again.set(place, [...(again.get(place) ?? []), event]);
  }
  return events.flatMap((event, index) => [event, ...(again.get(index) ?? [])]);
};
