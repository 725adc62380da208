import { envelopeSpans, type Span } from "../source/json-text.js";
import type { Place } from "./place.js";

/** Gives the text of the envelope at a place, as it was written; those of one list are found together. */
export function envelopeText(): (place: Place) => string {
  let last: string | undefined;
  let spans: ReadonlyMap<string, Span> = new Map();
  return (place) => {
    const text = place.text();
    if (place.pointer === "") return text.trim();
    if (text !== last) spans = envelopeSpans(text);
    last = text;
    const { start = 0, stop = 0 } = spans.get(place.pointer) ?? {};
    return text.slice(start, stop);
  };
}
