import fc from "fast-check";
import { isObject, type Json, objectFrom } from "../json.js";
import type { Random } from "../random.js";
import { statements } from "../schema/describe.js";
import type { Schema } from "../schema/json-schema.js";
import { BOUNDS, boundOf } from "../schema/merge.js";
import type { Demands, ReadDemands } from "./merged-schema.js";

/** The means of making a value. */
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
  const types = demands.types ?? [guessType(demands)];
  const type = types[plain ? 0 : random.below(types.length)] ?? "null";
  return (MAKERS[type] ?? (() => null))(demands, making, depth);
}

/** Fields of an object as `makeValue` makes them, without those in `omit`. */
export function makeFields(
  schemas: readonly Schema[],
  making: Making,
  omit: ReadonlySet<string> = new Set(),
): { [name: string]: Json } {
  return makeObject(making.demands(schemas, making.random), making, 0, omit);
}

type Maker = (demands: Demands, making: Making, depth: number) => Json;

const MAKERS: { readonly [type: string]: Maker } = {
  null: () => null,
  boolean: (_demands, { random, plain }) => !plain && random.chance(0.5),
  integer: (demands, making) => makeNumber(demands, making),
  number: (demands, making) => makeNumber(demands, making),
  string: makeString,
  array: makeArray,
  object: (demands, making, depth) => makeObject(demands, making, depth, new Set()),
  anything: (_demands, { random }) => random.pick(ANYTHING),
};

const ANYTHING: readonly [Json, ...Json[]] = [
  "text",
  { path: "src/main.ts", nested: { list: [1, "two", null] } },
  42,
  true,
  [],
];

function guessType(demands: Demands): string {
  const { properties, required, items } = demands;
  if (properties.size > 0 || required.size > 0) return "object";
  if (items.length > 0) return "array";
  if (stringsOf(demands, "pattern").length > 0 || stringsOf(demands, "format").length > 0) return "string";
  const isNumber = [limit(demands, "minimum"), limit(demands, "maximum")].some((each) => each !== undefined);
  return isNumber ? "number" : "anything";
}

/** The strictest bound of a kind; an exclusive one is moved by 1. */
function limit({ description }: Demands, name: (typeof BOUNDS)[number]["name"]): number | undefined {
  const kind = BOUNDS.find((each) => each.name === name);
  const bound = kind && boundOf(description, kind);
  if (bound === undefined || !bound.exclusive) return bound?.value;
  return kind?.upper ? bound.value - 1 : bound.value + 1;
}

function stringsOf({ description }: Demands, keyword: "pattern" | "format"): string[] {
  return statements(description, keyword).map(({ value }) => String(value));
}

function makeNumber(demands: Demands, { random, plain }: Making): number {
  const low = limit(demands, "minimum") ?? 0;
  const high = limit(demands, "maximum") ?? low + (plain ? 0 : random.pick([3, 100, 5000]));
  const steps = statements(demands.description, "multipleOf").map(({ value }) => Number(value));
  const step = steps.length === 0 ? 1 : Math.max(...steps);
  const last = Math.floor((Math.min(high, low + 10_000) - low) / step);
  return Math.ceil(low / step) * step + (plain ? 0 : random.below(Math.max(last, 0) + 1)) * step;
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

function makeString(demands: Demands, { random, plain }: Making): string {
  const makeFormatted = FORMATS[stringsOf(demands, "format")[0] ?? ""];
  if (makeFormatted) return makeFormatted(random);
  // The last one is that of the writer, which is the strictest.
  const pattern = stringsOf(demands, "pattern").at(-1);
  if (pattern !== undefined) return makeMatching(pattern, random.below(2 ** 30));
  const least = limit(demands, "minLength") ?? 0;
  const most = limit(demands, "maxLength") ?? Number.POSITIVE_INFINITY;
  const word = plain ? WORDS[0] : random.pick(WORDS);
  return [...word.padEnd(least, "x")].slice(0, Math.max(least, Math.min(most, 200))).join("");
}

const patterns = new Map<string, fc.Arbitrary<string>>();

function makeMatching(pattern: string, seed: number): string {
  const arbitrary = patterns.get(pattern) ?? fc.stringMatching(new RegExp(pattern, "u"));
  patterns.set(pattern, arbitrary);
  return fc.sample(arbitrary, { seed, numRuns: 1 })[0] ?? "";
}

const MAX_DEPTH = 6;
const ANY: readonly Schema[] = [];

function makeArray(demands: Demands, making: Making, depth: number): Json {
  const { random, plain } = making;
  const least = limit(demands, "minItems") ?? 0;
  const extra = plain || depth > MAX_DEPTH ? 0 : random.below(3);
  const length = Math.min(least + extra, limit(demands, "maxItems") ?? 10);
  const [prefix] = statements(demands.description, "prefixItems");
  const first = Array.isArray(prefix?.value) ? (prefix.value as readonly Schema[]) : [];
  return Array.from({ length }, (_, index) => {
    const own = first[index];
    return makeValue(own === undefined ? demands.items : [own], making, depth + 1);
  });
}

function makeObject(
  { properties, required, description }: Demands,
  making: Making,
  depth: number,
  omit: ReadonlySet<string>,
): { [name: string]: Json } {
  const { random, plain } = making;
  const names = new Set([...properties.keys(), ...required]);
  const wanted = [...names].filter(
    (name) => !omit.has(name) && (required.has(name) || (!plain && depth <= MAX_DEPTH && random.chance(0.4))),
  );
  const fields = wanted.map(
    (name) => [name, makeValue(properties.get(name) ?? ANY, making, depth + 1)] as const,
  );
  const open = statements(description, "additionalProperties")[0]?.value;
  const free = properties.size === 0 && (open === true || isObject(open)) && !plain;
  const more = free ? ["path", "größe"].slice(0, random.below(3)) : [];
  return objectFrom([
    ...fields,
    ...more.map((name) => [name, makeValue([open as Schema], making, depth + 1)] as const),
  ]);
}
