/** When recorded events happen for the clients: all before the first request, by the clock, or one at a time. */
import { deliveries, merged, offsets } from "./deliveries.js";
import { createLog, type Entry, type Log } from "./log.js";
import type { Run } from "./run.js";

/** How a recording becomes a stream. */
export type Pace =
  | { readonly kind: "at-once" }
  /** In the recorded rhythm, so many times as fast; a run begins when it is first asked for. */
  | { readonly kind: "speed"; readonly speed: number }
  /** Each event waits until `step` lets it go. */
  | { readonly kind: "step" };

/** A run and what of it has happened. */
export interface Played {
  readonly run: Run;
  readonly log: Log;
}

/** All runs, being played. */
export interface Play {
  readonly runs: readonly Played[];
  /** What has happened in all runs of a protocol, in the order in which it did. It never finishes. */
  feed(protocol: string): Log;
  /** Begins to play these runs, once. */
  start(runs: readonly Played[]): void;
  /** Lets up to `count` events go: the next ones of the run with this key, or of all runs. */
  step(key: string | undefined, count: number): Entry[];
  stop(): void;
}

/** Plays the runs at a pace. */
export function createPlay(runs: readonly Run[], pace: Pace): Play {
  const played = runs.map((run): Played => ({ run, log: createLog() }));
  const logs = new Map(played.map(({ run, log }) => [run, log]));
  const feeds = new Map(runs.map(({ protocol }) => [protocol, createLog()]));
  const all = new Map(runs.map((run) => [run, deliveries(run)]));
  const release = (entry: Entry): void => {
    const feed = feeds.get(entry.run.protocol);
    logs.get(entry.run)?.add(entry);
    feed?.add({ ...entry, cursor: feed.entries.length + 1, late: false });
    if (all.get(entry.run)?.at(-1) === entry) logs.get(entry.run)?.finish();
  };
  for (const { run, log } of played) if (run.events.length === 0) log.finish();
  const held = new Set(pace.kind === "speed" ? [] : merged([...all.values()]));
  const step: Play["step"] = (key, count) => {
    const gone = [...held].filter(({ run }) => key === undefined || run.key === key).slice(0, count);
    for (const entry of gone) {
      held.delete(entry);
      release(entry);
    }
    return gone;
  };
  if (pace.kind === "at-once") step(undefined, held.size);
  const stops = new Map<Played, () => void>();
  return {
    runs: played,
    feed: (protocol) => feeds.get(protocol) ?? createLog(),
    start: (these) => {
      if (pace.kind !== "speed") return;
      for (const one of these)
        if (!stops.has(one)) stops.set(one, inRhythm(all.get(one.run) ?? [], pace.speed, release));
    },
    step,
    stop: () => {
      for (const stop of stops.values()) stop();
    },
  };
}

/** The longest time that a timer can be set to. */
const LONGEST = 2 ** 31 - 1;

/** Releases entries in their rhythm, the first at once, until the function is called that it returns. */
function inRhythm(entries: readonly Entry[], speed: number, release: (entry: Entry) => void): () => void {
  const times = offsets(entries);
  const begin = performance.now();
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  const turn = (): void => {
    const now = (performance.now() - begin) * speed;
    for (let entry = entries[next]; entry && (times[next] ?? 0) <= now; entry = entries[++next])
      release(entry);
    if (next >= entries.length) return;
    const wait = ((times[next] ?? 0) - now) / speed;
    timer = setTimeout(turn, Math.min(LONGEST, Math.max(1, wait)));
  };
  turn();
  return () => clearTimeout(timer);
}
