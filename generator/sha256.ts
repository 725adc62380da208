import { createHash } from "node:crypto";

/** Returns the SHA-256 of a content. It has a module of its own, because loading `node:crypto` is slow. */
export function sha256(content: string | Uint8Array): Buffer {
  return createHash("sha256").update(content).digest();
}
