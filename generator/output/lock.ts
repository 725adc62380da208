import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import { tidyUp } from "./disk.js";
import { look } from "./tree-paths.js";

/** The name of the lock file in the output folder. */
export const LOCK = ".accrete-lock";

/**
 * When the lock of a process on another machine counts as left behind by a crash: a lock is held for seconds, or for the
 * minutes that an import compares schemas. Of processes on this machine it is known whether they run.
 */
export const LOCK_EXPIRES_MS = 60 * 60_000;

/** Whoever may hold a lock. */
export type Owner = Pick<Io, "pid" | "isRunning">;

/**
 * Makes this process the only one that writes to `folder`, until the returned function is called. A lock whose process
 * is gone is taken over; one that is held is a usage error.
 */
export function lock(folder: string, owner: Owner): () => void {
  const file = path.join(folder, LOCK);
  const mine = JSON.stringify({ pid: owner.pid, host: hostname() });
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(file, mine)) return () => tidyUp(() => rmSync(file, { force: true }));
    const held = holder(file);
    if (held === undefined) continue;
    if (!isStale(held, owner)) throw new UsageError(busy(folder, file, held));
    takeAway(file, held, owner);
  }
  throw new UsageError(`Another accrete is writing to ${folder}; try again when it is done.`);
}

interface Held {
  readonly content: string;
  readonly pid?: number;
  readonly host?: string;
  readonly age: number;
}

function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    // A full disk takes the name of a file, but not what it holds.
    tidyUp(() => rmSync(file, { force: true }));
    throw error;
  }
}

function holder(file: string): Held | undefined {
  const stats = look(file);
  if (!stats) return undefined;
  const age = Date.now() - stats.mtimeMs;
  const content = contentOf(file);
  try {
    const { pid, host } = JSON.parse(content);
    return {
      content,
      age,
      ...(Number.isSafeInteger(pid) && { pid }),
      ...(typeof host === "string" && { host }),
    };
  } catch {
    return { content, age };
  }
}

/** What a lock file says; a link or a folder, which no run has made, says nothing. */
function contentOf(file: string): string {
  try {
    return look(file)?.isFile() ? readFileSync(file, "utf8") : "";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** A file without a pid is one that its owner is about to fill, or that a full disk left empty. */
function isStale({ pid, host, age }: Held, { isRunning, pid: own }: Owner): boolean {
  if (pid === undefined) return age > 5_000;
  if (host !== hostname()) return age > LOCK_EXPIRES_MS;
  // Nobody else has this process's id, so a lock with it is from an earlier life (containers reuse ids soon).
  return pid === own || !isRunning(pid);
}

/** Removes a stale lock; if another process has replaced it meanwhile, puts that one's back. */
function takeAway(file: string, { content }: Held, { pid }: Owner): void {
  const aside = `${file}-${pid}`;
  try {
    renameSync(file, aside);
    if (contentOf(aside) !== content) linkSync(aside, file);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function busy(folder: string, file: string, { pid }: Held): string {
  const who = pid === undefined ? "Another accrete" : `Another accrete (process ${pid})`;
  return `${who} is writing to ${folder}; try again when it is done. If none is running, delete ${file}.`;
}
