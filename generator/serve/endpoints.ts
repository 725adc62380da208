/** The paths of runs that are served. */
import { own } from "../json.js";
import type { Endpoints } from "../protocol/endpoints.js";
import type { Run } from "./run.js";

/** Takes the place of a field that a run does not have. */
const ABSENT = "-";

/** Returns the segments of a run's path, not encoded. */
export function runSegments(
  { stream }: Endpoints,
  { protocol, fields }: Pick<Run, "protocol" | "fields">,
): string[] {
  const below = stream
    .split("/")
    .map((part) => (part.startsWith("{") ? (own(fields, part.slice(1, -1)) ?? ABSENT) : part));
  return [...protocol.split("/"), ...below];
}

/** Returns a path of these segments. */
export function pathOf(segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join("/")}`;
}
