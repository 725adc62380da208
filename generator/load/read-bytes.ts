import { readFileSync, statSync } from "node:fs";

/**
 * Returns the bytes of a file. Throws the error of the system, and ENODEV for a device: a repository may hold a link to a
 * device, and reading it might never end.
 */
export function readBytes(file: string): Buffer {
  const stats = statSync(file);
  if (stats.isCharacterDevice() || stats.isBlockDevice())
    throw Object.assign(new Error("ENODEV"), { code: "ENODEV", syscall: "read", path: file });
  return readFileSync(file);
}
