/** Formats the doc comments of schemas and events. */
import type { Json, JsonObject } from "../../json.js";
import type { EventType } from "../../protocol/protocol.js";
import { AUTHOR_KEYWORDS, omitKeywords } from "../../schema/describe.js";
import { formatLiteral, sanitizeText } from "../../text.js";
import { escapeCommentLine, wrap } from "../text.js";

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

/** Formats a number with its noun: `1 character`, `2 characters`. */
function formatCount(count: Json, noun: string): string {
  return `${formatLiteral(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The words for each constraint that a TypeScript type cannot express. */
const CONSTRAINTS: { readonly [keyword: string]: (value: Json) => string } = {
  minimum: (value) => `>= ${formatLiteral(value)}`,
  exclusiveMinimum: (value) => `> ${formatLiteral(value)}`,
  maximum: (value) => `<= ${formatLiteral(value)}`,
  exclusiveMaximum: (value) => `< ${formatLiteral(value)}`,
  multipleOf: (value) => `a multiple of ${formatLiteral(value)}`,
  minLength: (value) => `at least ${formatCount(value, "character")}`,
  maxLength: (value) => `at most ${formatCount(value, "character")}`,
  pattern: (value) => `matches ${sanitizeText(String(value))}`,
  format: (value) => sanitizeText(String(value)),
  contentEncoding: (value) => `encoded as ${sanitizeText(String(value))}`,
  minItems: (value) => `at least ${formatCount(value, "item")}`,
  maxItems: (value) => `at most ${formatCount(value, "item")}`,
  uniqueItems: (value) => (value === true ? "no equal items" : ""),
  minProperties: (value) => `at least ${formatCount(value, "field")}`,
  maxProperties: (value) => `at most ${formatCount(value, "field")}`,
  default: (value) => `default ${formatLiteral(value)}`,
};

/** Lists the constraints of `schema` in words, in the order of the table. */
function listConstraints(schema: JsonObject): string[] {
  const words = Object.entries(CONSTRAINTS)
    .filter(([keyword]) => Object.hasOwn(schema, keyword))
    .map(([keyword, write]) => write(schema[keyword] as Json));
  if (schema.type === "integer") words.unshift("an integer");
  return words.filter((word) => word !== "");
}

/** Formats the constraints of `schema` as a sentence; empty if there are none. */
export function formatConstraints(schema: JsonObject): string {
  const words = listConstraints(schema).join(", ");
  return words === "" ? "" : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** A paragraph of a doc comment: text, or the text of a `@deprecated` tag. */
type Paragraph = string | { readonly deprecated: string };

/** Formats the doc text of a field or definition: description, constraints, stability, requirement, deprecation. */
export function formatSchemaDoc(schema: JsonObject, description = schema.description): string {
  return formatDocText([
    typeof description === "string" ? description : "",
    formatConstraints(schema),
    typeof schema["x-stability"] === "string" ? `Stability: ${schema["x-stability"]}.` : "",
    typeof schema["x-requires"] === "string" ? `Requires ${schema["x-requires"]}.` : "",
    schema["x-sensitive"] === true ? "Sensitive: it is removed from recordings." : "",
    ...(schema.deprecated === true
      ? [createDeprecation(schema["x-deprecated-since"], schema["x-replaced-by"])]
      : []),
  ]);
}

/** Formats the doc text of an event: summary, description, stability, requirement, deprecation. */
export function formatEventDoc(event: EventType): string {
  return formatDocText([
    `${event.summary}.`.replace(/\.\.$/, "."),
    event.description,
    `Stability: ${event.stability}, since ${event.since}.${event.requires ? ` Requires ${event.requires}.` : ""}`,
    ...(event.deprecated ? [createDeprecation(event.deprecated.since, event.deprecated.replacedBy)] : []),
  ]);
}

function createDeprecation(since: Json | undefined, replacedBy: Json | undefined): Paragraph {
  const start = since === undefined ? "" : ` since ${since}`;
  const replacement = replacedBy === null ? "; nothing replaces it" : `; use ${replacedBy}`;
  return { deprecated: `${start}${replacedBy === undefined ? "" : replacement}.` };
}

/** Formats paragraphs as the text of a block comment. Texts of the schemas cannot end the comment or begin a tag. */
export function formatDocText(paragraphs: readonly Paragraph[]): string {
  return paragraphs
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => {
      const text = typeof paragraph === "string" ? paragraph : paragraph.deprecated;
      const lines = sanitizeText(text)
        .split("\n")
        .flatMap((line) => wrap(line.trim(), 100));
      const escapedText = lines.map(escapeCommentLine).join("\n");
      if (typeof paragraph === "string") return escapedText;
      return `@deprecated${escapedText.startsWith(";") ? "" : " "}${escapedText}`;
    })
    .join("\n\n");
}
