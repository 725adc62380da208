/** How alike two names and two shapes are, in parts of 1. The same question always has the same answer. */
import { distance } from "fastest-levenshtein";
import { canonical, isObject, type Json } from "../json.js";

/** How alike two names are: shared words count as much as shared letters. */
export function nameLikeness(a: string, b: string): number {
  const [x, y] = [words(a), words(b)];
  const shared = x.filter((word) => y.includes(word)).length;
  const byWords = (2 * shared) / (x.length + y.length);
  const byLetters = 1 - distance(a.toLowerCase(), b.toLowerCase()) / Math.max(a.length, b.length, 1);
  return Math.max(byWords, byLetters);
}

/** `tool_call.toolId` → `tool`, `call`, `tool`, `id`. */
export function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** How alike two schemas without references are: 1 if equal, a half if the type is the same, otherwise 0. */
export function shapeLikeness(a: Json, b: Json): number {
  const [x, y] = [bare(a), bare(b)];
  if (canonical(x) === canonical(y)) return 1;
  if (!isObject(x) || !isObject(y)) return 0;
  return x.type !== undefined && y.type !== undefined && canonical(x.type) === canonical(y.type) ? 0.5 : 0;
}

/** Whether a schema says so little that many others are equal to it by chance. */
export function nearEmpty(schema: Json): boolean {
  const plain = bare(schema);
  if (!isObject(plain)) return true;
  const said = Object.keys(plain).filter((keyword) => !["type", "minLength", "minimum"].includes(keyword));
  return said.length === 0;
}

function bare(schema: Json): Json {
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([name]) =>
        name === "x-extensible-enum" || name === "x-writer" || !/^(x-|deprecated$|default$)/.test(name),
    ),
  );
}
