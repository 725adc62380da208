import type { Delivery } from "./log.js";
import type { Run, RunEvent } from "./run.js";

/** Turns the events of a run into deliveries, in the order of the calls. `recorded` is the event before it was renumbered. */
type DeliveryMaker = (event: RunEvent, recorded?: RunEvent) => Delivery;

/** Returns the maker of a run's deliveries. If events have no numbers, the cursor is the position, counted from 1. */
export function createDeliveryMaker(run: Run): DeliveryMaker {
  const eventsById = new Map<string, RunEvent[]>();
  const delivered = new Set<RunEvent>();
  let cursor = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (event, recorded = event) => {
    const sameId = event.id === undefined ? [] : (eventsById.get(event.id) ?? []);
    const isRepeated =
      delivered.has(recorded) || sameId.some(({ raw }) => Buffer.compare(raw, event.raw) === 0);
    if (event.id !== undefined && !isRepeated) eventsById.set(event.id, [...sameId, event]);
    delivered.add(recorded);
    count++;
    const number = event.sequence ?? count;
    const isLate = number < cursor;
    cursor = Math.max(cursor, number);
    return { run, event, cursor, isRepeated, isLate };
  };
}
