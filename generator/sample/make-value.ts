import fc from "fast-check";
import { isObject, type Json, type JsonObject, objectFrom } from "../json.js";
import type { Random } from "../random.js";
import type { Schema } from "../schema/json-schema.js";
import type { Demands, ReadDemands } from "./merged-schema.js";

/** How a value is made. */
export interface Making {
  readonly demands: ReadDemands;
  readonly random: Random;
  /** Leave out what may be left out, and take the first of all choices. */
  readonly plain: boolean;
}

/** A value that `schemas` allow writers, most likely: validators have the last word. */
export function makeValue(schemas: readonly Schema[], making: Making, depth = 0): Json {
  const { random, plain } = making;
  const demands = making.demands(schemas, random);
  const { values } = demands;
  if (values !== undefined && values.length > 0)
    return values[plain ? 0 : random.below(values.length)] as Json;
  const types = demands.types ?? [guessedType(demands)];
  const type = types[plain ? 0 : random.below(types.length)] ?? "null";
  return (MAKERS[type] ?? (() => null))(demands, making, depth);
}

/** Fields of an object as `makeValue` makes them, without those in `omit`. */
export function makeFields(
  schemas: readonly Schema[],
  making: Making,
  omit: ReadonlySet<string> = new Set(),
): { [name: string]: Json } {
  return fieldsOf(making.demands(schemas, making.random), making, 0, omit);
}

type Maker = (demands: Demands, making: Making, depth: number) => Json;

const MAKERS: { readonly [type: string]: Maker } = {
  null: () => null,
  boolean: (_demands, { random, plain }) => !plain && random.chance(0.5),
  integer: (demands, making) => makeNumber(demands, making),
  number: (demands, making) => makeNumber(demands, making),
  string: makeString,
  array: makeArray,
  object: (demands, making, depth) => fieldsOf(demands, making, depth, new Set()),
  anything: (_demands, { random }) => random.pick(ANYTHING),
};

const ANYTHING: readonly [Json, ...Json[]] = [
  "text",
  { path: "src/main.ts", nested: { list: [1, "two", null] } },
  42,
  true,
  [],
];

function guessedType({ properties, required, parts }: Demands): string {
  if (properties.size > 0 || required.size > 0) return "object";
  if (parts.some(({ items }) => items !== undefined)) return "array";
  if (parts.some(({ pattern, format }) => pattern !== undefined || format !== undefined)) return "string";
  return parts.some(({ minimum, maximum }) => minimum !== undefined || maximum !== undefined)
    ? "number"
    : "anything";
}

function bound(
  parts: readonly JsonObject[],
  keyword: string,
  join: (...all: number[]) => number,
): number | undefined {
  const all = parts.flatMap((part) => (typeof part[keyword] === "number" ? [part[keyword]] : []));
  return all.length === 0 ? undefined : join(...all);
}

function makeNumber({ parts }: Demands, { random, plain }: Making): number {
  const low = bound(parts, "minimum", Math.max) ?? (bound(parts, "exclusiveMinimum", Math.max) ?? -1) + 1;
  const high = bound(parts, "maximum", Math.min) ?? low + (plain ? 0 : random.pick([3, 100, 5000]));
  const step = bound(parts, "multipleOf", Math.max) ?? 1;
  const steps = Math.floor((Math.min(high, low + 10_000) - low) / step);
  return Math.ceil(low / step) * step + (plain ? 0 : random.below(steps + 1)) * step;
}

const WORDS = [
  "ok",
  "naïve café",
  "日本語",
  "two\nlines",
  "emoji 🙂",
  "a longer piece of text",
  "<b>&amp;</b>",
] as const;

/** A word that hardly any other event has, if `value` is one of the few that free texts are made of. */
export function ownWord(value: Json, { random }: Pick<Making, "random">): Json {
  const isFree = WORDS.some((word) => word === value);
  return isFree ? `${value} ${random.below(2 ** 30).toString(36)}` : value;
}

/** Strings of the formats that have no pattern of their own. */
const FORMATS: { readonly [format: string]: (random: Random) => string } = {
  "date-time": (random) => new Date(1_777_000_000_000 + random.below(10 ** 9)).toISOString(),
  date: () => "2026-05-03",
  time: () => "10:23:40Z",
  uri: (random) => `https://example.org/${random.below(1000)}`,
  email: () => "someone@example.org",
  uuid: (random) => "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => random.below(16).toString(16)),
};

function makeString({ parts }: Demands, { random, plain }: Making): string {
  const format = parts.map(({ format }) => format).find((name) => typeof name === "string");
  const known = typeof format === "string" ? FORMATS[format] : undefined;
  if (known) return known(random);
  const pattern = parts.map(({ pattern }) => pattern).findLast((each) => typeof each === "string");
  if (typeof pattern === "string") return matching(pattern, random.below(2 ** 30));
  const least = bound(parts, "minLength", Math.max) ?? 0;
  const most = bound(parts, "maxLength", Math.min) ?? Number.POSITIVE_INFINITY;
  const word = plain ? WORDS[0] : random.pick(WORDS);
  return [...word.padEnd(least, "x")].slice(0, Math.max(least, Math.min(most, 200))).join("");
}

const patterns = new Map<string, fc.Arbitrary<string>>();

function matching(pattern: string, seed: number): string {
  const arbitrary = patterns.get(pattern) ?? fc.stringMatching(new RegExp(pattern, "u"));
  patterns.set(pattern, arbitrary);
  return fc.sample(arbitrary, { seed, numRuns: 1 })[0] ?? "";
}

const MAX_DEPTH = 6;
const ANY: readonly Schema[] = [];

function makeArray({ parts, items }: Demands, making: Making, depth: number): Json {
  const { random, plain } = making;
  const least = bound(parts, "minItems", Math.max) ?? 0;
  const extra = plain || depth > MAX_DEPTH ? 0 : random.below(3);
  const length = Math.min(least + extra, bound(parts, "maxItems", Math.min) ?? 10);
  const ahead = parts.map(({ prefixItems }) => prefixItems).find(Array.isArray) as
    | readonly Schema[]
    | undefined;
  return Array.from({ length }, (_, index) => {
    const own = ahead?.[index];
    return makeValue(own === undefined ? items : [own], making, depth + 1);
  });
}

function fieldsOf(
  { properties, required, names, parts }: Demands,
  making: Making,
  depth: number,
  omit: ReadonlySet<string>,
): { [name: string]: Json } {
  const { random, plain } = making;
  const wanted = names.filter(
    (name) => !omit.has(name) && (required.has(name) || (!plain && depth <= MAX_DEPTH && random.chance(0.4))),
  );
  const fields = wanted.map(
    (name) => [name, makeValue(properties.get(name) ?? ANY, making, depth + 1)] as const,
  );
  const open = parts
    .map(({ additionalProperties }) => additionalProperties)
    .find((each) => each !== undefined);
  const free = properties.size === 0 && (open === true || isObject(open)) && !plain;
  const more = free ? ["path", "größe"].slice(0, random.below(3)) : [];
  return objectFrom([
    ...fields,
    ...more.map((name) => [name, makeValue([open as Schema], making, depth + 1)] as const),
  ]);
}
