import type { Json } from "../json.js";
import { isEnvelope, unwrap } from "../stream/unwrap.js";
import { computeChecksum } from "./content-identity.js";
import type { ContentId, Place, Sink } from "./place.js";

/** Delivers the value of a JSON text to `sink`. A value that wraps or lists envelopes is delivered as its envelopes. */
export function deliverValues(
  value: Json,
  place: Place & { pointer: string; itemIndex: number },
  sink: Sink,
  content: ContentId,
): void {
  place.pointer = "";
  place.itemIndex = 0;
  if (isEnvelope(value, sink.discriminators)) {
    sink.acceptValue(value, place, content);
    return;
  }
  for (const inner of unwrap(value, sink.discriminators)) {
    place.pointer = inner.pointer;
    // The checksum is that of JSON.stringify, since finding the bytes of the envelope in the text would be slow. Most
    // writers write the same bytes.
    sink.acceptValue(inner.value as Json, place, computeChecksum(Buffer.from(JSON.stringify(inner.value))));
    place.itemIndex++;
  }
}
