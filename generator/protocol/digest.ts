import { formatCanonicalJson, type Json } from "../json.js";
import { sha256 } from "../sha256.js";

/** Returns the SHA-256 of a JSON value in hexadecimal. Equal values have equal digests, whatever the order of their members. */
export function digest(value: Json): string {
  return sha256(formatCanonicalJson(value)).toString("hex");
}
