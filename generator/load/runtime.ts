import { readFileSync } from "node:fs";
import type { OutputFile } from "../protocol/protocol.js";

/** Reads the files of the runtime, which are copied into every generated version. */
export function readRuntime(): OutputFile[] {
  return ["runtime.js", "runtime.d.ts"].map((path) => ({
    path,
    content: readFileSync(new URL(`../runtime/${path}`, import.meta.url), "utf8"),
  }));
}
