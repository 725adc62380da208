import { readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { formatLocatedMessage } from "../finding.js";
import { toForwardSlashes } from "../io.js";
import { parseSource, type Source } from "../source/source.js";

/** Texts in place of those on the disk, by the real paths of the files. */
type UnsavedTexts = ReadonlyMap<string, string>;

let unsavedTexts: UnsavedTexts = new Map();

/**
 * Calls `run`, which reads these texts in place of those on the disk: the unsaved texts of an editor. The files that it lists
 * are those on the disk. Calls may be nested, but not run side by side.
 */
export async function withUnsavedTexts<T>(texts: UnsavedTexts, run: () => Promise<T>): Promise<T> {
  const before = unsavedTexts;
  unsavedTexts = texts;
  try {
    return await run();
  } finally {
    unsavedTexts = before;
  }
}

/** Returns the unsaved text of a file as bytes; undefined if there is none. */
export function readUnsaved(file: string): Buffer | undefined {
  if (unsavedTexts.size === 0) return undefined;
  const text = unsavedTexts.get(findRealPath(file));
  return text === undefined ? undefined : Buffer.from(text);
}

/** Returns the absolute path of a file after links were followed, or without following them if the file does not exist. */
export function findRealPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

/**
 * Returns the bytes of a file. Throws the error of the system with the path, and ENODEV for a device: a repository may hold a
 * link to a device, and reading it might never end.
 */
export function readBytes(file: string): Buffer {
  const unsaved = readUnsaved(file);
  if (unsaved !== undefined) return unsaved;
  const stats = statSync(file);
  // The error of readFileSync for a folder does not have the path.
  const code = stats.isDirectory()
    ? "EISDIR"
    : stats.isCharacterDevice() || stats.isBlockDevice()
      ? "ENODEV"
      : undefined;
  if (code !== undefined) throw Object.assign(new Error(code), { code, syscall: "read", path: file });
  return readFileSync(file);
}

/** Reads a JSON file. Throws the error of the system, and a UsageError with the place if the file is not JSON. */
export function readJsonFile(file: string): Source {
  const parsed = parseSource(toForwardSlashes(file), readBytes(file));
  if ("source" in parsed) return parsed.source;
  const [finding] = parsed.findings;
  throw new UsageError(finding === undefined ? `${file} is not JSON.` : formatLocatedMessage(finding));
}
