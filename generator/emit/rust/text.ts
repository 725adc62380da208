/** Text from schemas as Rust source. Each function accepts any string. */
import { type DocText, listParagraphs } from "../plan/doc.js";
import { replaceInvisible, wrap } from "../text.js";

/** Returns a string literal. A lone surrogate, which Rust does not have, becomes U+FFFD. */
export function formatString(text: string): string {
  const escaped = text.toWellFormed().replace(/[\\"]/g, "\\$&");
  return `"${replaceInvisible(escaped, (hex) => `\\u{${hex}}`)}"`;
}

/** Formats a doc comment: one paragraph for the text, a second one for a deprecation; nothing for an empty text. */
export function formatDoc(doc: DocText, indent: string): string[] {
  return listParagraphs(doc).flatMap((paragraph, i) => [
    ...(i > 0 ? [`${indent}///`] : []),
    ...wrap(paragraph, 90).map((line) => `${indent}/// ${line}`),
  ]);
}

/** Formats serde attributes of a field or variant, each on a line of its own, as rustfmt does. */
export function formatAttributes(attributes: readonly string[], indent: string): string[] {
  return attributes.map((attribute) => {
    const line = `${indent}#[serde(${attribute})]`;
    return line.length <= 100 ? line : `${indent}#[serde(\n${indent}    ${attribute}\n${indent})]`;
  });
}
