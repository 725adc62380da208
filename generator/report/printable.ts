import { literal, visible } from "../text.js";

/** `text` on one line with every unseen character spelt out (`\u001b`): safe to print, whatever a schema or event held. */
export function printable(text: string): string {
  return visible(text).replaceAll("\n", "\\n");
}

/** JSON text, indented, without unseen characters but its line feeds; the value is the same. */
export function printableJson(value: unknown): string {
  return literal(value, 2);
}
