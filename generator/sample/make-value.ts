import fc from "fast-check";
import { getItem } from "../get-item.js";
import { createObject, isObject, type Json } from "../json.js";
import type { Random } from "../random.js";
import { listStatements } from "../schema/describe.js";
import { readSubschema, type Schema } from "../schema/json-schema.js";
import { readKnownValues } from "../schema/listed-values.js";
import { BOUNDS, findStrictestBound } from "../schema/merge.js";
import { memoizeByObject } from "./memoize.js";
import type { MergedSchema, MergeSchemas } from "./merged-schema.js";

/** The schema reader and the random choices with which a value is made. */
export interface SamplingContext {
  readonly mergeSchemas: MergeSchemas;
  readonly random: Random;
  /** True to leave out optional fields and items, and to take the first of all choices. */
  readonly isMinimal: boolean;
  /** True to take the first known value of each open list. */
  readonly takesFirstKnown?: boolean;
  /** The probability of each optional field; 0.4 by default. */
  readonly fieldChance?: number | undefined;
}

/** Makes a value that `schemas` probably allow writers to send. Callers validate it. */
export function makeValue(schemas: readonly Schema[], context: SamplingContext, depth = 0): Json {
  const { random, isMinimal } = context;
  const merged = depth > MAX_DEPTH ? mergeSmallest(schemas, context) : context.mergeSchemas(schemas, random);
  const { values } = merged;
  if (values !== undefined && values.length > 0)
    return getItem(values, isMinimal ? 0 : random.below(values.length));
  const types = merged.types ?? [guessType(merged)];
  const type = types[isMinimal ? 0 : random.below(types.length)] ?? "null";
  return (MAKERS[type] ?? (() => null))(merged, context, depth);
}

/** The number of random choices among which that of the smallest value is taken. */
const CHOICES = 8;

/** Returns the choice of branches with the fewest required fields, because the others may lead deeper and deeper. */
function mergeSmallest(schemas: readonly Schema[], { mergeSchemas, random }: SamplingContext): MergedSchema {
  const choices = Array.from({ length: CHOICES }, () => mergeSchemas(schemas, random));
  return getItem(
    choices.toSorted((a, b) => a.required.size - b.required.size),
    0,
  );
}

/** Makes the fields of an object as `makeValue` does, without those in `omittedNames`. */
export function makeFields(
  schemas: readonly Schema[],
  context: SamplingContext,
  omittedNames: ReadonlySet<string> = new Set(),
): { [name: string]: Json } {
  return makeObject(context.mergeSchemas(schemas, context.random), context, 0, omittedNames);
}

type Maker = (merged: MergedSchema, context: SamplingContext, depth: number) => Json;

const MAKERS: { readonly [type: string]: Maker } = {
  null: () => null,
  boolean: (_merged, { random, isMinimal }) => !isMinimal && random.chance(0.5),
  integer: (merged, context) => makeNumber(merged, context),
  number: (merged, context) => makeNumber(merged, context),
  string: makeString,
  array: makeArray,
  object: (merged, context, depth) => makeObject(merged, context, depth, new Set()),
  anything: (_merged, { random }) => random.pick(EXAMPLE_VALUES),
};

const EXAMPLE_VALUES: readonly [Json, ...Json[]] = [
  "text",
  { path: "src/main.ts", nested: { list: [1, "two", null] } },
  42,
  true,
  [],
];

