import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { getSystemErrorReason, UsageError } from "../failure.js";
import { getErrorCode } from "../io.js";
import { isObject, type Json, type JsonObject } from "../json.js";

/** The least number of milliseconds between two writes of the state. */
const SAVE_INTERVAL_MS = 1000;
/** The time between two writes, as a multiple of the time of a write, so that a large state takes a tenth of the time at most. */
const SAVE_SHARE = 10;

/** Writes states, not too often. */
interface Saver {
  /** Resolves when everything that was checked before the call is written. Calls that come close together share a write. */
  save(): Promise<void>;
  /** Writes at once. */
  saveNow(): void;
}

/** Returns the content of a file of states; undefined if there is no such file. */
export function readStateFile(file: string): JsonObject | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const value: Json = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The message is that of any other content.
  }
  throw new UsageError(`${file} is not a state of \`accrete monitor\`. Remove it to begin without a state.`);
}

/** Creates a saver that calls `write`. */
export function createSaver(write: () => void): Saver {
  let waiting: Promise<void> | undefined;
  let nextSave = 0;
  const saveNow = (): void => {
    // The clock of the machine may go back.
    const start = performance.now();
    write();
    const end = performance.now();
    nextSave = end + Math.max(SAVE_INTERVAL_MS, SAVE_SHARE * (end - start));
  };
  return {
    saveNow,
    save() {
      waiting ??= (async () => {
        await pause(Math.max(0, nextSave - performance.now()));
        waiting = undefined;
        saveNow();
      })();
      return waiting;
    },
  };
}

/**
 * Replaces a file of states as a whole: a process that is killed leaves the old state or the new one.
 * @throws UsageError if the file cannot be written. Then it is as it was.
 */
export function writeStateFile(file: string, state: JsonObject): void {
  const temporary = `${file}.new`;
  try {
    writeFlushed(temporary, state);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    const reason = getSystemErrorReason(error);
    if (reason === undefined) throw error;
    throw new UsageError(
      `The state could not be saved in ${file}, which is as it was. The reason: ${reason}.`,
    );
  }
}

function writeFlushed(file: string, state: JsonObject): void {
  const descriptor = openSync(file, "w", 0o600);
  try {
    const bytes = Buffer.from(JSON.stringify(state));
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
