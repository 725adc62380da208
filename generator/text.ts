/**
 * Text from schemas is untrusted in every output: what every kind of output needs to make it harmless. Total functions:
 * any string in, safe text out.
 */

/** Characters that end a line, move a cursor or change how the text around them is shown, without being seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text` with unseen characters spelt out (`\u001b`), tabs and line ends as blanks and line feeds. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/\t/g, " ")
    .replace(UNSEEN, spellOut);
}

function spellOut(character: string): string {
  if (character === "\n") return character;
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** A JavaScript, TypeScript and JSON literal of a string or other JSON value, free of unseen characters but the line feeds of an indented one. */
export function literal(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSEEN, spellOut);
}
