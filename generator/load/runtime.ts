import { readFileSync } from "node:fs";
import type { OutputFile } from "../protocol/protocol.js";

/** Returns the files of the runtime, which every generated version gets a copy of. */
export function readRuntime(): OutputFile[] {
  return ["runtime.js", "runtime.d.ts"].map((path) => ({
    path,
    content: readFileSync(new URL(`../runtime/${path}`, import.meta.url), "utf8"),
  }));
}