function guessType(merged: MergedSchema): string {
  const { properties, required, items } = merged;
  if (properties.size > 0 || required.size > 0) return "object";
  if (items.length > 0) return "array";
  if (listStrings(merged, "pattern").length > 0 || listStrings(merged, "format").length > 0) return "string";
  const isNumber = [findLimit(merged, "minimum"), findLimit(merged, "maximum")].some(
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
const readNumberLimits = memoizeByObject((merged: MergedSchema) => {
  const steps = listStatements(merged.description, "multipleOf").map(({ value }) => Number(value));
  return {
    low: findLimit(merged, "minimum") ?? 0,
    maximum: findLimit(merged, "maximum"),
    step: steps.length === 0 ? 1 : Math.max(...steps),
  };
});

function makeNumber(merged: MergedSchema, { random, isMinimal }: SamplingContext): number {
  const { low, maximum, step } = readNumberLimits(merged);
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
const readTextForm = memoizeByObject((merged: MergedSchema) => ({
  makeFormatted: FORMAT_MAKERS[listStrings(merged, "format")[0] ?? ""],
  // The last pattern is that of the writer reading, which is the strictest.
  pattern: listStrings(merged, "pattern").at(-1),
  known: merged.description.parts
    .flatMap(({ schema }) => readKnownValues(schema) ?? [])
    .filter((value) => typeof value === "string"),
  minLength: findLimit(merged, "minLength") ?? 0,
  maxLength: findLimit(merged, "maxLength") ?? Number.POSITIVE_INFINITY,
}));

/** The probability of a known value where a writer may send others, too. */
const KNOWN_CHANCE = 0.75;

function makeString(
  merged: MergedSchema,
  { random, isMinimal, takesFirstKnown = isMinimal }: SamplingContext,
): string {
  const { makeFormatted, known, pattern, minLength, maxLength } = readTextForm(merged);
  if (known.length > 0 && (takesFirstKnown || random.chance(KNOWN_CHANCE)))
    return takesFirstKnown ? getItem(known, 0) : random.pick(known);
  if (makeFormatted) return makeFormatted(random);
  if (pattern !== undefined) return makeMatchingString(pattern, random.below(2 ** 30));
  const word = (isMinimal ? WORDS[0] : random.pick(WORDS)).padEnd(minLength, "x");
  const limit = Math.max(minLength, Math.min(maxLength, 200));
  return word.length <= limit ? word : [...word].slice(0, limit).join("");
}

/** The texts that match a pattern. */
interface PatternTexts {
  readonly arbitrary: fc.Arbitrary<string>;
  /** The texts that were made before, by their seeds. */
  readonly textsBySeed: Map<number, string>;
}

const textsOfPattern = new Map<string, PatternTexts>();

/** The number of texts of one pattern that are remembered. Many streams of the kit are made from the same seeds. */
const MAX_REMEMBERED = 5_000;

function makeMatchingString(pattern: string, seed: number): string {
  const texts = textsOfPattern.get(pattern) ?? {
    arbitrary: fc.stringMatching(new RegExp(pattern, "u")),
    textsBySeed: new Map(),
  };
  textsOfPattern.set(pattern, texts);
  const { arbitrary, textsBySeed } = texts;
  const text = textsBySeed.get(seed) ?? fc.sample(arbitrary, { seed, numRuns: 1 })[0] ?? "";
  if (textsBySeed.size >= MAX_REMEMBERED) textsBySeed.clear();
  textsBySeed.set(seed, text);
  return text;
}

/** The depth below which optional fields and items are left out, because schemas may refer to themselves. */
const MAX_DEPTH = 6;
const NO_SCHEMAS: readonly Schema[] = [];

function makeArray(merged: MergedSchema, context: SamplingContext, depth: number): Json {
  const { random, isMinimal } = context;
  const minItems = findLimit(merged, "minItems") ?? 0;
  const extraCount = isMinimal || depth > MAX_DEPTH ? 0 : random.below(3);
  const length = Math.min(minItems + extraCount, findLimit(merged, "maxItems") ?? 10);
  const [prefix] = listStatements(merged.description, "prefixItems");
  const prefixSchemas = Array.isArray(prefix?.value) ? prefix.value : [];
  return Array.from({ length }, (_, index) => {
    const prefixSchema = prefixSchemas[index];
    return makeValue(prefixSchema === undefined ? merged.items : [prefixSchema], context, depth + 1);
  });
}

function makeObject(
  { properties, required, description }: MergedSchema,
  context: SamplingContext,
  depth: number,
  omittedNames: ReadonlySet<string>,
): { [name: string]: Json } {
  const { random, isMinimal, fieldChance = 0.4 } = context;
  const names = new Set([...properties.keys(), ...required]);
  const chosenNames = [...names].filter(
    (name) =>
      !omittedNames.has(name) &&
      (required.has(name) || (!isMinimal && depth <= MAX_DEPTH && random.chance(fieldChance))),
  );
  const fields = chosenNames.map(
    (name) => [name, makeValue(properties.get(name) ?? NO_SCHEMAS, context, depth + 1)] as const,
  );
  const additional = listStatements(description, "additionalProperties")[0]?.value;
  const isFreeForm = properties.size === 0 && (additional === true || isObject(additional)) && !isMinimal;
  const extraNames = isFreeForm ? ["path", "größe"].slice(0, random.below(3)) : [];
  return createObject([
    ...fields,
    ...extraNames.map((name) => [name, makeValue([readSubschema(additional)], context, depth + 1)] as const),
  ]);
}
