/** The TypeScript module of a plan. Only the steps and the names in braces depend on the plan. */
export const TYPESCRIPT_MODULE = `{BANNER}
/** Carries events of {FROM} over to {TO}. {PROOF} */

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Thrown if a value would be lost. */
export class UpcastError extends Error {}

{TYPES}type Path = readonly string[];

/** Returns an event of {TO}. \`streamTypes\` are the event types of its stream. The original does not change. */
export function upcastEvent(original: JsonObject, {PARAMETER}streamTypes: Iterable<string> = []): JsonObject {
  {STEPS}
  return event;
}

/** Returns the events of complete streams in their order. */
export function upcastEvents(originals: readonly JsonObject[]{LAST}): JsonObject[] {
  const streams = new Map<string, Set<string>>();
  const key = (event: JsonObject): string => JSON.stringify({KEY}.map((name) => event[name] ?? null));
  for (const event of originals) {
    const types = streams.get(key(event)) ?? new Set<string>();
    streams.set(key(event), types.add(readType(event)));
  }
  return originals.map((event) => upcastEvent(event, {ARGUMENT}streams.get(key(event))));
}

function readType(event: JsonObject): string {
  const type = find(event, [{DISCRIMINATOR}]);
  return typeof type === "string" ? type : "";
}

function matches(types: readonly string[], names: readonly string[]): boolean {
  return types.some((type) =>
    names.some((name) => (name.endsWith("*") ? type.startsWith(name.slice(0, -1)) : type === name)),
  );
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => equal(item, b[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
}

function find(event: Json, path: Path): Json | undefined {
  let value: Json | undefined = event;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function has(event: JsonObject, path: Path, values: readonly Json[]): boolean {
  const value = find(event, path);
  return value !== undefined && values.some((each) => equal(each, value));
}

/** Sets a value, also in the place of another one. */
function set_value(event: JsonObject, [name = "", ...rest]: Path, value: Json): JsonObject {
  if (rest.length === 0) return { ...event, [name]: value };
  const child = find(event, [name]);
  return { ...event, [name]: set_value(isObject(child) ? child : {}, rest, value) };
}

function remove(event: JsonObject, [name = "", ...rest]: Path): JsonObject {
  const { [name]: child, ...others } = event;
  return rest.length === 0 || !isObject(child) ? others : { ...event, [name]: remove(child, rest) };
}

/** Adds a value where there is none. */
function add(event: JsonObject, path: Path, value: Json): JsonObject {
  for (let length = 1; length <= path.length; length++) {
    const present = find(event, path.slice(0, length));
    if (present !== undefined && (length === path.length || !isObject(present)))
      throw new UpcastError(\`There is a value at /\${path.slice(0, length).join("/")} already.\`);
  }
  return set_value(event, path, value);
}

function replace(event: JsonObject, path: Path, value: Json, replaced: Json): JsonObject {
  return has(event, path, [replaced]) ? set_value(event, path, value) : add(event, path, value);
}

function add_default(event: JsonObject, path: Path, value: Json): JsonObject {
  return find(event, path) === undefined ? add(event, path, value) : event;
}

function move(event: JsonObject, from: Path, to: Path): JsonObject {
  const value = find(event, from);
  return value === undefined ? event : add(remove(event, from), to, value);
}

function move_alias(event: JsonObject, from: Path, to: Path): JsonObject {
  if (find(event, from) === undefined) return event;
  return find(event, to) === undefined ? move(event, from, to) : remove(event, from);
}

/** Reads a text into fields. Each part but the last ends where the literal behind it occurs first. */
function parse(event: JsonObject, from: Path, literals: readonly string[], targets: readonly Path[]): JsonObject {
  const value = find(event, from);
  if (value === undefined) return event;
  const parts = typeof value === "string" ? divide(value, literals) : undefined;
  if (parts === undefined) throw new UpcastError(\`The value at /\${from.join("/")} does not have its parts.\`);
  return targets.reduce((result, to, index) => add(result, to, parts[index] ?? ""), remove(event, from));
}

function divide(text: string, [first = "", ...separators]: readonly string[]): string[] | undefined {
  const last = separators.pop() ?? "";
  if (!text.startsWith(first)) return undefined;
  let rest = text.slice(first.length);
  const parts: string[] = [];
  for (const separator of separators) {
    const end = rest.indexOf(separator);
    if (end === -1) return undefined;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end + separator.length);
  }
  return rest.endsWith(last) ? [...parts, rest.slice(0, rest.length - last.length)] : undefined;
}

/** Writes fields into one text. */
function template(event: JsonObject, sources: readonly Path[], literals: readonly string[], to: Path): JsonObject {
  const values = sources.map((source) => find(event, source));
  if (values.every((value) => value === undefined)) return event;
  if (!values.every((value) => typeof value === "string"))
    throw new UpcastError(\`The values for /\${to.join("/")} are not all texts.\`);
  const text = literals.map((literal, index) => literal + (values[index] ?? "")).join("");
  return add(sources.reduce(remove, event), to, text);
}

function map_value(event: JsonObject, at: Path, values: JsonObject): JsonObject {
  const value = find(event, at);
  const mapped = typeof value === "string" ? find(values, [value]) : undefined;
  return mapped === undefined ? event : set_value(event, at, mapped);
}

/** Gives a value to a function, and takes the new one. */
function applyFunction(event: JsonObject, at: Path, change: (value: Json) => Json): JsonObject {
  const value = find(event, at);
  return value === undefined ? event : set_value(event, at, change(value));
}

/** Returns whether a part of a path selects items of lists: all by *, one by [2], all from there on by [2..]. */
function isPosition(name: string): boolean {
  return name === "*" || /^\\[\\d+(\\.\\.)?\\]$/.test(name);
}

function selects(name: string, index: number): boolean {
  const start = Number.parseInt(name.slice(1), 10);
  return isPosition(name) && (name === "*" || (name.endsWith("..]") ? index >= start : index === start));
}

/** Changes the values to which a path leads. The part {*} of a path selects each value of a map. */
function change_at(value: Json, [name, ...rest]: Path, change: (value: Json) => Json): Json {
  if (name === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item: Json, index) => (selects(name, index) ? change_at(item, rest, change) : item));
  if (!isObject(value) || isPosition(name)) return value;
  const members = Object.entries(value).map(
    ([key, member]): [string, Json] => [key, key === name || name === "{*}" ? change_at(member, rest, change) : member],
  );
  return Object.fromEntries(members);
}

/** Changes each value to which a path leads. The value is a member of an object of its own. */
function each(event: JsonObject, path: Path, change: (event: JsonObject) => JsonObject): JsonObject {
  const result = change_at(event, path, (item) => change({ item })["item"] ?? null);
  return isObject(result) ? result : event;
}

/** Changes the value to which a path leads, and before it those to which the loops lead from it, at every depth. */
function deep(
  event: JsonObject,
  path: Path,
  loops: readonly Path[],
  change: (event: JsonObject) => JsonObject,
): JsonObject {
  const visit = (value: Json): Json => {
    const item = loops.reduce((result, loop) => change_at(result, loop, visit), value);
    return change({ item })["item"] ?? null;
  };
  const result = change_at(event, path, visit);
  return isObject(result) ? result : event;
}

/** Multiplies decimal digits, and rounds once, to the nearest number. */
function scale(event: JsonObject, at: Path, by: string): JsonObject {
  const value = find(event, at);
  if (value === undefined) return event;
  const [a, b] = [readDecimal(String(typeof value === "number" ? value : Number.NaN)), readDecimal(by)];
  const product = a && b ? Number(\`\${a.digits * b.digits}e\${a.exponent + b.exponent}\`) : Number.NaN;
  if (!Number.isFinite(product)) throw new UpcastError(\`The value at /\${at.join("/")} cannot be multiplied.\`);
  return set_value(event, at, product);
}

function readDecimal(text: string): { digits: bigint; exponent: number } | undefined {
  const [, whole, fraction = "", exponent = "0"] = /^(-?\\d+)(?:\\.(\\d+))?(?:e([+-]?\\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Writes a number in decimal digits, without an exponent. */
function number_to_text(event: JsonObject, at: Path): JsonObject {
  const value = find(event, at);
  if (value === undefined) return event;
  const decimal = readDecimal(String(typeof value === "number" ? value : Number.NaN));
  if (decimal === undefined) throw new UpcastError(\`The value at /\${at.join("/")} is not a number.\`);
  const { digits, exponent } = decimal;
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits);
  const padded = text.padStart(1 - exponent, "0");
  const decimals = exponent < 0 ? \`\${padded.slice(0, exponent)}.\${padded.slice(exponent)}\` : text + "0".repeat(exponent);
  return set_value(event, at, sign + decimals);
}

function text_to_number(event: JsonObject, at: Path, pattern: string): JsonObject {
  const value = find(event, at);
  if (value === undefined) return event;
  if (typeof value !== "string" || !new RegExp(pattern, "u").test(value))
    throw new UpcastError(\`The value at /\${at.join("/")} is not a text of a decimal number.\`);
  return set_value(event, at, Number(value) + 0);
}

/** Writes a number of seconds or milliseconds since the beginning of 1970 as a time in UTC. */
function number_to_time(event: JsonObject, at: Path, perSecond: number, isRounded: boolean): JsonObject {
  const value = find(event, at);
  if (value === undefined) return event;
  const exact = typeof value === "number" ? value : Number.NaN;
  const number = isRounded ? Math.floor(exact) : exact;
  if (!Number.isInteger(number) || number < -62135596800 * perSecond || number >= 253402300800 * perSecond)
    throw new UpcastError(\`The value at /\${at.join("/")} has no time.\`);
  const text = new Date((number * 1000) / perSecond).toISOString();
  return set_value(event, at, perSecond === 1 ? \`\${text.slice(0, 19)}Z\` : text);
}

/** Reads a time as a number of seconds or milliseconds since the beginning of 1970. */
function time_to_number(event: JsonObject, at: Path, pattern: string, perSecond: number): JsonObject {
  const value = find(event, at);
  if (value === undefined) return event;
  if (typeof value !== "string" || !new RegExp(pattern, "u").test(value))
    throw new UpcastError(\`The value at /\${at.join("/")} is not such a time.\`);
  const [, fraction = "", zone = ""] = /^(?:\\.([0-9]+))?(.*)$/s.exec(value.slice(19)) ?? [];
  const read = (start: number, end: number): number => Number(value.slice(start, end));
  const [year, month] = [read(0, 4), read(5, 7)];
  const [start, months] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const leapDays = Math.floor(start / 4) - Math.floor(start / 100) + Math.floor(start / 400);
  const days = 365 * start + leapDays + Math.floor((153 * months + 2) / 5) + read(8, 10) - 719469;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  const offset = minutes * (zone.startsWith("-") ? -60 : 60);
  const seconds = days * 86400 + read(11, 13) * 3600 + read(14, 16) * 60 + read(17, 19) - offset;
  const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
  return set_value(event, at, perSecond === 1 ? seconds : seconds * 1000 + milliseconds);
}

// A plan need not use all functions.
void [has, matches, replace, add_default, move, move_alias, parse, template, map_value, each, deep, scale];
void [applyFunction, number_to_text, text_to_number, number_to_time, time_to_number];
`;
