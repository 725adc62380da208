import type { Io } from "../io.js";
import type { MonitorSession } from "./monitor-session.js";
import type { SessionStore } from "./session-store.js";

/** What a source of events needs. */
export interface SourceContext {
  readonly io: Io;
  /** The session of all sources that have no sessions of their own. */
  readonly session: MonitorSession;
  readonly sessions: SessionStore;
  readonly lags: InputLags;
  readonly stop: AbortSignal;
  /** Says that the source is open: that a broker sends what it has. */
  reportOpen(): void;
  /** Says that something was checked. */
  touch(): void;
}

/** How many messages of inputs were not checked yet, by the names of the inputs. */
export type InputLags = Map<string, number>;

/** Reads events until its input ends, or `stop` is aborted. To add a source, add a function and its option. */
export type Source = (context: SourceContext) => Promise<void>;

/** Resolves when a signal is aborted. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
