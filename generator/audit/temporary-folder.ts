/** Creates the folder for what does not fit into memory. It is removed at the end, also if a signal ends the process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Io } from "../io.js";

/** A folder that is created when its path is first needed. */
export interface TemporaryFolder {
  getPath(): string;
  remove(): void;
}

/** Prepares a folder in the system's folder for temporary files. */
export function prepareTemporaryFolder(io: Pick<Io, "onInterrupt">): TemporaryFolder {
  let folder: string | undefined;
  let unregister: (() => void) | undefined;
  const remove = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
    unregister?.();
  };
  return {
    getPath() {
      if (folder === undefined) {
        folder = mkdtempSync(path.join(tmpdir(), "accrete-audit-"));
        unregister = io.onInterrupt?.(remove);
      }
      return folder;
    },
    remove,
  };
}
