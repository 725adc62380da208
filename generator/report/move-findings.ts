import path from "node:path";
import type { Finding, Location } from "../finding.js";

/** Returns findings whose places were relative to `folder`, with places relative to the folder above it. */
export function moveFindingsBelow(folder: string, findings: readonly Finding[]): readonly Finding[] {
  if (folder === "") return findings;
  return findings.map((finding) => ({
    ...finding,
    at: moveBelow(folder, finding.at),
    ...(finding.baseline && { baseline: moveBelow(folder, finding.baseline) }),
  }));
}

/** Returns a place below a folder. Places in other revisions and in packages stay as they are. */
function moveBelow(folder: string, place: Location): Location {
  if (path.posix.isAbsolute(place.file) || place.file.includes(":")) return place;
  return { ...place, file: path.posix.join(folder, place.file) };
}
