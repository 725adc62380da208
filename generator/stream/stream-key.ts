import type { StreamContract } from "./stream-protocol.js";

/**
 * The key of the stream that `event` belongs to: the value of its key field; of several fields the values joined by
 * `/`, with `~` and `/` inside of them escaped as in a JSON pointer. Equal texts mean equal streams.
 */
export function streamKey(contract: StreamContract | undefined, event: object): string {
  if (contract === undefined) return "";
  const { key } = contract;
  if (key.length === 1) return textOf(event, key[0] as string);
  return key.map((field) => escaped(textOf(event, field))).join("/");
}

function textOf(event: object, field: string): string {
  const value = (event as { readonly [name: string]: unknown })[field];
  if (typeof value === "string") return value;
  return Object.hasOwn(event, field) ? JSON.stringify(value) : "";
}

function escaped(text: string): string {
  return text.includes("/") || text.includes("~") ? text.replace(/~/g, "~0").replace(/\//g, "~1") : text;
}
