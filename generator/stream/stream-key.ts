import type { StreamFields } from "./contract.js";

/**
 * Returns the key of the stream of an event: the value of the key field, or the values of several fields joined by `/`, in
 * which `~` and `/` are escaped as in a JSON pointer. Events with equal keys belong to the same stream.
 */
export function streamKey(fields: StreamFields | undefined, event: object): string {
  if (fields === undefined) return "";
  const { key } = fields;
  if (key.length === 1) return formatField(event, key[0] as string);
  return key.map((field) => escapeSlashes(formatField(event, field))).join("/");
}

/**
 * Returns the key of the stream and the number of a value that is not a valid event, as far as they can be read: the fields
 * of the key must be texts, and the number a whole one that JavaScript can represent exactly.
 */
export function readPosition(
  fields: StreamFields | undefined,
  value: unknown,
): { readonly stream: string | undefined; readonly sequence: number | undefined } {
  const read = (name: string): unknown =>
    typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as { readonly [name: string]: unknown })[name]
      : undefined;
  const number = fields?.sequence === undefined ? undefined : read(fields.sequence);
  const hasKey = typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    stream:
      hasKey && (fields?.key ?? []).every((name) => typeof read(name) === "string")
        ? streamKey(fields, value)
        : undefined,
    sequence: Number.isSafeInteger(number) ? (number as number) : undefined,
  };
}

function formatField(event: object, field: string): string {
  const value = (event as { readonly [name: string]: unknown })[field];
  if (typeof value === "string") return value;
  return Object.hasOwn(event, field) ? JSON.stringify(value) : "";
}

function escapeSlashes(text: string): string {
  return text.includes("/") || text.includes("~") ? text.replace(/~/g, "~0").replace(/\//g, "~1") : text;
}
