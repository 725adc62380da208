import { closeSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";

/** The environment variables of a process. */
export type Environment = { readonly [name: string]: string | undefined };

/** The environment of a command except files. Tests pass their own, so that they can run a command in their process. */
export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
  /** The bytes of standard input. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Asks the user at the terminal for a line; absent without a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** True if findings may be coloured. */
  readonly colors: boolean;
  /** The width of the terminal of stdout; absent without one. */
  readonly columns?: number | undefined;
  /** True if progress is written to stderr, because it is a terminal. */
  readonly showsProgress: boolean;
  /** True if threads may load packages early. This pays only in a process that runs a single command. */
  readonly canPreloadInThreads?: boolean;
  /** The environment variables for programs that the command starts; by default those of the process. */
  readonly environment?: Environment;
  /** The id of this process, for locks. */
  readonly pid: number;
  /** The command line that runs, for messages about what an interrupted process left. */
  readonly commandLine?: string | undefined;
  /** Returns whether a process with this id is running on this machine. */
  isRunning(pid: number): boolean;
  /** Ends a process that leads a group, and all processes of the group. Absent where processes have no groups. */
  readonly killGroup?: ((leader: number) => void) | undefined;
  /**
   * Calls `undo` if a signal ends the process before the returned function is called. From the first call on, a SIGINT or
   * SIGTERM waits until the running code returns to the event loop, and prints a message. Absent where signals are not
   * handled.
   */
  onInterrupt?(undo: () => void): () => void;
  /** Says that a command has written all its files. A signal that comes later finds it finished. */
  finishWork?(): void;
  /**
   * Calls `act` at the first SIGINT or SIGTERM, with the exit code of a process that the signal ends, and closes standard
   * input. A second signal ends the process. Absent where signals are not handled.
   */
  onStopSignal?(act: (exitCode: number) => void): void;
  /** Resolves at SIGINT or SIGTERM. From the first call on, these signals no longer end the process. */
  waitForStopSignal(): Promise<void>;
}

/** The exit codes of the process. */
export const EXIT = {
  /** No findings. */
  ok: 0,
  /** There are findings of severity error, or differences in a check. */
  findings: 1,
  /** The command was used wrongly, or its input could not be read. */
  usage: 2,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Returns the standard streams as those of Node, for servers of protocols. `closed` resolves when the input has ended. */
export function openStreams(io: Pick<Io, "stdin" | "stdout">): {
  readonly input: Readable;
  readonly output: Writable;
  readonly closed: Promise<void>;
} {
  const input = Readable.from(io.stdin);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      io.stdout(String(chunk));
      done();
    },
  });
  return { input, output, closed: new Promise((resolve) => input.once("close", () => resolve())) };
}

/** Returns a path with forward slashes, as it is printed. */
export function toForwardSlashes(file: string): string {
  return file.split(path.sep).join("/");
}

/** Returns the code of an error of the operating system or of Node; an empty text for other errors. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Returns the file, folder or link at a path without following the link; undefined if there is none. */
export function lstatIfExists(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // A part of the path is a file, so nothing can be below it.
    if (getErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Returns the root of the git repository that contains `folder`; undefined if there is none. */
export function findRepositoryRoot(folder: string): string | undefined {
  if (lstatIfExists(path.join(folder, ".git"))) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findRepositoryRoot(parent);
}

/** Returns the path of the current folder from the root of its repository; empty at the root and outside of a repository. */
export function getFolderInRepository(): string {
  const folder = path.resolve();
  return toForwardSlashes(path.relative(findRepositoryRoot(folder) ?? folder, folder));
}

/** Returns the first `length` bytes of a file, or all if it has fewer. */
export function readHead(file: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const descriptor = openSync(file, "r");
  try {
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Lets this thread sleep: `Atomics.wait` waits for a value that nobody changes. */
export function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
