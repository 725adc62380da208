import fc from "fast-check";
import { isObject, type Json, objectFrom } from "../json.js";
import type { Random } from "../random.js";
import { listStatements } from "../schema/describe.js";
import type { Schema } from "../schema/json-schema.js";
import { BOUNDS, findStrictestBound } from "../schema/merge.js";
import { memoizeByObject } from "./memoize.js";
import type { MergedSchema, MergeSchemas } from "./merged-schema.js";

/** The schema reader and the random choices with which a value is made. */
export interface SamplingContext {
  readonly mergeSchemas: MergeSchemas;
  readonly random: Random;
  /** True to leave out optional fields and items, and to take the first of all choices. */
  readonly isMinimal: boolean;
  /** The probability of each optional field; 0.4 by default. */
  readonly fieldChance?: number | undefined;
}

/** Makes a value that `schemas` probably allow writers to send. Callers validate it. */
export function makeValue(schemas: readonly Schema[], context: SamplingContext, depth = 0): Json {
  const { random, isMinimal } = context;
  const demands = context.mergeSchemas(schemas, random);
  const { values } = demands;
  if (values !== undefined && values.length > 0)
    return values[isMinimal ? 0 : random.below(values.length)] as Json;
  const types = demands.types ?? [guessType(demands)];
  const type = types[isMinimal ? 0 : random.below(types.length)] ?? "null";
  return (MAKERS[type] ?? (() => null))(demands, context, depth);
}

/** Makes the fields of an object as `makeValue` does, without those in `omit`. */
export function makeFields(
  schemas: readonly Schema[],
  context: SamplingContext,
  omit: ReadonlySet<string> = new Set(),
): { [name: string]: Json } {
  return makeObject(context.mergeSchemas(schemas, context.random), context, 0, omit);
}

type Maker = (demands: MergedSchema, context: SamplingContext, depth: number) => Json;

const MAKERS: { readonly [type: string]: Maker } = {
  null: () => null,
  boolean: (_demands, { random, isMinimal }) => !isMinimal && random.chance(0.5),
  integer: (demands, context) => makeNumber(demands, context),
  number: (demands, context) => makeNumber(demands, context),
  string: makeString,
  array: makeArray,
  object: (demands, context, depth) => makeObject(demands, context, depth, new Set()),
  anything: (_demands, { random }) => random.pick(EXAMPLE_VALUES),
};

const EXAMPLE_VALUES: readonly [Json, ...Json[]] = [
  "text",
  { path: "src/main.ts", nested: { list: [1, "two", null] } },
  42,
  true,
  [],
];

function guessType(demands: MergedSchema): string {
  const { properties, required, items } = demands;
  if (properties.size > 0 || required.size > 0) return "object";
  if (items.length > 0) return "array";
  if (listStrings(demands, "pattern").length > 0 || listStrings(demands, "format").length > 0)
    return "string";
  const isNumber = [findLimit(demands, "minimum"), findLimit(demands, "maximum")].some(
    (each) => each !== undefined,
  );
  return isNumber ? "number" : "anything";
}

/** Returns the strictest bound of a kind. An exclusive bound is moved by 1. */
function findLimit({ description }: MergedSchema, name: (typeof BOUNDS)[number]["name"]): number | undefined {
  const kind = BOUNDS.find((each) => each.name === name);
  const bound = kind && findStrictestBound(description, kind);
  if (bound === undefined || !bound.isExclusive) return bound?.value;
  return kind?.isUpper ? bound.value - 1 : bound.value + 1;
}

function listStrings({ description }: MergedSchema, keyword: "pattern" | "format"): string[] {
  return listStatements(description, keyword).map(({ value }) => String(value));
}

/** Returns the limits of a number. */
const readNumberLimits = memoizeByObject((demands: MergedSchema) => {
  const steps = listStatements(demands.description, "multipleOf").map(({ value }) => Number(value));
  return {
    low: findLimit(demands, "minimum") ?? 0,
    maximum: findLimit(demands, "maximum"),
    step: steps.length === 0 ? 1 : Math.max(...steps),
  };
});

