/** The doc texts of schemas and events, for languages whose doc comments are plain text. */
import { isObject, type Json } from "../../json.js";
import type { EventType } from "../../protocol/protocol.js";
import { sanitizeText } from "../../text.js";
import { formatConstraints } from "./constraints.js";

/** The parts of a doc comment. */
export interface DocText {
  readonly text: string;
  readonly deprecated?: string | undefined;
}

/** Returns the paragraphs of a doc comment, each on one line: one for the text, one for a deprecation. None is empty. */
export function listParagraphs({ text, deprecated }: DocText): readonly string[] {
  return [text, deprecated === undefined ? "" : `Deprecated: ${deprecated}`]
    .map((paragraph) => sanitizeText(paragraph).replace(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
}

/** Returns a sentence about the replacement of something deprecated. The value null states that nothing replaces it. */
function describeReplacement(replacedBy: Json | undefined): string {
  if (replacedBy === undefined) return "It will be removed.";
  return replacedBy === null ? "It will be removed, and nothing replaces it." : `Use ${replacedBy}.`;
}

/** Returns the doc comment of a schema. */
export function createDoc(schema: Json): DocText {
  if (!isObject(schema)) return { text: "" };
  const parts = [typeof schema.description === "string" ? schema.description : "", formatConstraints(schema)];
  const deprecated = schema.deprecated === true ? describeReplacement(schema["x-replaced-by"]) : undefined;
  return { text: parts.filter((part) => part !== "").join(" "), deprecated };
}

/** Returns the doc comment of an event type. */
export function createEventDoc({ summary, description, stability, since, deprecated }: EventType): DocText {
  const text = `${summary}. ${description} Stability: ${stability}, since ${since}.`;
  return { text, deprecated: deprecated && describeReplacement(deprecated.replacedBy) };
}
