/** Characters that move the cursor, end a line or change how the text around them is shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** `text` on one line with every unseen character spelt out (`\u001b`): safe to print, whatever a schema or event held. */
export function printable(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (unit) => ESCAPES[unit] ?? escapeUnit(unit));
}

/** JSON text whose strings hold no unseen characters; the value is the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSEEN, (unit) => (unit === "\n" ? unit : escapeUnit(unit)));
}

const ESCAPES: { readonly [unit: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
