import { readFileSync, statSync } from "node:fs";

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
