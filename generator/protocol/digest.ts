import { createHash } from "node:crypto";
import { canonical, type Json } from "../json.js";

/** SHA-256 of a JSON value in hexadecimal; equal values have equal digests, whatever the order of their members. */
export function digest(value: Json): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}
