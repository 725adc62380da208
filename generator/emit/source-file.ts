import { readFileSync } from "node:fs";

/**
 * Reads a source file in another language that is copied into generated packages. `path` begins with the folder of the
 * emitter, such as `go/package/machine.go`. The same relative path leads to the file from the compiled modules.
 */
export function readSourceFile(path: string): string {
  return readFileSync(new URL(`../emit/${path}`, import.meta.url), "utf8");
}
