/** Text from schemas as Rust source. Each function accepts any string. */
import { sanitizeText } from "../../text.js";
import type { DocText } from "../plan/doc.js";
import { wrap } from "../text.js";

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns a string literal. A lone surrogate, which Rust does not have, becomes U+FFFD. */
export function formatString(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(/[\\"]/g, "\\$&")
    .replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return `"${escaped}"`;
}

/** Formats a doc comment: one paragraph for the text, a second one for a deprecation; nothing for an empty text. */
export function formatDoc({ text, deprecated }: DocText, indent: string): string[] {
  const paragraphs = [text, deprecated === undefined ? "" : `Deprecated: ${deprecated}`]
    .map((paragraph) => sanitizeText(paragraph).replace(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
  return paragraphs.flatMap((paragraph, i) => [
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
