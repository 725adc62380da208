import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { UsageError } from "./failure.js";
import type { Io } from "./io.js";

/** The name of the lock file in the output folder. */
export const LOCK = ".accrete-lock";

/** A lock is held for as long as files are written, which is seconds; an older one was left behind by a crash. */
export const LOCK_EXPIRES_MS = 10 * 60_000;

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
    if (create(file, mine)) return () => rmSync(file, { force: true });
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
    throw error;
  }
}

function holder(file: string): Held | undefined {
  let content: string;
  let age: number;
  try {
    content = readFileSync(file, "utf8");
    age = Date.now() - statSync(file).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
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

/** A file without a pid is one that its owner is about to fill, or that a full disk left empty. */
function isStale({ pid, host, age }: Held, { isRunning, pid: own }: Owner): boolean {
  if (age > LOCK_EXPIRES_MS) return true;
  if (pid === undefined) return age > 5_000;
  // Nobody else has this process's id, so a lock with it is from an earlier life (containers reuse ids soon).
  return host === hostname() && (pid === own || !isRunning(pid));
}

/** Removes a stale lock; if another process has replaced it meanwhile, puts that one's back. */
function takeAway(file: string, { content }: Held, { pid }: Owner): void {
  const aside = `${file}-${pid}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, "utf8") !== content) linkSync(aside, file);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function busy(folder: string, file: string, { pid }: Held): string {
  const who = pid === undefined ? "Another accrete" : `Another accrete (process ${pid})`;
  return `${who} is writing to ${folder}; try again when it is done. If none is running, delete ${file}.`;
}
