/** Returns the SHA-256 of a content. Loading `node:crypto` is slow, so it is loaded with the first call. */
export function sha256(content: string | Uint8Array): Buffer {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest();
}
