/** Finds patterns on which the matchers of readers may run for a very long time. */
import type { SlowTexts } from "../../contain/regex/find-slow-text.js";
import { mayBacktrack } from "../../contain/regex/may-backtrack.js";
import { createErrorFinding, type Finding, type Location } from "../../finding.js";
import { isObject, type Json, joinPointer } from "../../json.js";
import { listSchemas } from "../../schema/read-files.js";
import type { Source } from "../../source/source.js";

const GROWTH: { readonly [growth in SlowTexts["growth"]]: string } = {
  exponential: "is multiplied with each",
  "cubic or more": "grows with the third power of the number of",
  quadratic: "grows with the square of the number of",
};

const NO_TABLES =
  " Generated validators cannot read it by tables, because it has a backreference or needs more than 1,000 states.";

/** A pattern and where it stands. */
interface LocatedPattern {
  readonly pattern: string;
  readonly at: Location;
}

/**
 * Reports patterns that a backtracking matcher reads in many ways, each once, with a text on which it is slow. Those whose work
 * grows with the square of the text, and those that are released, are warnings if generated validators have tables for them.
 */
export async function lintPatternSpeed(
  sources: readonly Source[],
  isReleased: (pattern: string) => boolean,
): Promise<Finding[]> {
  const patterns = new Map<string, Location>();
  for (const { pattern, at } of sources.flatMap(listPatterns))
    if (mayBacktrack(pattern) && !patterns.has(pattern)) patterns.set(pattern, at);
  if (patterns.size === 0) return [];
  // The library for regular expressions is loaded only if there is something to decide.
  const { findSlowTexts } = await import("../../contain/regex/find-slow-text.js");
  const { createLinearMatcher } = await import("../../contain/regex/linear-matcher.js");
  return [...patterns].flatMap(([pattern, at]) => {
    const slowness = findSlowTexts(pattern);
    // A choice between very many words, without a repetition, is large but fast.
    if (slowness === "none" || (slowness === "unknown" && !/[*+{]/.test(pattern))) return [];
    const hasTables = createLinearMatcher(pattern) !== undefined;
    const message = `${describeSlowness(pattern, slowness)}${hasTables ? "" : NO_TABLES}`;
    const finding = createErrorFinding("pattern-slow", message, at);
    const isWarning =
      slowness === "unknown"
        ? hasTables || isReleased(pattern)
        : hasTables && (slowness.growth === "quadratic" || isReleased(pattern));
    return [isWarning ? { ...finding, severity: "warning" as const } : finding];
  });
}

function describeSlowness(pattern: string, slowness: SlowTexts | "unknown"): string {
  if (slowness === "unknown")
    return `It could not be decided whether a matcher is fast on every text for the pattern ${JSON.stringify(pattern)}.`;
  const { beginning, part, end, growth } = slowness;
  const texts = [
    ...(beginning === "" ? [] : [JSON.stringify(beginning)]),
    `${JSON.stringify(part)} many times`,
    ...(end === "" ? [] : [JSON.stringify(end)]),
  ].join(", then ");
  return `A reader may hang on the pattern ${JSON.stringify(pattern)}: on the text ${texts}, the work of a matcher ${GROWTH[growth]} ${JSON.stringify(part)}.`;
}

/** Returns the patterns of values and of names in a file. */
function listPatterns(source: Source): LocatedPattern[] {
  return listSchemas(source).flatMap(({ schema: { pattern, patternProperties }, pointer }) => [
    ...(typeof pattern === "string" ? [{ pattern, at: source.locate(joinPointer(pointer, "pattern")) }] : []),
    ...listNames(patternProperties).map((name) => ({
      pattern: name,
      at: source.locateKey(joinPointer(pointer, "patternProperties", name)),
    })),
  ]);
}

function listNames(schemas: Json | undefined): string[] {
  return isObject(schemas) ? Object.keys(schemas) : [];
}
