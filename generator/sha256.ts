import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** Returns the SHA-256 of a content. Loading `node:crypto` is slow, so it is loaded with the first call. */
export function sha256(content: string | Uint8Array): Buffer {
  const { createHash }: typeof import("node:crypto") = load("node:crypto");
  return createHash("sha256").update(content).digest();
}

/** Returns the SHA-256 of a content in hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return sha256(content).toString("hex");
}
