/** Logs of deliveries: lists that only grow. All clients read the same entries, each at its own position. */
import type { Run, RunEvent } from "./run.js";

/** One delivery of an event. */
export interface Delivery {
  readonly run: Run;
  readonly event: RunEvent;
  /** The number that `after_sequence` and `Last-Event-ID` compare with. It never decreases within a log. */
  readonly cursor: number;
  /** The same event was delivered before: a redelivery, which lists leave out. */
  readonly repeat: boolean;
  /** Its own number is below the cursor, so that sending it as `id:` would make a client go back. */
  readonly late: boolean;
}

/** The deliveries of one run, or of all runs of a protocol. */
export interface Log {
  readonly entries: readonly Delivery[];
  /** Whether nothing will be added any more. */
  isFinished(): boolean;
  add(entry: Delivery): void;
  finish(): void;
  /** Resolves to true when an entry is added or the log is finished, and to false after `ms` or when `signal` is aborted. */
  waitForChange(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** Returns an empty log. */
export function createLog(): Log {
  const entries: Delivery[] = [];
  const listeners = new Set<() => void>();
  let finished = false;
  const notify = (): void => {
    for (const listener of [...listeners]) listener();
  };
  return {
    entries,
    isFinished: () => finished,
    add(entry) {
      entries.push(entry);
      notify();
    },
    finish() {
      finished = true;
      notify();
    },
    waitForChange: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        const end = (changed: boolean): void => {
          clearTimeout(timer);
          listeners.delete(onChange);
          signal.removeEventListener("abort", onAbort);
          resolve(changed);
        };
        const onChange = (): void => end(true);
        const onAbort = (): void => end(false);
        const timer = setTimeout(onAbort, ms);
        listeners.add(onChange);
        signal.addEventListener("abort", onAbort);
      }),
  };
}

/** Returns the index of the first entry after the cursor `after`; 0 if it is undefined. */
export function indexAfter({ entries }: Pick<Log, "entries">, after: number | undefined): number {
  if (after === undefined) return 0;
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.cursor ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
