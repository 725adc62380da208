import { lstatSync, type Stats } from "node:fs";
import path from "node:path";

/** The environment variables of a process. */
export type Environment = { readonly [name: string]: string | undefined };

/** What a command has of the world besides files, so that tests can run it in process. */
export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
  /** The bytes of standard input. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Asks the user at the terminal for a line; absent if there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Whether findings may be coloured. */
  readonly colors: boolean;
  /** How wide the terminal is that stdout is; absent if it is none. */
  readonly columns?: number | undefined;
  /** Whether somebody watches stderr, so that progress is worth showing. */
  readonly watched: boolean;
  /** Whether threads may be started that load packages early: it pays in a process that runs one command. */
  readonly startsThreads?: boolean;
  /** The variables of the environment, for programs that are started; absent where they get those of the process. */
  readonly environment?: Environment;
  /** Id of this process, for the lock on the output folder. */
  readonly pid: number;
  /** Whether a process with that id is running on this machine. */
  isRunning(pid: number): boolean;
  /**
   * Calls `undo` if a signal ends the process before the returned function is called. From the first call on, SIGINT and
   * SIGTERM end it between two steps only and with a sentence. Absent where no signals arrive.
   */
  onInterrupt?(undo: () => void): () => void;
  /** Resolves when the process is asked to end (SIGINT, SIGTERM); from the first call on it no longer ends by itself then. */
  stopAsked(): Promise<void>;
}

/** What the process exits with. */
export const EXIT = {
  /** No findings. */
  ok: 0,
  /** There are findings of severity error, or, for checks, differences. */
  findings: 1,
  /** The command was used wrongly, or its input could not be read. */
  usage: 2,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** `folder` with forward slashes, as paths are printed. */
export function slashes(folder: string): string {
  return folder.split(path.sep).join("/");
}

/** Returns what stands at a path without following a link; undefined if nothing does. */
export function lstatIfExists(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // The path leads through a file.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}
