/** Formats the doc comments of schemas and events. */
import type { Json, JsonObject } from "../../json.js";
import type { EventType } from "../../protocol/protocol.js";
import { sanitizeText } from "../../text.js";
import { formatConstraints } from "../plan/constraints.js";
import { escapeCommentLine, wrap } from "../text.js";

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
    schema["x-replaces"] === true ? "Replaces the list before it." : "",
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
