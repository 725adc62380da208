/** Characters that move the cursor, end a line, or change how the text around them is shown, without being seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text` on one line with every unseen character spelt out (`\u001b`): safe to print, whatever a schema or event held. */
export function printable(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (character) => SHORT[character] ?? escaped(character));
}

/** JSON text without unseen characters but its line feeds; the value is the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSEEN, (character) =>
    character === "\n" ? character : escaped(character),
  );
}

const SHORT: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
