import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { UsageError } from "../failure.js";
import { getErrorCode, type Io, lstatIfExists, sleep } from "../io.js";
import { sanitizeLine } from "../text.js";
import { PRIVATE_PREFIX } from "./paths.js";

/** The name of the lock file in a folder that is written to. */
export const LOCK = `${PRIVATE_PREFIX}lock`;

/**
 * The age in milliseconds from which the lock of a process on another machine counts as left behind by a crash. A writer
 * holds it for seconds. For processes on this machine the system knows whether they run.
 */
export const LOCK_EXPIRES_MS = 60 * 60_000;

/**
 * The age in milliseconds from which a lock without a process id counts as left behind. Its owner writes the id at once, unless
 * it is killed before.
 */
const EMPTY_LOCK_EXPIRES_MS = 1_000;

/** The process that takes a lock. */
export type LockOwner = Pick<Io, "pid" | "isRunning" | "commandLine">;

/**
 * Makes this process the only writer of `folder` until the returned function is called. Takes over a lock whose process
 * has ended; throws a usage error if another process holds it.
 */
export function lockFolder(folder: string, owner: LockOwner): () => void {
  const file = path.join(folder, LOCK);
  const content = JSON.stringify({ pid: owner.pid, host: hostname(), command: owner.commandLine });
  let lock: Lock | undefined;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (createLock(file, content)) return () => ignoreErrors(() => rmSync(file, { force: true }));
    lock = readLock(file);
    if (lock && lock.pid === undefined && !isStale(lock, owner)) {
      sleep(EMPTY_LOCK_EXPIRES_MS + 1 - lock.age);
      lock = readLock(file);
    }
    if (lock && !isStale(lock, owner)) break;
    if (lock) removeStaleLock(file, lock, owner);
  }
  const process = lock?.pid === undefined ? "" : ` (process ${lock.pid})`;
  const command = lock?.command === undefined ? "Another accrete" : `\`${lock.command}\``;
  throw new UsageError(
    `${command}${process} is writing to ${folder}; try again when it is done. If none is running, delete ${file}.`,
  );
}

/** Returns the command of a process that has ended while it held the lock of a folder; undefined if the lock is held or free. */
export function findEndedOwner(
  folder: string,
  owner: LockOwner,
): { readonly command: string | undefined } | undefined {
  const lock = readLock(path.join(folder, LOCK));
  return lock && isStale(lock, owner) ? { command: lock.command } : undefined;
}

/** Runs a step whose failure does no harm, because the next run repeats it. */
export function ignoreErrors(step: () => void): void {
  try {
    step();
  } catch {
    // The next run cleans up.
  }
}

/** Creates the lock file. Returns false if it exists. */
function createLock(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") return false;
    // On a full disk the file may exist without its content.
    ignoreErrors(() => rmSync(file, { force: true }));
    throw error;
  }
}

/** A lock file. */
interface Lock {
  /** The text of the file; empty for a link or a folder, which no writer makes. */
  readonly content: string;
  /** The process that holds the lock; undefined if the file does not name one. */
  readonly pid?: number;
  readonly host?: unknown;
  /** The command line of the process, on one line. */
  readonly command?: string | undefined;
  /** Milliseconds between now and the time at which the file was written. */
  readonly age: number;
}

/** Returns the lock in a file; undefined if there is no file. */
function readLock(file: string): Lock | undefined {
  const stats = lstatIfExists(file);
  if (!stats) return undefined;
  // A file of the future is from before the clock went back.
  const age = Math.abs(Date.now() - stats.mtimeMs);
  let content = "";
  try {
    if (stats.isFile()) content = readFileSync(file, "utf8");
  } catch (error) {
    // Another process may have removed the file meanwhile.
    if (getErrorCode(error) !== "ENOENT") throw error;
  }
  return { content, age, ...parseOwner(content) };
}

/** Returns the process that the text of a lock file names; nothing if another process is still writing the text. */
function parseOwner(content: string): Pick<Lock, "pid" | "host" | "command"> {
  try {
    const { pid, host, command } = JSON.parse(content);
    return {
      host,
      ...(Number.isSafeInteger(pid) && { pid }),
      ...(typeof command === "string" && { command: sanitizeLine(command) }),
    };
  } catch {
    return {};
  }
}

/** Returns whether the process that took a lock has ended, or seems to have ended. */
function isStale({ pid, host, age }: Lock, owner: LockOwner): boolean {
  if (pid === undefined) return age > EMPTY_LOCK_EXPIRES_MS;
  if (host !== hostname()) return age > LOCK_EXPIRES_MS;
  // A lock with our own process id is from an earlier process: containers reuse ids soon.
  return pid === owner.pid || !owner.isRunning(pid);
}

/** Removes a stale lock. If another process has replaced it meanwhile, its lock is put back. */
function removeStaleLock(file: string, { content }: Lock, { pid }: LockOwner): void {
  const movedFile = `${file}-${pid}`;
  try {
    renameSync(file, movedFile);
    if (readLock(movedFile)?.content !== content) linkSync(movedFile, file);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes(getErrorCode(error))) throw error;
  } finally {
    rmSync(movedFile, { recursive: true, force: true });
  }
}
