import { createHash } from "node:crypto";

/** Returns the SHA-256 of a content. Apart from other hashes, because `node:crypto` takes long to load. */
export function sha256(content: string | Uint8Array): Buffer {
  return createHash("sha256").update(content).digest();
}
