import { isObject, type Json, objectFrom } from "../../json.js";
import { unicodeSource } from "../regex/pattern.js";
import type { Replace } from "../schema/rewrite.js";

/** A schema whose own patterns are spelled in u mode, as validators want them; patterns stay apart. */
export const inUnicodeMode: Replace = (schema) => {
  const { pattern, patternProperties } = schema;
  return {
    ...schema,
    ...(typeof pattern === "string" && { pattern: unicodeSource(pattern) }),
    ...(isObject(patternProperties) && { patternProperties: respelled(Object.entries(patternProperties)) }),
  };
};

function respelled(patterns: readonly (readonly [string, Json])[]): Json {
  const result = new Map<string, Json>();
  for (const [source, schema] of patterns) {
    let spelled = unicodeSource(source);
    while (result.has(spelled)) spelled = `(?:${spelled})`; // "\-" and "-" are two keys
    result.set(spelled, schema);
  }
  return objectFrom(result);
}
