/** The deliveries of runs, and their order across runs. */
import type { Delivery } from "./log.js";
import type { Run, RunEvent } from "./run.js";

/** Returns the deliveries of a run. If events have no numbers, the cursor is the position, counted from 1. */
export function createDeliveries(run: Run): Delivery[] {
  const eventsById = new Map<string, RunEvent[]>();
  const delivered = new Set<RunEvent>();
  let cursor = Number.NEGATIVE_INFINITY;
  return run.events.map((event, index) => {
    const sameId = event.id === undefined ? [] : (eventsById.get(event.id) ?? []);
    const isRepeated = delivered.has(event) || sameId.some(({ raw }) => Buffer.compare(raw, event.raw) === 0);
    if (event.id !== undefined && !isRepeated) eventsById.set(event.id, [...sameId, event]);
    delivered.add(event);
    const number = event.sequence ?? index + 1;
    const isLate = number < cursor;
    cursor = Math.max(cursor, number);
    return { run, event, cursor, isRepeated, isLate };
  });
}

/**
 * Returns all deliveries in the order of their times. Those of one run keep their order, whatever their times are. Runs
 * without times come first.
 */
export function mergeByTime(runs: readonly (readonly Delivery[])[]): Delivery[] {
  const timed = runs.flatMap((deliveries) => {
    let time = Number.NEGATIVE_INFINITY;
    return deliveries.map((delivery) => {
      time = Math.max(time, delivery.event.time ?? time);
      return { delivery, time };
    });
  });
  // A subtraction of two infinities would give NaN.
  timed.sort((a, b) => (a.time === b.time ? 0 : a.time - b.time));
  return timed.map(({ delivery }) => delivery);
}

/** Returns the milliseconds between the first delivery of a run and each delivery. They never decrease. */
export function computeDelays(deliveries: readonly Delivery[]): number[] {
  const first = deliveries.find(({ event }) => event.time !== undefined)?.event.time ?? 0;
  let delay = 0;
  return deliveries.map(({ event }) => {
    delay = Math.max(delay, (event.time ?? first) - first);
    return delay;
  });
}
