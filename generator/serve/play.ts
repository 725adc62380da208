/** Plays recorded events: all before the first request, in the recorded rhythm, or one at a time. */
import type { Protocol } from "../protocol/protocol.js";
import { createLog, type Delivery, type Log } from "./log.js";
import type { Run, RunEvent } from "./run.js";
import { createRunQueue, type RunQueue } from "./run-queue.js";

/** The times at which recorded events happen. */
export type Pace =
  | { readonly kind: "at-once" }
  /** In the recorded rhythm, faster by a factor. A run begins with the first request for it. */
  | { readonly kind: "speed"; readonly speed: number }
  /** Each event waits until `step` releases it. */
  | { readonly kind: "step" };

/** Returns whether a run waits for a caller before its next event or, if it has none, before it ends. */
export type HoldTest = (run: Run, deliveries: readonly Delivery[], next: RunEvent | undefined) => boolean;

/** A run of a server. */
export type PlayedRun = Pick<RunQueue, "run" | "log" | "countWaiting" | "listWaiting" | "getNextNumber">;

/** The runs of a server, and what has happened in them so far. */
export interface Playback {
  readonly runs: readonly PlayedRun[];
  /** Returns the events that have happened in all runs of a protocol, in their order. This log never finishes. */
  getFeed(protocol: string): Log;
  /** Begins to play these runs, unless they are played already. */
  start(runs: readonly PlayedRun[]): void;
  /** Releases and returns up to `count` events: the next ones of the run with this key, or of all runs. */
  step(key: string | undefined, count: number): Delivery[];
  /** Lets an event happen now that was not recorded. Waiting events that are obsolete after it never happen. */
  add(run: PlayedRun, event: RunEvent, isObsolete?: (waiting: RunEvent) => boolean): void;
  /**
   * Replaces the events of a run that have not happened yet, and lets the first `count` of them happen now. The others
   * follow at the pace of the playback.
   */
  continueWith(run: PlayedRun, events: readonly RunEvent[], count: number): void;
  stop(): void;
}

/** Returns a playback of the runs at a pace. */
export function createPlayback(
  runs: readonly Run[],
  protocols: readonly Protocol[],
  pace: Pace,
  isHeld: HoldTest = () => false,
): Playback {
  const queues = runs.map((run) =>
    createRunQueue(
      run,
      protocols.find(({ id }) => id === run.protocol),
    ),
  );
  const { getFeed, publish, finishIfEnded, isReady, releaseNext } = createPublisher(runs, isHeld);
  const step: Playback["step"] = (key, count) => {
    const released: Delivery[] = [];
    const candidates = new Set(queues.filter(({ run }) => key === undefined || run.key === key));
    while (released.length < count && candidates.size > 0) {
      const queue = findEarliest(candidates);
      const delivery = queue && isReady(queue) ? releaseNext(queue) : undefined;
      if (delivery) released.push(delivery);
      else if (queue) candidates.delete(queue);
    }
    return released;
  };
  for (const queue of queues) finishIfEnded(queue);
  const rhythms = new Map<Run, Rhythm>();
  /** Continues a run after a caller changed it. */
  const resume = (queue: RunQueue): void => {
    if (pace.kind === "at-once") step(queue.run.key, Number.POSITIVE_INFINITY);
    rhythms.get(queue.run)?.resume();
    finishIfEnded(queue);
  };
  const findQueue = ({ run }: PlayedRun): RunQueue => {
    const queue = queues.find((each) => each.run === run);
    if (!queue) throw new Error(`The run ${run.key} is not played.`);
    return queue;
  };
  if (pace.kind === "at-once") step(undefined, Number.POSITIVE_INFINITY);
  return {
    runs: queues,
    getFeed,
    start(started) {
      if (pace.kind !== "speed") return;
      for (const played of started) {
        const queue = findQueue(played);
        if (rhythms.has(queue.run)) continue;
        rhythms.set(
          queue.run,
          playInRhythm(queue, pace.speed, () => isReady(queue) && releaseNext(queue) !== undefined),
        );
      }
    },
    step,
    add(played, event, isObsolete = () => false) {
      const queue = findQueue(played);
      publish(queue, queue.insert(event, isObsolete));
      resume(queue);
    },
    continueWith(played, events, count) {
      const queue = findQueue(played);
      queue.replaceWaiting(events);
      for (let index = 0; index < count; index++) publish(queue, queue.take());
      resume(queue);
    },
    stop() {
      for (const { stop } of rhythms.values()) stop();
    },
  };
}

/** Moves events from the queues of runs to their logs, and to the feeds of their protocols. */
interface Publisher {
  readonly getFeed: Playback["getFeed"];
  publish(queue: RunQueue, delivery: Delivery | undefined): void;
  /** Ends the log of a run that has no more events and waits for nobody. */
  finishIfEnded(queue: RunQueue): void;
  /** Returns whether the next event may be released. */
  isReady(queue: RunQueue): boolean;
  releaseNext(queue: RunQueue): Delivery | undefined;
}

function createPublisher(runs: readonly Run[], isHeld: HoldTest): Publisher {
  const feeds = new Map(runs.map(({ protocol }) => [protocol, createLog()]));
  const publish: Publisher["publish"] = (queue, delivery) => {
    if (!delivery) return;
    const feed = feeds.get(delivery.run.protocol);
    queue.log.add(delivery);
    // A feed has events of several runs, so its cursor counts deliveries, and no delivery is late.
    feed?.add({ ...delivery, cursor: feed.deliveries.length + 1, isLate: false });
  };
  const finishIfEnded: Publisher["finishIfEnded"] = ({ run, log, countWaiting }) => {
    if (countWaiting() === 0 && !isHeld(run, log.deliveries, undefined)) log.finish();
  };
  return {
    getFeed: (protocol) => feeds.get(protocol) ?? createLog(),
    publish,
    finishIfEnded,
    isReady: ({ run, log, countWaiting, peek }) => countWaiting() > 0 && !isHeld(run, log.deliveries, peek()),
    releaseNext(queue) {
      const delivery = queue.take();
      publish(queue, delivery);
      finishIfEnded(queue);
      return delivery;
    },
  };
}

/** Returns the queue whose next event happened first; the first one of several. */
function findEarliest(queues: Iterable<RunQueue>): RunQueue | undefined {
  let earliest: RunQueue | undefined;
  for (const queue of queues) if (!earliest || queue.getNextTime() < earliest.getNextTime()) earliest = queue;
  return earliest;
}

/** The longest time that a timer can be set to. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** A run that is played in its recorded rhythm. */
interface Rhythm {
  /** Continues after a caller changed the run. The time since the last event counts from now on. */
  resume(): void;
  stop(): void;
}

/** Plays a run in its recorded rhythm, the first event at once. `release` lets the next event happen, or returns false. */
function playInRhythm(queue: RunQueue, speed: number, release: () => boolean): Rhythm {
  let due = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const releaseDue = (): void => {
    while (queue.countWaiting() > 0) {
      const time = queue.getTime();
      const next = Number.isFinite(time) ? due + (queue.getNextTime() - time) / speed : due;
      const wait = next - performance.now();
      if (wait > 0) {
        timer = setTimeout(releaseDue, Math.min(MAX_TIMEOUT, Math.max(1, wait)));
        return;
      }
      if (!release()) return;
      due = next;
    }
  };
  releaseDue();
  return {
    resume() {
      clearTimeout(timer);
      due = performance.now();
      releaseDue();
    },
    stop: () => clearTimeout(timer),
  };
}
