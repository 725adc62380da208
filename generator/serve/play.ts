/** Plays recorded events: all before the first request, in the recorded rhythm, or one at a time. */
import { computeDelays, createDeliveries, mergeByTime } from "./deliveries.js";
import { createLog, type Delivery, type Log } from "./log.js";
import type { Run } from "./run.js";

/** The times at which recorded events happen. */
export type Pace =
  | { readonly kind: "at-once" }
  /** In the recorded rhythm, faster by a factor. A run begins with the first request for it. */
  | { readonly kind: "speed"; readonly speed: number }
  /** Each event waits until `step` releases it. */
  | { readonly kind: "step" };

/** A run, and the log of its events that have happened. */
export interface PlayedRun {
  readonly run: Run;
  readonly log: Log;
  /** The number of its events, without redeliveries. */
  readonly events: number;
}

/** The runs of a server, and what has happened in them so far. */
export interface Playback {
  readonly runs: readonly PlayedRun[];
  /** Returns the events that have happened in all runs of a protocol, in their order. This log never finishes. */
  getFeed(protocol: string): Log;
  /** Begins to play these runs, unless they are played already. */
  start(runs: readonly PlayedRun[]): void;
  /** Releases and returns up to `count` events: the next ones of the run with this key, or of all runs. */
  step(key: string | undefined, count: number): Delivery[];
  stop(): void;
}

/** Returns a playback of the runs at a pace. */
export function createPlayback(runs: readonly Run[], pace: Pace): Playback {
  const played = runs.map((run) => {
    const deliveries = createDeliveries(run);
    const events = deliveries.filter(({ isRepeated }) => !isRepeated).length;
    return { run, log: createLog(), deliveries, events };
  });
  const byRun = new Map(played.map((each) => [each.run, each]));
  const feeds = new Map(runs.map(({ protocol }) => [protocol, createLog()]));
  const release = (delivery: Delivery): void => {
    const feed = feeds.get(delivery.run.protocol);
    const playedRun = byRun.get(delivery.run);
    playedRun?.log.add(delivery);
    // A feed has events of several runs, so its cursor counts deliveries, and no delivery is late.
    feed?.add({ ...delivery, cursor: feed.deliveries.length + 1, isLate: false });
    if (playedRun?.deliveries.at(-1) === delivery) playedRun.log.finish();
  };
  for (const { run, log } of played) if (run.events.length === 0) log.finish();
  const waiting = new Set(
    pace.kind === "speed" ? [] : mergeByTime(played.map(({ deliveries }) => deliveries)),
  );
  const step: Playback["step"] = (key, count) => {
    const released = [...waiting].filter(({ run }) => key === undefined || run.key === key).slice(0, count);
    for (const delivery of released) {
      waiting.delete(delivery);
      release(delivery);
    }
    return released;
  };
  if (pace.kind === "at-once") step(undefined, waiting.size);
  const stops = new Map<Run, () => void>();
  return {
    runs: played,
    getFeed: (protocol) => feeds.get(protocol) ?? createLog(),
    start(started) {
      if (pace.kind !== "speed") return;
      for (const { run } of started)
        if (!stops.has(run))
          stops.set(run, playInRhythm(byRun.get(run)?.deliveries ?? [], pace.speed, release));
    },
    step,
    stop() {
      for (const stop of stops.values()) stop();
    },
  };
}

/** The longest time that a timer can be set to. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Releases deliveries in their recorded rhythm, the first one at once. Returns a function that stops the playback. */
function playInRhythm(
  deliveries: readonly Delivery[],
  speed: number,
  release: (delivery: Delivery) => void,
): () => void {
  const delays = computeDelays(deliveries);
  const begin = performance.now();
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  const releaseDue = (): void => {
    const now = (performance.now() - begin) * speed;
    for (; next < deliveries.length; next++) {
      const wait = ((delays[next] ?? 0) - now) / speed;
      if (wait > 0) {
        timer = setTimeout(releaseDue, Math.min(MAX_TIMEOUT, Math.max(1, wait)));
        return;
      }
      release(deliveries[next] as Delivery);
    }
  };
  releaseDue();
  return () => clearTimeout(timer);
}
