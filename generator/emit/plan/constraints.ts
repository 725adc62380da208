/** Formats the constraints that doc comments state, and lists the keywords that neither types nor doc comments state. */
import type { Json, JsonObject } from "../../json.js";
import { AUTHOR_KEYWORDS, omitKeywords } from "../../schema/describe.js";
import { formatCount, formatLiteral, sanitizeText } from "../../text.js";

/** The omission of annotations from types and doc comments. */
export const IN_CATALOG = { reason: "the catalogue shows it", result: "unchanged" } as const;

/** The omission of keywords that only the writer reading uses. */
export const WRITER_ONLY = { reason: "readers do not rely on it", result: "unchanged" } as const;

/** The omission of keywords that neither types nor doc comments state. */
export const CATALOG_KEYWORDS = {
  ...AUTHOR_KEYWORDS,
  ...omitKeywords(IN_CATALOG, "title", "examples", "readOnly", "writeOnly", "contentMediaType"),
  ...omitKeywords(IN_CATALOG, "contentSchema", "x-since", "x-renamed-from"),
};

/** The words for each constraint that a type cannot express. */
const CONSTRAINTS: { readonly [keyword: string]: (value: Json) => string } = {
  minimum: (value) => `>= ${formatLiteral(value)}`,
  exclusiveMinimum: (value) => `> ${formatLiteral(value)}`,
  maximum: (value) => `<= ${formatLiteral(value)}`,
  exclusiveMaximum: (value) => `< ${formatLiteral(value)}`,
  multipleOf: (value) => `a multiple of ${formatLiteral(value)}`,
  minLength: (value) => `at least ${formatCount(Number(value), "character")}`,
  maxLength: (value) => `at most ${formatCount(Number(value), "character")}`,
  pattern: (value) => `matches ${sanitizeText(String(value))}`,
  format: (value) => sanitizeText(String(value)),
  contentEncoding: (value) => `encoded as ${sanitizeText(String(value))}`,
  minItems: (value) => `at least ${formatCount(Number(value), "item")}`,
  maxItems: (value) => `at most ${formatCount(Number(value), "item")}`,
  uniqueItems: (value) => (value === true ? "no equal items" : ""),
  minProperties: (value) => `at least ${formatCount(Number(value), "field")}`,
  maxProperties: (value) => `at most ${formatCount(Number(value), "field")}`,
  default: (value) => `default ${formatLiteral(value)}`,
};

/** Lists the constraints of `schema` in words, in the order of the table. */
function listConstraints(schema: JsonObject): string[] {
  const words = Object.entries(CONSTRAINTS)
    .filter(([keyword]) => Object.hasOwn(schema, keyword))
    .map(([keyword, write]) => write(schema[keyword] ?? null));
  if (schema.type === "integer") words.unshift("an integer");
  return words.filter((word) => word !== "");
}

/** Formats the constraints of `schema` as a sentence; empty if there are none. */
export function formatConstraints(schema: JsonObject): string {
  const words = listConstraints(schema).join(", ");
  return words === "" ? "" : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
