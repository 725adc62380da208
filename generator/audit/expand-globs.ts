/** Expands patterns of file names, for archives with more files than a shell passes to a command. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { toForwardSlashes } from "../io.js";

/** Replaces each pattern by the files that it matches, sorted by their paths. A pattern without matches stays as it is. */
export function expandGlobs(operands: readonly string[]): readonly string[] {
  return operands.flatMap((operand) => {
    if (!GLOB_CHARACTER.test(operand) || existsSync(operand)) return [operand];
    const files = findMatches(operand);
    return files.length > 0 ? files : [operand];
  });
}

const GLOB_CHARACTER = /[*?[{]/;

function findMatches(pattern: string): readonly string[] {
  const segments = pattern.split("/");
  const fixedSegments = segments.slice(
    0,
    segments.findIndex((segment) => GLOB_CHARACTER.test(segment)),
  );
  // An absolute pattern begins with an empty segment.
  const folder = fixedSegments.length === 0 ? "." : fixedSegments.join("/") || "/";
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => toForwardSlashes(path.join(entry.parentPath, entry.name)))
    .filter((file) => path.matchesGlob(file, path.posix.normalize(pattern)))
    .sort();
}
