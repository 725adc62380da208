/**
 * What has been sent so far: a list that only grows, to which each reader holds a cursor. Readers that do not read cost
 * nothing here, and the same entries come again in the same order to everyone who asks.
 */
import type { Run, RunEvent } from "./run.js";

/** One delivery. */
export interface Entry {
  readonly run: Run;
  readonly event: RunEvent;
  /** What `after_sequence` and `Last-Event-ID` compare with; it never falls from one entry to the next. */
  readonly cursor: number;
  /** Whether the same event came before: a redelivery, which lists leave out. */
  readonly repeat: boolean;
  /** Whether its own number lies below the cursor, so that sending it as `id:` would lead a client back. */
  readonly late: boolean;
}

/** The deliveries of one run, or of all runs of a protocol. */
export interface Log {
  readonly entries: readonly Entry[];
  /** Whether nothing will be added any more. */
  finished(): boolean;
  add(entry: Entry): void;
  finish(): void;
  /** Resolves to true when something was added or finished, to false after `ms` or when `signal` is aborted. */
  changed(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** An empty log. */
export function createLog(): Log {
  const entries: Entry[] = [];
  const waiting = new Set<() => void>();
  let done = false;
  const wake = (): void => {
    for (const tell of [...waiting]) tell();
  };
  return {
    entries,
    finished: () => done,
    add: (entry) => {
      entries.push(entry);
      wake();
    },
    finish: () => {
      done = true;
      wake();
    },
    changed: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        const end = (changed: boolean) => (): void => {
          clearTimeout(timer);
          waiting.delete(woken);
          signal.removeEventListener("abort", silent);
          resolve(changed);
        };
        const [woken, silent] = [end(true), end(false)];
        const timer = setTimeout(silent, ms);
        waiting.add(woken);
        signal.addEventListener("abort", silent);
      }),
  };
}

/** The index of the first entry behind `after`, of the first of all if it is undefined. */
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
