/** Makes what consumers show comparable: plain JSON, in which strings that hold JSON are parsed. */
import { createObject, isObject, type Json, type JsonObject, joinPointer, parseJson } from "../json.js";
import { isPromise } from "./steps.js";

const MAX_DEPTH = 200;

/** Returns a snapshot as JSON: maps and sets as lists, dates as strings, without what JSON cannot hold. */
export function toJson(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new TypeError("The snapshot is nested too deeply, or contains itself.");
  if (typeof value === "string") return parseIfJson(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || value === undefined || typeof value === "function") return null;
  if (typeof value !== "object") return value as boolean;
  if (isPromise(value))
    throw new TypeError("The snapshot contains a promise. Await it, and return its value instead.");
  const inner = depth + 1;
  if (Array.isArray(value)) return value.map((member) => toJson(member, inner));
  if (value instanceof Map)
    return [...value].map(([key, member]) => [toJson(key, inner), toJson(member, inner)]);
  if (value instanceof Set) return [...value].map((member) => toJson(member, inner));
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return [...new Uint8Array(value.buffer)];
  return convertMembers(value, inner);
}

/** Returns the members of an object that JSON can hold. `depth` is that of the members. */
function convertMembers(object: object, depth: number): JsonObject {
  const members: [string, Json][] = [];
  for (const [name, member] of Object.entries(object))
    if (member !== undefined && typeof member !== "function") members.push([name, toJson(member, depth)]);
  return createObject(members);
}

/** Parses a string that holds a JSON object or array, because the order of its keys must not matter. */
function parseIfJson(text: string): Json {
  return /^\s*[[{]/.test(text) ? (parseJson(text) ?? text) : text;
}

/** Returns all strings in a view, including the names of members. */
export function collectTexts(view: Json): string[] {
  if (typeof view === "string") return [view];
  if (Array.isArray(view)) return view.flatMap(collectTexts);
  return isObject(view)
    ? Object.entries(view).flatMap(([key, member]) => [key, ...collectTexts(member)])
    : [];
}

/** Returns JSON pointers to the outermost values in which two views differ. */
export function findDifferences(a: Json, b: Json, pointer = ""): string[] {
  const differences: string[] = [];
  addDifferences(a, b, pointer, differences);
  return differences;
}

function addDifferences(a: Json, b: Json, pointer: string, differences: string[]): void {
  if (a === b) return;
  if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) {
    differences.push(pointer);
    return;
  }
  for (const key of Object.keys(a))
    if (Object.hasOwn(b, key))
      addDifferences(a[key] ?? null, b[key] ?? null, joinPointer(pointer, key), differences);
    else differences.push(joinPointer(pointer, key));
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key)) differences.push(joinPointer(pointer, key));
}

/** Returns whether a value is an object or an array. Both have their members by name or index. */
function isContainer(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null;
}
