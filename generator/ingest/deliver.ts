import type { Json } from "../json.js";
import { isBare, unwrap } from "../stream/unwrap.js";
import { type Content, checksum } from "./content-identity.js";
import type { Place, Sink } from "./place.js";

/** Hands a JSON text's value to `sink`: the envelope that it is, or each of those that it wraps or lists. */
export function deliver(
  value: Json,
  place: Place & { pointer: string; item: number },
  sink: Sink,
  content: Content,
): void {
  place.pointer = "";
  place.item = 0;
  if (isBare(value, sink.discriminators)) {
    sink.value(value, place, content);
    return;
  }
  for (const inner of unwrap(value, sink.discriminators)) {
    place.pointer = inner.pointer;
    // Its own bytes are not worth finding: written by a machine, they are the same as these.
    sink.value(inner.value as Json, place, checksum(Buffer.from(JSON.stringify(inner.value))));
    place.item++;
  }
}
