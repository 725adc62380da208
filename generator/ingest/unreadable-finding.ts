import type { Finding } from "../finding.js";
import type { Problem } from "../source/json-text.js";
import type { Place } from "./place.js";

/** The UTF-16 code units that a finding shows before and after the error. */
const AROUND = 20;

/** Returns the finding about a part of an input that cannot be read, with an excerpt. */
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

/** Returns a short piece of `text` around `offset`, with … where it is cut. */
export function excerpt(text: string, offset: number, around = AROUND): string {
  const [start, stop] = [Math.max(0, offset - around), Math.min(text.length, offset + around)];
  return `${start > 0 ? "…" : ""}${text.slice(start, stop).trim()}${stop < text.length ? "…" : ""}`;
}
