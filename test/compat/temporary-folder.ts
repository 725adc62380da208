import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Creates a folder that is removed after the test. */
export function createTemporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "accrete-compat-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
