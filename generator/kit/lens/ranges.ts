/** Chooses values in all parts of the ranges that a schema declares: of numbers, of lengths of texts and of counts of items. */
import type { Json } from "../../json.js";
import type { SizeRange } from "../../protocol/lens.js";
import { combineSeeds, createRandom } from "../../random.js";
import { type DescriptionOf, listStatements } from "../../schema/describe.js";

const SIZED_TYPES = ["number", "string", "array"] as const;

/** The types of values that have a size: the number itself, the length of a text, the count of items. */
type SizedType = (typeof SIZED_TYPES)[number];

/** The declared ranges of a place, by the type of its value. */
export type Ranges = { readonly [T in SizedType]?: SizeRange };

/** The keywords that limit sizes. */
const BOUND_KEYWORDS = {
  number: { low: ["minimum", "exclusiveMinimum"], high: ["maximum", "exclusiveMaximum"] },
  string: { low: ["minLength"], high: ["maxLength"] },
  array: { low: ["minItems"], high: ["maxItems"] },
} as const;

/** The largest sizes that experiments try: with longer texts and lists they would take too long. */
const MAX_SIZES = { string: 20_000, array: 500 } as const;

/**
 * Returns the ranges that a schema declares, each from the least to the largest stated bound. Texts with a pattern or a format
 * have none, because their lengths cannot be chosen.
 */
export function findRanges(description: DescriptionOf<"bounds" | "texts">): Ranges {
  const hasForm = (["pattern", "format"] as const).some(
    (keyword) => listStatements(description, keyword).length > 0,
  );
  const ranges = SIZED_TYPES.flatMap((type): [SizedType, SizeRange][] => {
    const [lows, highs] = [BOUND_KEYWORDS[type].low, BOUND_KEYWORDS[type].high].map((keywords) =>
      keywords
        .flatMap((keyword) => listStatements(description, keyword))
        .map(({ value }) => value)
        .filter((value) => typeof value === "number"),
    );
    const [low, high] = [Math.min(...(lows ?? [])), Math.max(...(highs ?? []))];
    if (!Number.isFinite(high) || (type === "string" && hasForm)) return [];
    const start = Number.isFinite(low) ? low : Math.min(0, high);
    return start < high ? [[type, { low: start, high }]] : [];
  });
  return Object.fromEntries(ranges);
}

/** Returns the ranges that hold both. */
export function joinRanges(one: Ranges, other: Ranges): Ranges {
  const joined = SIZED_TYPES.flatMap((type): [SizedType, SizeRange][] => {
    const [a, b] = [one[type], other[type]];
    const range = a && b ? { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) } : (a ?? b);
    return range ? [[type, range]] : [];
  });
  return Object.fromEntries(joined);
}

/** Returns whether a place has a declared range. */
export function hasRange(ranges: Ranges): boolean {
  return SIZED_TYPES.some((type) => ranges[type] !== undefined);
}

function findSizedType(value: Json): SizedType | undefined {
  const type = Array.isArray(value) ? "array" : typeof value;
  return SIZED_TYPES.find((each) => each === type);
}

function getSize(value: Json): number {
  return typeof value === "number"
    ? value
    : typeof value === "string"
      ? value.length
      : Object.keys(value ?? {}).length;
}

/** Returns a value of the same type with another size; undefined if it is too large, or if an empty list has nothing to repeat. */
function resizeValue(value: Json, size: number): Json | undefined {
  if (typeof value === "number") return size;
  if (typeof value === "string") {
    const piece = value || "text ";
    return size > MAX_SIZES.string ? undefined : piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  }
  if (!Array.isArray(value) || size > MAX_SIZES.array || (value.length === 0 && size > 0)) return undefined;
  return Array.from({ length: size }, (_, index) => value[index % value.length] ?? null);
}

/** The number of the first values of `listValuesInRange` that are in all parts of a range. */
export const RANGE_CHOICES = 4;

/** Returns values of the same type: at the bounds of its declared range, beside them, and in both halves. `seed` varies them. */
export function listValuesInRange(value: Json, ranges: Ranges, seed: number): Json[] {
  const type = findSizedType(value);
  const range = type && ranges[type];
  if (range === undefined) return [];
  const { low, high } = range;
  const random = createRandom(combineSeeds(seed, 11));
  const span = high - low;
  const middle = low + span / 2;
  const isWhole = type !== "number" || (Number.isInteger(value) && span >= 2);
  const step = isWhole ? 1 : span / 1000;
  const sizes = [
    high,
    low + random.next() * (span / 2),
    middle + random.next() * (span / 2),
    low,
    high - step,
    low + step,
  ];
  return sizes
    .map((size) => resizeValue(value, isWhole ? Math.round(size) : size))
    .filter((resized) => resized !== undefined);
}

/** Returns the range of a place; undefined if it has none or several. */
export function findOnlyRange(ranges: Ranges): SizeRange | undefined {
  const [first, ...others] = SIZED_TYPES.flatMap((type) => ranges[type] ?? []);
  return others.length === 0 ? first : undefined;
}

/** Returns a value of the same type with this size; the value itself if it cannot have it. */
export function setSize(value: Json, size: number): Json {
  return findSizedType(value) === undefined ? value : (resizeValue(value, size) ?? value);
}

/** A half of a declared range. */
type Half = "lower" | "upper";

/** Returns the half of the declared range in which a value is; undefined if it has none. */
export function findHalf(value: Json, ranges: Ranges): Half | undefined {
  const type = findSizedType(value);
  const range = type && ranges[type];
  if (range === undefined) return undefined;
  return getSize(value) > (range.low + range.high) / 2 ? "upper" : "lower";
}
