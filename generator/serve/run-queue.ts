/** The events of one run that have not happened yet. Events that callers add move the numbers of the recorded ones. */
import type { Protocol } from "../protocol/protocol.js";
import { moveNumbers } from "./edit-run-events.js";
import { createLog, type Delivery, type Log } from "./log.js";
import type { Run, RunEvent } from "./run.js";

/** A run, the log of its events that have happened, and the events that have not. */
export interface RunQueue {
  readonly run: Run;
  readonly log: Log;
  /** Returns the events that have not happened yet, with the numbers that they will have. */
  listWaiting(): readonly RunEvent[];
  /** Returns the event that happens next, as it was recorded. */
  peek(): RunEvent | undefined;
  /** Returns the number of events that have not happened yet. */
  countWaiting(): number;
  /** Returns the time of the last event that has happened; negative infinity before the first one. Never decreases. */
  getTime(): number;
  /** Returns the time at which the next event happens. */
  getNextTime(): number;
  /** Returns the number of an event that happens now; undefined if events have no numbers. */
  getNextNumber(): number | undefined;
  /** Removes the next event, and returns its delivery. */
  take(): Delivery | undefined;
  /**
   * Returns the delivery of an event that happens now. Removes the waiting events that are obsolete after it; the others get
   * the numbers that follow.
   */
  insert(event: RunEvent, isObsolete: (waiting: RunEvent) => boolean): Delivery;
  /** Replaces the waiting events. The new ones have their numbers already. */
  replaceWaiting(events: readonly RunEvent[]): void;
}

/** Creates the queue of a run of which nothing has happened yet. */
export function createRunQueue(run: Run, protocol: Protocol | undefined): RunQueue {
  const makeDelivery = createDeliveryMaker(run);
  const log = createLog();
  let waiting = run.events;
  let next = 0;
  let time = Number.NEGATIVE_INFINITY;
  let lastRecorded = Number.NEGATIVE_INFINITY;
  /** For each added event, the recorded number after which it stands. */
  let places: number[] = [];
  /** The recorded numbers of removed events. */
  let removed = new Set<number>();
  const deliver = (event: RunEvent, recorded?: RunEvent): Delivery => {
    time = Math.max(time, event.time ?? time);
    return makeDelivery(event, recorded);
  };
  const numberEvent = (recorded: RunEvent): RunEvent => {
    const { sequence } = recorded;
    if (sequence === undefined || !protocol) return recorded;
    const added = places.filter((place) => place < sequence).length;
    const shift = added - [...removed].filter((number) => number < sequence).length;
    return shift === 0 ? recorded : moveNumbers(protocol, recorded, shift);
  };
  const getLastNumber = (): number | undefined => {
    const last = log.deliveries.at(-1);
    return last?.event.sequence === undefined ? undefined : last.cursor;
  };
  return {
    run,
    log,
    listWaiting: () => waiting.slice(next).map(numberEvent),
    peek: () => waiting[next],
    countWaiting: () => waiting.length - next,
    getTime: () => time,
    getNextTime: () => Math.max(time, waiting[next]?.time ?? time),
    getNextNumber() {
      const last = getLastNumber();
      return last === undefined ? undefined : last + 1;
    },
    take() {
      const recorded = waiting[next];
      if (!recorded) return undefined;
      next++;
      lastRecorded = Math.max(lastRecorded, recorded.sequence ?? lastRecorded);
      return deliver(numberEvent(recorded), recorded);
    },
    insert(event, isObsolete) {
      places.push(lastRecorded);
      const rest = waiting.slice(next);
      for (const { sequence } of rest.filter(isObsolete)) if (sequence !== undefined) removed.add(sequence);
      waiting = rest.filter((each) => !isObsolete(each));
      next = 0;
      return deliver(event);
    },
    replaceWaiting(events) {
      waiting = events;
      next = 0;
      places = [];
      removed = new Set();
      lastRecorded = getLastNumber() ?? lastRecorded;
    },
  };
}

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
