import type { Finding } from "../finding.js";
import type { Problem } from "../source/json-text.js";
import type { Place } from "./place.js";

/** How much of a text a finding shows around its fault, in UTF-16 code units. */
const AROUND = 20;

/** A part of an input that could not be read, as a finding with a short piece of it. */
export function unreadableFinding(problem: Problem, place: Place): Finding {
  const { rule, severity = "error", message, pointer, offset, bare, advice } = problem;
  const { column, ...rest } = place.at(offset);
  const piece = bare ? "" : excerpt(place.text(), offset);
  const shown = piece === "" ? "" : ` (byte ${rest.offset}: ${piece})`;
  return {
    ...{ rule, severity, message: `The ${place.what} ${message}${shown}.` },
    at: { ...rest, ...(column !== undefined && !bare && { column }), pointer },
    ...(advice !== undefined && { hint: advice }),
  };
}

/** A short piece of `text` around `offset`, with … where it is cut. */
export function excerpt(text: string, offset: number, around = AROUND): string {
  const [start, stop] = [Math.max(0, offset - around), Math.min(text.length, offset + around)];
  return `${start > 0 ? "…" : ""}${text.slice(start, stop).trim()}${stop < text.length ? "…" : ""}`;
}
