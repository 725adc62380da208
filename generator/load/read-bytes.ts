import { readFileSync, statSync } from "node:fs";
import { UsageError } from "../failure.js";
import { formatLocatedMessage } from "../finding.js";
import { toForwardSlashes } from "../io.js";
import { parseSource, type Source } from "../source/source.js";

/**
 * Returns the bytes of a file. Throws the error of the system with the path, and ENODEV for a device: a repository may hold a
 * link to a device, and reading it might never end.
 */
export function readBytes(file: string): Buffer {
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
