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
  for (const envelope of unwrap(value, sink.discriminators)) {
    place.pointer = envelope.pointer;
    // The checksum is that of JSON.stringify, since finding the bytes of the envelope in the text would be slow. Most
    // writers write the same bytes.
    const bytes = Buffer.from(JSON.stringify(envelope.value));
    sink.acceptValue(envelope.value as Json, place, computeChecksum(bytes));
    place.itemIndex++;
  }
}
