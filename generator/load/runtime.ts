import { readFileSync } from "node:fs";
import type { OutputFile } from "../protocol/protocol.js";

/** The files of the runtime that every generated version carries along, as they stand in this package. */
export function readRuntime(): OutputFile[] {
  return ["runtime.js", "runtime.d.ts"].map((path) => ({
    path,
    content: readFileSync(new URL(`../runtime/${path}`, import.meta.url), "utf8"),
  }));
}
