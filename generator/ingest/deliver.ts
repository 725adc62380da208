import type { Json } from "../json.js";
import { isBare, unwrap } from "../stream/unwrap.js";
import { checksum } from "./content-identity.js";
import type { Content, Place, Sink } from "./place.js";

/** Delivers the value of a JSON text to `sink`: the envelope that it is, or each envelope that it wraps or lists. */
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
    // Its own bytes are not searched: machines write the same bytes as JSON.stringify.
    sink.value(inner.value as Json, place, checksum(Buffer.from(JSON.stringify(inner.value))));
    place.item++;
  }
}
