import type { Finding } from "../finding.js";
import type { JsonFinding } from "../source/json-text.js";
import type { Place } from "./place.js";

/** The number of UTF-16 code units that a finding shows before and after the error. */
const EXCERPT_RADIUS = 20;

/** Creates the finding about a text that cannot be read, with an excerpt. */
export function createUnreadableFinding(textFinding: JsonFinding, place: Place): Finding {
  const { rule, severity = "error", message, pointer, offset, isTextLost, advice } = textFinding;
  const { column, ...rest } = place.locateOffset(offset);
  const excerpt = isTextLost ? "" : cutExcerpt(place.text(), offset);
  const suffix = excerpt === "" ? "" : ` (byte ${rest.offset}: ${excerpt})`;
  return {
    rule,
    severity,
    message: `The ${place.textKind} ${message}${suffix}.`,
    at: { ...rest, ...(column !== undefined && !isTextLost && { column }), pointer },
    ...(advice !== undefined && { hint: advice }),
  };
}

/** Returns the part of `text` around `offset`, with … where it is cut. */
export function cutExcerpt(text: string, offset: number, around = EXCERPT_RADIUS): string {
  const start = Math.max(0, offset - around);
  const stop = Math.min(text.length, offset + around);
  const excerpt = copyText(text.slice(start, stop));
  return `${start > 0 ? "…" : ""}${excerpt.trim()}${stop < text.length ? "…" : ""}`;
}

/** Returns a text with memory of its own. A slice keeps all of the text that it is from in memory. */
function copyText(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
