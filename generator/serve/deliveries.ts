/** A run as the deliveries of its log, and the order of deliveries across runs. Pure. */
import type { Entry } from "./log.js";
import type { Run, RunEvent } from "./run.js";

/** The deliveries of a run. Where events carry no number, the cursor is the position, counted from 1. */
export function deliveries(run: Run): Entry[] {
  const seen = new Map<string, RunEvent[]>();
  const given = new Set<RunEvent>();
  let cursor = 0;
  return run.events.map((event, index) => {
    const twins = event.id === undefined ? undefined : seen.get(event.id);
    const repeat = given.has(event) || (twins?.some((twin) => sameBytes(twin, event)) ?? false);
    if (event.id !== undefined && !repeat) seen.set(event.id, [...(twins ?? []), event]);
    given.add(event);
    const own = event.sequence ?? index + 1;
    const late = index > 0 && own < cursor;
    cursor = index > 0 ? Math.max(cursor, own) : own;
    return { run, event, cursor, repeat, late };
  });
}

/**
 * All deliveries in the order of their times; those of one run stay in their order, whatever their times say. Runs
 * without times come first, in the order given.
 */
export function merged(runs: readonly (readonly Entry[])[]): Entry[] {
  const timed = runs.flatMap((entries) => {
    let time = Number.NEGATIVE_INFINITY;
    return entries.map((entry) => {
      time = Math.max(time, entry.event.time ?? time);
      return { entry, time };
    });
  });
  // Two infinities are equal here, which a subtraction would not say.
  return timed.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ entry }) => entry);
}

/** For each delivery the milliseconds after the run's first one at which it was recorded; they never fall. */
export function offsets(entries: readonly Entry[]): number[] {
  const first = entries.find(({ event }) => event.time !== undefined)?.event.time ?? 0;
  let offset = 0;
  return entries.map(({ event }) => {
    offset = Math.max(offset, (event.time ?? first) - first);
    return offset;
  });
}

function sameBytes(a: RunEvent, b: RunEvent): boolean {
  return Buffer.compare(a.raw, b.raw) === 0;
}
