/** Pulls a condition on the product of a number back. */

import { type Json, listItems } from "../../json.js";
import type { Schema } from "../../schema/json-schema.js";
import { filterKeywords } from "../../schema/keywords.js";
import {
  compareRationals,
  convertToRational,
  divide,
  multiply,
  type Rational,
  toNumber,
} from "../rational.js";
import { or } from "./predicate.js";
import { type Context, InexpressibleCondition, pullBackKeywords } from "./pull-back-keywords.js";

/** Keywords about objects and arrays, which texts and numbers satisfy. */
export const CONTAINER_KEYWORDS: ReadonlySet<string> = filterKeywords(
  ({ facet }, name) =>
    ["properties", "otherProperties", "items", "contains"].includes(facet) ||
    name.startsWith("dependent") ||
    /^(?:min|max)(?:Items|Contains|Properties)$|^uniqueItems$/.test(name),
);
export const TEXT_KEYWORDS: ReadonlySet<string> = filterKeywords(
  ({ facet }, name) => facet === "texts" || name.endsWith("Length"),
);
export const NUMBER_KEYWORDS: ReadonlySet<string> = filterKeywords(
  ({ facet }, name) => facet === "bounds" && !CONTAINER_KEYWORDS.has(name) && !TEXT_KEYWORDS.has(name),
);

/** Returns the condition that a value can be multiplied. */
export function describeScalable(by: number): Schema {
  if (by <= 1) return { type: "number" };
  const maximum = roundQuotient(Number.MAX_VALUE, by, "down");
  return { type: "number", minimum: -maximum, maximum };
}

/** Returns a condition on a number under which its product with `by` satisfies `schema`. */
export function pullBackScale(schema: Schema, by: number, context: Context): Schema {
  // Products are rounded, so only stricter conditions can be stated.
  if (context.isExact && typeof schema !== "boolean")
    throw new InexpressibleCondition("a negation constrains a scaled number");
  return pullBackKeywords(
    schema,
    context,
    (part, inner) => pullBackScale(part, by, inner),
    (keyword, value) => pullBackNumberKeyword(keyword, value, by),
  );
}

function pullBackNumberKeyword(keyword: string, value: Json, by: number): Schema {
  if (CONTAINER_KEYWORDS.has(keyword) || TEXT_KEYWORDS.has(keyword)) return true;
  const number = Number(value);
  switch (keyword) {
    case "type":
      if ([value].flat().includes("number")) return true;
      return [value].flat().includes("integer") ? describeMultiple(1, by) : false;
    case "minimum":
      return { minimum: roundQuotient(number, by, "up") };
    case "maximum":
      return { maximum: roundQuotient(number, by, "down") };
    case "exclusiveMinimum":
      return { minimum: roundQuotient(findNextNumber(number), by, "up") };
    case "exclusiveMaximum":
      return { maximum: roundQuotient(-findNextNumber(-number), by, "down") };
    case "multipleOf":
      if (Number.isInteger(number)) return describeMultiple(number, by);
      break;
    case "const":
    case "enum": {
      const products = keyword === "const" ? [value] : listItems(value);
      const factors = products.flatMap((product) => findFactor(product, by));
      return factors.length === 0 ? false : { enum: factors };
    }
  }
  throw new InexpressibleCondition(`${keyword} constrains a scaled number`);
}

/** Returns a condition under which the product of a number with `by` is a multiple of `step`, which is an integer. */
function describeMultiple(step: number, by: number): Schema {
  const quotient = divide(convertToRational(step), convertToRational(by));
  // Numbers are multiplied in decimal digits, so 0.003 times 1000 is an integer, and 0.0005 times 1000 is none.
  const fraction = toNumber(quotient);
  const multiples: Schema[] = [
    ...(quotient.num > MAX_DIVISOR ? [] : [{ type: "integer", multipleOf: Number(quotient.num) }]),
    ...(fraction === undefined || Number.isInteger(fraction)
      ? []
      : [{ type: "number", multipleOf: fraction }]),
  ];
  if (multiples.length === 0) throw new InexpressibleCondition("a scaled number must be an integer");
  return or(...multiples);
}

const MAX_DIVISOR = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the number whose product with `by` is `product`, if there is one. */
function findFactor(product: Json, by: number): number[] {
  if (typeof product !== "number") return [];
  const factor = toNumber(divide(convertToRational(product), convertToRational(by)));
  return factor === undefined ? [] : [factor];
}

/** Returns a number next to value / by: not below it, or not above it. */
function roundQuotient(value: number, by: number, direction: "up" | "down"): number {
  if (direction === "down") return -roundQuotient(-value, by, "up");
  const [wanted, factor] = [convertToRational(value), convertToRational(by)];
  // No number is below the least one, so that bound says nothing about a number.
  let quotient = Math.max(scaleByRational(divide(wanted, factor)), -Number.MAX_VALUE);
  while (compareRationals(multiply(convertToRational(quotient), factor), wanted) < 0)
    quotient = findNextNumber(quotient);
  if (!Number.isFinite(quotient)) throw new InexpressibleCondition("a bound of a scaled number is too large");
  return quotient;
}

/** Returns the number nearest to a fraction, or one beside it. */
function scaleByRational(value: Rational): number {
  return toNumber(value) ?? Number(`${(value.num * 10n ** 400n) / value.den}e-400`);
}

/** Returns the least number above `value`. */
function findNextNumber(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

/** Returns the pattern of texts with so many characters. */
export function describeLength(keyword: "minLength" | "maxLength", length: number): string {
  return keyword === "minLength" ? `^[\\s\\S]{${length},}$` : `^[\\s\\S]{0,${length}}$`;
}