function makeNumber(demands: MergedSchema, { random, isMinimal }: SamplingContext): number {
  const { low, maximum, step } = readNumberLimits(demands);
  const high = maximum ?? low + (isMinimal ? 0 : random.pick([3, 100, 5000]));
  const maxSteps = Math.floor((Math.min(high, low + 10_000) - low) / step);
  return Math.ceil(low / step) * step + (isMinimal ? 0 : random.below(Math.max(maxSteps, 0) + 1)) * step;
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

/** Appends random letters to a text that is one of `WORDS`, so that few other events have it. Returns other values unchanged. */
export function makeDistinctText(value: Json, { random }: Pick<SamplingContext, "random">): Json {
  const isFreeText = WORDS.some((word) => word === value);
  return isFreeText ? `${value} ${random.below(2 ** 30).toString(36)}` : value;
}

/** Makes strings of the formats that schemas state without a pattern. */
const FORMAT_MAKERS: { readonly [format: string]: (random: Random) => string } = {
  "date-time": (random) => new Date(1_777_000_000_000 + random.below(10 ** 9)).toISOString(),
  date: () => "2026-05-03",
  time: () => "10:23:40Z",
  uri: (random) => `https://example.org/${random.below(1000)}`,
  email: () => "someone@example.org",
  uuid: (random) => "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => random.below(16).toString(16)),
};

/** Returns the form of a string. */
const readTextForm = memoizeByObject((demands: MergedSchema) => ({
  makeFormatted: FORMAT_MAKERS[listStrings(demands, "format")[0] ?? ""],
  // The last pattern is that of the writer reading, which is the strictest.
  pattern: listStrings(demands, "pattern").at(-1),
  minLength: findLimit(demands, "minLength") ?? 0,
  maxLength: findLimit(demands, "maxLength") ?? Number.POSITIVE_INFINITY,
}));

function makeString(demands: MergedSchema, { random, isMinimal }: SamplingContext): string {
  const { makeFormatted, pattern, minLength, maxLength } = readTextForm(demands);
  if (makeFormatted) return makeFormatted(random);
  if (pattern !== undefined) return makeMatchingString(pattern, random.below(2 ** 30));
  const word = (isMinimal ? WORDS[0] : random.pick(WORDS)).padEnd(minLength, "x");
  const limit = Math.max(minLength, Math.min(maxLength, 200));
  return word.length <= limit ? word : [...word].slice(0, limit).join("");
}

/** The texts that match a pattern, and those that were made before, by their seeds. */
interface PatternTexts {
  readonly arbitrary: fc.Arbitrary<string>;
  readonly made: Map<number, string>;
}

const textsOfPattern = new Map<string, PatternTexts>();

/** The number of texts of one pattern that are remembered. Many streams of the kit are made from the same seeds. */
const MAX_REMEMBERED = 5_000;

function makeMatchingString(pattern: string, seed: number): string {
  const texts = textsOfPattern.get(pattern) ?? {
    arbitrary: fc.stringMatching(new RegExp(pattern, "u")),
    made: new Map(),
  };
  textsOfPattern.set(pattern, texts);
  const { arbitrary, made } = texts;
  const text = made.get(seed) ?? fc.sample(arbitrary, { seed, numRuns: 1 })[0] ?? "";
  if (made.size >= MAX_REMEMBERED) made.clear();
  made.set(seed, text);
  return text;
}

const MAX_DEPTH = 6;
const NO_SCHEMAS: readonly Schema[] = [];

function makeArray(demands: MergedSchema, context: SamplingContext, depth: number): Json {
  const { random, isMinimal } = context;
  const minItems = findLimit(demands, "minItems") ?? 0;
  const extra = isMinimal || depth > MAX_DEPTH ? 0 : random.below(3);
  const length = Math.min(minItems + extra, findLimit(demands, "maxItems") ?? 10);
  const [prefix] = listStatements(demands.description, "prefixItems");
  const prefixSchemas = Array.isArray(prefix?.value) ? (prefix.value as readonly Schema[]) : [];
  return Array.from({ length }, (_, index) => {
    const prefixSchema = prefixSchemas[index];
    return makeValue(prefixSchema === undefined ? demands.items : [prefixSchema], context, depth + 1);
  });
}

function makeObject(
  { properties, required, description }: MergedSchema,
  context: SamplingContext,
  depth: number,
  omit: ReadonlySet<string>,
): { [name: string]: Json } {
  const { random, isMinimal, fieldChance = 0.4 } = context;
  const names = new Set([...properties.keys(), ...required]);
  const chosen = [...names].filter(
    (name) =>
      !omit.has(name) &&
      (required.has(name) || (!isMinimal && depth <= MAX_DEPTH && random.chance(fieldChance))),
  );
  const fields = chosen.map(
    (name) => [name, makeValue(properties.get(name) ?? NO_SCHEMAS, context, depth + 1)] as const,
  );
  const additional = listStatements(description, "additionalProperties")[0]?.value;
  const isFreeForm = properties.size === 0 && (additional === true || isObject(additional)) && !isMinimal;
  const extraNames = isFreeForm ? ["path", "größe"].slice(0, random.below(3)) : [];
  return objectFrom([
    ...fields,
    ...extraNames.map((name) => [name, makeValue([additional as Schema], context, depth + 1)] as const),
  ]);
}
