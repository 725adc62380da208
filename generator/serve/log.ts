/** Logs of deliveries: lists that only grow. All clients read the same deliveries, each at its own position. */
import type { Run, RunEvent } from "./run.js";

/** One delivery of an event. */
export interface Delivery {
  readonly run: Run;
  readonly event: RunEvent;
  /** The number that `after_sequence` and `Last-Event-ID` compare with. It never decreases within a log. */
  readonly cursor: number;
  /** True if the same event was delivered before. Lists leave out such redeliveries. */
  readonly isRepeated: boolean;
  /** True if the event's own number is below the cursor. It is not sent as `id:`, because a client would go back. */
  readonly isLate: boolean;
}

/** The deliveries of one run, or of all runs of a protocol. */
export interface Log {
  readonly deliveries: readonly Delivery[];
  /** Returns whether nothing will be added any more. */
  isFinished(): boolean;
  add(delivery: Delivery): void;
  finish(): void;
  /** Resolves to true when a delivery is added or the log is finished, and to false after `ms` or when `signal` is aborted. */
  waitForChange(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** Returns an empty log. */
export function createLog(): Log {
  const deliveries: Delivery[] = [];
  const listeners = new Set<() => void>();
  let finished = false;
  const callListeners = (): void => {
    for (const listener of [...listeners]) listener();
  };
  return {
    deliveries,
    isFinished: () => finished,
    add(delivery) {
      deliveries.push(delivery);
      callListeners();
    },
    finish() {
      finished = true;
      callListeners();
    },
    waitForChange: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        const end = (isChanged: boolean): void => {
          clearTimeout(timer);
          listeners.delete(onChange);
          signal.removeEventListener("abort", onAbort);
          resolve(isChanged);
        };
        const onChange = (): void => end(true);
        const onAbort = (): void => end(false);
        const timer = setTimeout(onAbort, ms);
        listeners.add(onChange);
        signal.addEventListener("abort", onAbort);
      }),
  };
}

/** Returns the index of the first delivery after the cursor `after`; 0 if it is undefined. */
export function findIndexAfter({ deliveries }: Pick<Log, "deliveries">, after: number | undefined): number {
  if (after === undefined) return 0;
  let [low, high] = [0, deliveries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((deliveries[middle]?.cursor ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
