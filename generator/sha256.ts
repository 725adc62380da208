import { createRequire } from "node:module";

let crypto: typeof import("node:crypto") | undefined;

/** Returns the SHA-256 of a content. Loading `node:crypto` is slow, so it is loaded with the first call. */
export function sha256(content: string | Uint8Array): Buffer {
  crypto ??= createRequire(import.meta.url)("node:crypto") as typeof import("node:crypto");
  return crypto.createHash("sha256").update(content).digest();
}
