/** Text from schemas as Python source. Each function accepts any string. */
import type { Json } from "../../json.js";
import { type DocText, listParagraphs } from "../plan/doc.js";
import { replaceInvisible, wrap } from "../text.js";

/** Returns a string literal. A lone surrogate stays one, as it does where Python reads JSON. */
export function formatString(text: string): string {
  return replaceInvisible(JSON.stringify(text), (hex) => `\\U${hex.padStart(8, "0")}`);
}

/** Returns a literal of a text, a truth value or a whole number; undefined for other values, which `Literal` cannot hold. */
export function formatLiteral(value: Json): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? formatString(value) : undefined;
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" && Number.isInteger(value) ? String(BigInt(value)) : undefined;
}

/** Formats a docstring: one paragraph for the text, a second one for a deprecation. */
export function formatDocstring(doc: DocText, indent: string): string {
  const paragraphs = listParagraphs(doc);
  if (paragraphs.length === 0) return `${indent}"""No description."""`;
  const lines = paragraphs.flatMap((paragraph, i) => [...(i > 0 ? [""] : []), ...wrap(paragraph, 100)]);
  // A quote is escaped where it could be one of three that end the docstring.
  const escaped = lines.map((line) => line.replace(/\\/g, "\\\\").replace(/"(?="|$)/g, '\\"'));
  const body = escaped.map((line, i) => (i === 0 || line === "" ? line : indent + line)).join("\n");
  return escaped.length === 1 ? `${indent}"""${body}"""` : `${indent}"""${body}\n${indent}"""`;
}
