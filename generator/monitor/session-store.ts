/** Keeps the sessions of a monitor, and writes their states. */
import path from "node:path";
import { UsageError } from "../failure.js";
import { getErrorMessage } from "../text.js";
import { createMonitorSession, type MonitorSession, type SessionOptions } from "./monitor-session.js";
import { createSaver, readStateFile, writeStateFile } from "./state-file.js";

/** The sessions of a monitor. Each has a file of its own for its state. */
export interface SessionStore {
  /** Opens a session, which goes on from its state if there is one. `part` is the end of the name of its file. */
  open(part?: string): OwnedSession;
  list(): readonly MonitorSession[];
  /** Resolves when the states of all sessions that have changed are written. */
  save(): Promise<void>;
  saveNow(): void;
  /** Ends the streams whose last event had come before the previous call. */
  evictEnded(): void;
}

/** A session that one source uses alone. */
export interface OwnedSession {
  readonly session: MonitorSession;
  /** The file of its state; undefined if no states are kept. */
  readonly file: string | undefined;
  /** Writes the state, and forgets the session. */
  close(): void;
  /** Forgets the session. Its state is what was written last. */
  drop(): void;
}

/** Creates a store without sessions. `file` is the state of the main session; without it, no states are kept. */
export function createSessionStore(
  file: string | undefined,
  options: Omit<SessionOptions, "state">,
): SessionStore {
  const sessions = new Map<MonitorSession, string | undefined>();
  const changed = new Set<MonitorSession>();
  const write = (session: MonitorSession): void => {
    const target = sessions.get(session);
    if (target !== undefined && changed.delete(session)) writeStateFile(target, session.save());
  };
  const saver = createSaver(() => [...changed].forEach(write));
  return {
    ...saver,
    list: () => [...sessions.keys()],
    open(part) {
      const target =
        file === undefined ? undefined : path.resolve(part === undefined ? file : `${file}.${part}`);
      const session: MonitorSession = openSession(target, {
        ...options,
        observe(value) {
          changed.add(session);
          options.observe(value);
        },
      });
      sessions.set(session, target);
      const drop = (): void => {
        changed.delete(session);
        sessions.delete(session);
      };
      return {
        session,
        file: target,
        drop,
        close() {
          write(session);
          drop();
        },
      };
    },
    evictEnded() {
      for (const session of sessions.keys()) {
        session.evictEnded();
        changed.add(session);
      }
    },
  };
}

function openSession(file: string | undefined, options: Omit<SessionOptions, "state">): MonitorSession {
  const state = file === undefined ? undefined : readStateFile(file);
  try {
    return createMonitorSession({ ...options, state });
  } catch (error) {
    if (state === undefined) throw error;
    throw new UsageError(`${file}: ${getErrorMessage(error)} Remove the file to begin without a state.`);
  }
}
