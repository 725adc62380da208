/** SHA-256 without a promise, which browsers do not have. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export function createHash() {
  const hash = sha256.create();
  return {
    update(content) {
      hash.update(typeof content === "string" ? utf8ToBytes(content) : content);
      return this;
    },
    digest: () => {
      const bytes = hash.digest();
      return { toString: () => bytesToHex(bytes) };
    },
  };
}
