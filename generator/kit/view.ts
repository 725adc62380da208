/** What consumers show, made comparable: plain JSON, in which texts that hold JSON are JSON again. */
import { isObject, type Json, type JsonObject, join, tokens } from "../json.js";
import { setMember } from "./copy.js";

const MAX_DEPTH = 200;

/** A snapshot as JSON: maps and sets as lists, dates as texts, what JSON leaves out left out. */
export function plain(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new TypeError("The snapshot is nested too deeply, or contains itself.");
  const inner = (each: unknown): Json => plain(each, depth + 1);
  if (typeof value === "string") return fromText(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || value === undefined || typeof value === "function") return null;
  if (typeof value !== "object") return value as boolean;
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Map) return [...value].map(([key, member]) => [inner(key), inner(member)]);
  if (value instanceof Set) return [...value].map(inner);
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return [...new Uint8Array(value.buffer)];
  const members: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(value))
    if (member !== undefined && typeof member !== "function") setMember(members, name, inner(member));
  return members;
}

/** The order of keys in a text of JSON is nothing that a user relies on. */
function fromText(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Whether two views show the same; the order of keys is nothing that a user sees. */
export function sameView(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => sameView(item, other[index] as Json))
    );
  if (Array.isArray(other)) return false;
  const [mine, theirs] = [one as JsonObject, other as JsonObject];
  const names = Object.keys(mine);
  return (
    names.length === Object.keys(theirs).length &&
    names.every((name) => Object.hasOwn(theirs, name) && sameView(mine[name] as Json, theirs[name] as Json))
  );
}

/** All texts in a view, names of members too. */
export function textsOf(view: Json): string[] {
  if (typeof view === "string") return [view];
  if (Array.isArray(view)) return view.flatMap(textsOf);
  return isObject(view) ? Object.entries(view).flatMap(([key, member]) => [key, ...textsOf(member)]) : [];
}

/** Where two views differ, as JSON pointers of the outermost values that are not the same kind, or of single values. */
export function differences(one: Json, other: Json, at = ""): string[] {
  if (one === other) return [];
  const [a, b] = [membersOf(one), membersOf(other)];
  if (a === undefined || b === undefined || Array.isArray(one) !== Array.isArray(other)) return [at];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((key) => {
    const [left, right] = [a.get(key), b.get(key)];
    return left === undefined || right === undefined
      ? [join(at, key)]
      : differences(left, right, join(at, key));
  });
}

function membersOf(value: Json): ReadonlyMap<string, Json> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}

/** Says where two views differ first, and how. */
export function describeDifference(wanted: Json, found: Json): string {
  const [at = ""] = differences(wanted, found);
  const [is, should] = [valueAt(found, at), valueAt(wanted, at)].map(
    (value) => value && shortened(JSON.stringify(value.value)),
  );
  const where = `at ${at === "" ? "its top" : at}:`;
  if (is === undefined) return `${where} ${should} is missing`;
  return should === undefined ? `${where} ${is} should not be there` : `${where} ${is}, not ${should}`;
}

function valueAt(view: Json, pointer: string): { readonly value: Json } | undefined {
  let found: { readonly value: Json } | undefined = { value: view };
  for (const token of tokens(pointer)) {
    const member: Json | undefined = membersOf(found?.value ?? null)?.get(token);
    found = member === undefined ? undefined : { value: member };
  }
  return found;
}

function shortened(text: string): string {
  return text.length > 160 ? `${text.slice(0, 157)}…` : text;
}
