import { readFileSync, statSync } from "node:fs";

/**
 * The bytes of a file. Throws the error of the system, and ENODEV for a device: a link to one may stand in any
 * repository, and reading it need not end.
 */
export function readBytes(file: string): Buffer {
  const stats = statSync(file);
  if (stats.isCharacterDevice() || stats.isBlockDevice())
    throw Object.assign(new Error("ENODEV"), { code: "ENODEV", syscall: "read", path: file });
  return readFileSync(file);
}
