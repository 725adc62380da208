/** A JSON value, as `JSON.parse` makes it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Keys are own properties only; `__proto__` may be one of them. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** The length from which a text is searched for deep nesting, and the number of levels that are too many. */
const LONG_TEXT = 1e6;
const MAX_LEVELS = 10_000;

/** Returns the value of JSON text; undefined if the text is not JSON, or if it is long and nests deeper than 10,000 levels. */
export function parseJson(text: string): Json | undefined {
  // JSON.parse would need some 70 bytes of memory for each open bracket of a text that may have nothing else.
  if (text.length > LONG_TEXT && findExcessiveDepth(text, MAX_LEVELS) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the offset at which a text nests deeper than `maxDepth` levels; undefined if it does not. */
export function findExcessiveDepth(text: string, maxDepth: number): number | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') index = findStringEnd(text, index);
    else if (character === "}" || character === "]") depth--;
    else if (character === "{" || character === "[") {
      depth++;
      if (depth > maxDepth) return index;
    }
  }
  return undefined;
}

/** Returns the offset of the quotation mark that ends the string at `start`, or of the end of the text. */
function findStringEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}

/** Returns whether `value` is a JSON object: neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns plain data as a JSON value. Members that are undefined are left out. */
export function toJson(data: unknown): Json {
  return JSON.parse(JSON.stringify(data));
}

/** Returns the items of a list; none for another value. */
export function listItems(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the members of an object; none for another value. */
export function getMembers(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the keys of a table that has no others. */
export function listKeys<Key extends string>(table: { readonly [key in Key]: unknown }): readonly Key[] {
  return Object.keys(table) as Key[];
}

/** Returns the own property `key` of `object`; undefined if there is none. Inherited properties do not count. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns an object from entries. Every key becomes an own property, `__proto__` too. */
export function createObject<T>(entries: Iterable<readonly [string, T]>): { [key: string]: T } {
  const object: { [key: string]: T } = {};
  for (const [key, value] of entries) setOwn(object, key, value);
  return object;
}

/** Sets an own property, `__proto__` too. A plain assignment makes smaller and faster objects than `Object.fromEntries`. */
function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** Returns a copy of `object` in which `change` has replaced each value. Every key stays an own property, `__proto__` too. */
export function mapValues<T, R>(
  object: { readonly [key: string]: T },
  change: (value: T, key: string) => R,
): { [key: string]: R } {
  const copy: { [key: string]: R } = {};
  for (const [key, value] of Object.entries(object)) setOwn(copy, key, change(value, key));
  return copy;
}

/** Returns a JSON pointer (RFC 6901) extended by reference tokens: `join("/a", "b/c", 0)` is `/a/b~1c/0`. */
export function joinPointer(pointer: string, ...tokens: readonly (string | number)[]): string {
  let joined = pointer;
  for (const token of tokens) joined += typeof token === "number" ? `/${token}` : `/${escapeToken(token)}`;
  return joined;
}

function escapeToken(token: string): string {
  return token.includes("/") || token.includes("~") ? token.replace(/~/g, "~0").replace(/\//g, "~1") : token;
}

/** Returns the reference tokens of a JSON pointer (RFC 6901), unescaped: `/a/b~1c` is `["a", "b/c"]`. */
export function splitPointer(pointer: string): string[] {
  if (pointer === "") return [];
  const parts = pointer.slice(1).split("/");
  if (!pointer.includes("~")) return parts;
  return parts.map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"));
}

/** Returns the value that a JSON pointer names in `document`, or undefined if there is none. */
export function getValueAtPointer(document: Json, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const token of splitPointer(pointer)) value = getChild(value, token);
  return value;
}

/** Returns the item or the member that a reference token names in `value`, or undefined if there is none. */
export function getChild(value: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  return isObject(value) ? getOwn(value, token) : undefined;
}

/** Returns JSON text with the keys of every object sorted by code unit. Equal values give equal texts. */
export function formatCanonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(formatCanonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${formatCanonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** Returns whether two JSON values are equal, or both absent: objects by their members in any order, numbers by value. */
export function areEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => areEqual(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && areEqual(a[key], b[key]))
  );
}

/** Returns the JSON Schema type of a value, the narrowest: `integer` for numbers that are whole. */
export function getJsonType(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** The greatest length of a number that is compared digit by digit. */
const MAX_DIGITS = 1_000;

/** Returns whether JavaScript reads exactly the number that is written. Leading and trailing zeros do not matter. */
export function isExactNumber(text: string): boolean {
  const shortest = String(Number(text));
  return (
    text === shortest || (text.length <= MAX_DIGITS && normalizeDecimal(text) === normalizeDecimal(shortest))
  );
}

/** Returns a text that is equal for equal decimals: the digits without zeros at either end, and a power of ten. */
function normalizeDecimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  // `whole` is empty only for a text that is not a decimal, such as `Infinity`.
  if (significant === "") return whole === "" ? text : "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
