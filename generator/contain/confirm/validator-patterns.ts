/**
 * Rewrites the patterns of schemas for the two validators. The validators match them by a `PatternMatcher`, because RegExp may
 * take too long and cannot be interrupted.
 */
import { createObject, isObject, type Json } from "../../json.js";
import { requireUnicodeSource } from "../regex/pattern-syntax.js";
import type { ReplaceSchema } from "../schema/rewrite-schemas.js";

/** Returns whether a value is valid. Throws if the validator throws. */
export type Validate = (value: Json) => boolean;

/** Returns whether a pattern matches somewhere in a text. */
export type PatternMatcher = (source: string, text: string) => boolean;

/** Matches by RegExp in u mode, for texts that are known to be harmless. */
export const matchNatively: PatternMatcher = (source, text) => new RegExp(source, "u").test(text);

/** Replaces the RegExp that a validator would use for a pattern. */
export class PatternTester {
  constructor(
    private readonly source: string,
    private readonly matches: PatternMatcher,
  ) {}

  /** Returns whether the pattern matches somewhere in the text. */
  test(text: string): boolean {
    return this.matches(this.source, text);
  }

  /** Returns a text that only equal patterns share. Ajv caches compiled patterns by it. */
  toString(): string {
    return `/${this.source}/u`;
  }
}

/** Rewrites the patterns of a schema in u mode. Different keys of `patternProperties` stay different. */
export const rewritePatterns: ReplaceSchema = (schema) => {
  const { pattern, patternProperties } = schema;
  return {
    ...schema,
    ...(typeof pattern === "string" && { pattern: requireUnicodeSource(pattern) }),
    ...(isObject(patternProperties) && {
      patternProperties: rewritePatternKeys(Object.entries(patternProperties)),
    }),
  };
};

function rewritePatternKeys(patterns: readonly (readonly [string, Json])[]): Json {
  const result = new Map<string, Json>();
  for (const [source, schema] of patterns) {
    let rewrittenSource = requireUnicodeSource(source);
    // Two keys such as "\-" and "-" become equal. A group keeps them apart.
    while (result.has(rewrittenSource)) rewrittenSource = `(?:${rewrittenSource})`;
    result.set(rewrittenSource, schema);
  }
  return createObject(result);
}
