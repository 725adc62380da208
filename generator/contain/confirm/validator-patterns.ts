/** Patterns for the two validators: in u mode, and matched by the engine, because RegExp may take for ever and cannot be interrupted. */
import { isObject, type Json, objectFrom } from "../../json.js";
import { unicodeSource } from "../regex/pattern-syntax.js";
import type { ReplaceSchema } from "../schema/rewrite-schemas.js";

/** Whether a value is valid; throws where the validator does. */
export type Validate = (value: Json) => boolean;

/** Whether a pattern matches somewhere in a text. */
export type PatternMatcher = (source: string, text: string) => boolean;

/** Matches by RegExp in u mode, for texts that are known to be harmless. */
export const matchNatively: PatternMatcher = (source, text) => new RegExp(source, "u").test(text);

/** A pattern in place of the RegExp that a validator would use. */
export class PatternTester {
  constructor(
    private readonly source: string,
    private readonly matches: PatternMatcher,
  ) {}

  /** Returns whether the pattern matches somewhere in the text. */
  test(text: string): boolean {
    return this.matches(this.source, text);
  }

  /** Returns a text that only equal patterns share: Ajv keeps compiled patterns under it. */
  toString(): string {
    return `/${this.source}/u`;
  }
}

/** Spells the patterns of a schema in u mode. Different keys of `patternProperties` stay different. */
export const spellPatterns: ReplaceSchema = (schema) => {
  const { pattern, patternProperties } = schema;
  return {
    ...schema,
    ...(typeof pattern === "string" && { pattern: unicodeSource(pattern) }),
    ...(isObject(patternProperties) && { patternProperties: spellKeys(Object.entries(patternProperties)) }),
  };
};

function spellKeys(patterns: readonly (readonly [string, Json])[]): Json {
  const result = new Map<string, Json>();
  for (const [source, schema] of patterns) {
    let spelled = unicodeSource(source);
    while (result.has(spelled)) spelled = `(?:${spelled})`; // "\-" and "-" are two keys
    result.set(spelled, schema);
  }
  return objectFrom(result);
}
