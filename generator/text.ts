/**
 * Text from schemas is untrusted in every output: what every kind of output needs to make it harmless. Total functions:
 * any string in, safe text out.
 */

/** Characters that change how text around them is shown: controls (but line feed), line separators, bidi and invisible ones. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** `text` with unseen characters spelt out (`\u001b`), tabs and line ends as blanks and line feeds. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/\t/g, " ")
    .replace(UNSEEN, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A JavaScript, TypeScript and JSON literal of a string or other JSON value, free of unseen characters. */
export function literal(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSEEN, escapeUnit);
}
