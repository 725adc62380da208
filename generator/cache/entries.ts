/**
 * Keeps results in files. An entry is data, with a hash of itself and with the hash of everything that the result depends on.
 * It is written beside its place and then moved there. So two processes may use a folder at once, a process may be killed at
 * any time, and a damaged entry is the same as none, with a note.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { getErrorCode } from "../io.js";
import type { Json } from "../json.js";
import { sha256Hex } from "../sha256.js";

/** What a cache needs to know. Threads receive it in messages. */
export interface CacheSettings {
  /** The folder of the entries; absent if results are remembered in this process only. */
  readonly folder?: string | undefined;
  /** The beginning of the names of entries, in a folder that several projects share. */
  readonly prefix?: string | undefined;
  /** The build of accrete, which is a part of every key. */
  readonly buildId: string;
}

/** The entries of a cache. No method throws because of the folder: without it, nothing is remembered. */
export interface Entries {
  /** Returns the hash of everything that a result depends on, and of the build of accrete. */
  createKey(inputs: readonly Json[]): string;
  /** Returns what was written under this name and key; undefined if the entry is absent, damaged or has another key. */
  read<T>(name: string, key: string): Stored<T> | undefined;
  /** Replaces the entry of this name. `value` is JSON, and `text` is long. */
  write(name: string, key: string, value: unknown, text?: string): void;
}

/** What an entry holds: a value, and a text that is not a part of it because JSON would take long to escape it. */
export interface Stored<T> {
  readonly value: T;
  readonly text: string;
}

/** The text before the hash of an entry. */
const HEADER = "accrete cache ";
const ENTRY_ENDING = ".entry";
/** The number of bytes in the first line of an entry: the header, a SHA-256 and a line feed. */
const HEADER_LENGTH = HEADER.length + 64 + 1;

/** Opens the entries of a cache. Calls `note` with a sentence about each damaged entry. */
export function openEntries(
  { folder, prefix = "", buildId }: CacheSettings,
  note: (sentence: string) => void,
): Entries {
  const getFile = (name: string): string => path.join(folder ?? "", `${prefix}${name}${ENTRY_ENDING}`);
  const readBody = (name: string): string | undefined => {
    const bytes = folder === undefined ? undefined : readIfPossible(getFile(name));
    if (bytes === undefined) return undefined;
    const body = bytes.subarray(HEADER_LENGTH);
    if (bytes.subarray(0, HEADER_LENGTH).equals(Buffer.from(createHeader(body)))) return body.toString();
    note(`The cache entry ${getFile(name)} is damaged and was ignored.`);
    return undefined;
  };
  return {
    createKey: (inputs) => sha256Hex(JSON.stringify([buildId, ...inputs])),
    read: (name, key) => {
      const body = readBody(name);
      const start = `${key}\n`;
      // The key stands first, so that an outdated entry need not be parsed.
      if (!body?.startsWith(start)) return undefined;
      const end = body.indexOf("\n", start.length);
      return { value: JSON.parse(body.slice(start.length, end)), text: body.slice(end + 1) };
    },
    write: (name, key, value, text = "") => {
      if (folder === undefined) return;
      const body = Buffer.from(`${key}\n${JSON.stringify(value)}\n${text}`);
      writeEntry(folder, getFile(name), [Buffer.from(createHeader(body)), body]);
    },
  };
}

function createHeader(body: Uint8Array): string {
  return `${HEADER}${sha256Hex(body)}\n`;
}

function readIfPossible(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Writes an entry, or nothing if the folder cannot be written to. */
function writeEntry(folder: string, file: string, parts: readonly Uint8Array[]): void {
  const temporary = `${file}.${randomUUID()}${TEMPORARY_ENDING}`;
  try {
    createFolder(folder);
    writeFileSync(temporary, Buffer.concat(parts));
    renameSync(temporary, file);
    removeOldEntries(folder);
  } catch {
    // The next run computes the result again.
    removeIfPossible(temporary);
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A later run removes it.
  }
}

const TEMPORARY_ENDING = ".tmp";

/** Creates the folder, with a file that keeps it out of git: not every project ignores node_modules. */
function createFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true }) === undefined) return;
  try {
    writeFileSync(path.join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (getErrorCode(error) !== "EEXIST") throw error;
  }
}

/** The age in milliseconds from which what a killed process left is removed. */
const TEMPORARY_EXPIRES_MS = 60 * 60_000;
/** The age in milliseconds from which an entry is removed. */
const ENTRY_EXPIRES_MS = 30 * 24 * 60 * 60_000;
/** The numbers of entries and of their bytes above which the oldest ones are removed. */
const MAX_ENTRIES = 1000;
const MAX_BYTES = 512 * 1024 * 1024;

/** Removes old entries, and the oldest ones of too many. */
function removeOldEntries(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(ENTRY_ENDING) || name.endsWith(TEMPORARY_ENDING))
    .map((name) => {
      const file = path.join(folder, name);
      const stats = statSync(file, { throwIfNoEntry: false });
      return { file, size: stats?.size ?? 0, age: Date.now() - (stats?.mtimeMs ?? 0) };
    })
    .sort((a, b) => a.age - b.age);
  let bytes = 0;
  for (const [index, { file, size, age }] of files.entries()) {
    bytes += size;
    const expires = file.endsWith(TEMPORARY_ENDING) ? TEMPORARY_EXPIRES_MS : ENTRY_EXPIRES_MS;
    if (age > expires || index >= MAX_ENTRIES || bytes > MAX_BYTES) rmSync(file, { force: true });
  }
}
