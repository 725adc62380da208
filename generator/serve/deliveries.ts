/** The deliveries of runs, and their order across runs. */
import type { Delivery } from "./log.js";
import type { Run, RunEvent } from "./run.js";

/** Returns the deliveries of a run. If events have no numbers, the cursor is the position, counted from 1. */
export function createDeliveries(run: Run): Delivery[] {
  const eventsById = new Map<string, RunEvent[]>();
  const delivered = new Set<RunEvent>();
  let cursor = 0;
  return run.events.map((event, index) => {
    const sameId = event.id === undefined ? [] : (eventsById.get(event.id) ?? []);
    const repeat = delivered.has(event) || sameId.some(({ raw }) => Buffer.compare(raw, event.raw) === 0);
    if (event.id !== undefined && !repeat) eventsById.set(event.id, [...sameId, event]);
    delivered.add(event);
    const number = event.sequence ?? index + 1;
    const late = index > 0 && number < cursor;
    cursor = index > 0 ? Math.max(cursor, number) : number;
    return { run, event, cursor, repeat, late };
  });
}

/**
 * Returns all deliveries in the order of their times. Those of one run keep their order, whatever their times are. Runs
 * without times come first.
 */
export function mergeByTime(runs: readonly (readonly Delivery[])[]): Delivery[] {
  const timed = runs.flatMap((entries) => {
    let time = Number.NEGATIVE_INFINITY;
    return entries.map((entry) => {
      time = Math.max(time, entry.event.time ?? time);
      return { entry, time };
    });
  });
  // A subtraction of two infinities would give NaN.
  return timed.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ entry }) => entry);
}

/** Returns the milliseconds between the first delivery of a run and each delivery. They never decrease. */
export function computeDelays(entries: readonly Delivery[]): number[] {
  const first = entries.find(({ event }) => event.time !== undefined)?.event.time ?? 0;
  let delay = 0;
  return entries.map(({ event }) => {
    delay = Math.max(delay, (event.time ?? first) - first);
    return delay;
  });
}
