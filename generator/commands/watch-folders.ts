import { type FSWatcher, readdirSync, watch } from "node:fs";
import path from "node:path";
import { getErrorCode, lstatIfExists } from "../io.js";
import { findNearestExisting } from "../output/paths.js";

/** Milliseconds without a change after which a burst of changes has ended. */
const QUIET_MS = 100;

/** Folders that are watched. */
interface WatchedFolders {
  /** Resolves when the first burst of changes has ended. */
  readonly changed: Promise<void>;
  close(): void;
}

/**
 * Watches all folders at and below `folders`. Of a folder that does not exist, it watches the nearest folder above it.
 * Each folder has a watcher of its own, because a recursive one loses files that an editor replaces.
 */
export function watchFolders(folders: readonly string[]): WatchedFolders {
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const changed = new Promise<void>((resolve) => {
    const waitForQuiet = (): void => {
      clearTimeout(timer);
      const started = setTimeout(() => {
        // Changes that the process has not read yet belong to the burst; it reads them before the callback runs.
        setImmediate(() => {
          if (timer === started) resolve();
        });
      }, QUIET_MS);
      timer = started;
    };
    const visit = (folder: string): void => {
      // A folder may disappear at any time. Its parent reports that.
      const watcher = ignoreMissing(() => watch(folder, waitForQuiet));
      if (watcher === undefined) return;
      watchers.push(watcher.on("error", waitForQuiet));
      const entries = ignoreMissing(() => readdirSync(folder, { withFileTypes: true })) ?? [];
      for (const entry of entries) if (entry.isDirectory()) visit(path.join(folder, entry.name));
    };
    for (const folder of folders) {
      if (lstatIfExists(folder)) visit(folder);
      else watchers.push(watch(findNearestExisting(path.resolve(folder)), waitForQuiet));
    }
  });
  const close = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  return { changed, close };
}

function ignoreMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
