/** Pulls a condition on a converted decimal back: on the text of a number, or on the number of a text. */
import { type Json, listItems } from "../../json.js";
import { escapeRegExp } from "../../regex/pattern-body.js";
import type { Schema } from "../../schema/json-schema.js";
import { formatDecimal } from "../decimal.js";
import { and, not, or } from "./predicate.js";
import { type Context, InexpressibleCondition, pullBackKeywords } from "./pull-back-keywords.js";
import { CONTAINER_KEYWORDS, describeLength, NUMBER_KEYWORDS, TEXT_KEYWORDS } from "./pull-back-scalar.js";

/** The most digits of a text for which every text of a number is a number of its own. */
const MAX_DIGITS = 15;

/** The pattern of texts that are numbers: as JSON writes them, without an exponent, with up to 15 digits behind leading zeros. */
export const DECIMAL_PATTERN = `^-?(?:${[
  `0(?:\\.[0-9]{1,${MAX_DIGITS}})?`,
  `[1-9][0-9]{0,${MAX_DIGITS - 1}}`,
  ...Array.from(
    { length: MAX_DIGITS - 1 },
    (_, others) => `[1-9][0-9]{${others}}\\.[0-9]{1,${MAX_DIGITS - 1 - others}}`,
  ),
].join("|")})$`;

/** Returns the condition on a number under which its decimal digits satisfy `schema`. */
export function pullBackNumberText(schema: Schema, context: Context): Schema {
  return pullBackKeywords(schema, context, pullBackNumberText, (keyword, value) =>
    pullBackTextKeyword(keyword, value, context),
  );
}

function pullBackTextKeyword(keyword: string, value: Json, context: Context): Schema {
  if (CONTAINER_KEYWORDS.has(keyword) || NUMBER_KEYWORDS.has(keyword)) return true;
  switch (keyword) {
    case "type":
      return [value].flat().includes("string");
    case "const":
    case "enum": {
      const texts = keyword === "const" ? [value] : listItems(value);
      const numbers = texts.map(Number).filter((number, index) => {
        const text = texts[index];
        return typeof text === "string" && Number.isFinite(number) && formatDecimal(number) === text;
      });
      return numbers.length === 0 ? false : { enum: numbers };
    }
    case "minLength":
    case "maxLength":
      return describeMatchingNumbers(describeLength(keyword, Number(value)), context);
    case "pattern":
      return describeMatchingNumbers(String(value), context);
    default:
      throw new InexpressibleCondition(`${keyword} constrains the text of a number`);
  }
}

/** A range of numbers, and the pattern that all their texts match. */
interface NumberRange {
  readonly numbers: Schema;
  readonly texts: string;
}

/** The number of digits up to which integers have ranges of their own. All powers of ten up to there are numbers. */
const MAX_COUNTED_DIGITS = 22;

const FRACTION: Schema = { type: "number", not: { type: "integer" } };

/** All numbers. Those of one range have the same sign, and the same number of digits if they are integers. */
const RANGES: readonly NumberRange[] = [
  { numbers: and(FRACTION, { minimum: 0 }), texts: "^(?:0|[1-9][0-9]*)\\.[0-9]*[1-9]$" },
  { numbers: and(FRACTION, { maximum: 0 }), texts: "^-(?:0|[1-9][0-9]*)\\.[0-9]*[1-9]$" },
  { numbers: { type: "integer", minimum: 0, exclusiveMaximum: 10 }, texts: "^[0-9]$" },
  { numbers: { type: "integer", exclusiveMinimum: -10, exclusiveMaximum: 0 }, texts: "^-[1-9]$" },
  ...Array.from({ length: MAX_COUNTED_DIGITS - 1 }, (_, index): NumberRange[] => {
    const [least, next] = [10 ** (index + 1), 10 ** (index + 2)];
    const digits = `[1-9][0-9]{${index + 1}}`;
    return [
      { numbers: { type: "integer", minimum: least, exclusiveMaximum: next }, texts: `^${digits}$` },
      { numbers: { type: "integer", exclusiveMinimum: -next, maximum: -least }, texts: `^-${digits}$` },
    ];
  }).flat(),
  {
    numbers: { type: "integer", minimum: 10 ** MAX_COUNTED_DIGITS },
    texts: `^[1-9][0-9]{${MAX_COUNTED_DIGITS},}$`,
  },
  {
    numbers: { type: "integer", maximum: -(10 ** MAX_COUNTED_DIGITS) },
    texts: `^-[1-9][0-9]{${MAX_COUNTED_DIGITS},}$`,
  },
];

/** Larger sets of numbers, which patterns often treat alike. */
const WIDE_RANGES: readonly NumberRange[] = [
  { numbers: { type: "integer", minimum: 0 }, texts: "^(?:0|[1-9][0-9]*)$" },
  { numbers: { type: "integer", exclusiveMaximum: 0 }, texts: "^-[1-9][0-9]*$" },
];

/** Returns the condition on a number that its text matches a pattern. It is stricter where only some numbers of a range do. */
function describeMatchingNumbers(pattern: string, { isExact, relateTexts }: Context): Schema {
  const [wide, narrow] = [WIDE_RANGES, RANGES].map((ranges) =>
    ranges.map(({ numbers, texts }) => ({ numbers, relation: relateTexts(texts, pattern) })),
  );
  const all = [...(wide ?? []), ...(narrow ?? [])];
  if (isExact && narrow?.some(({ relation }) => relation === "some"))
    throw new InexpressibleCondition("a negation constrains the text of a number");
  return or(...all.filter(({ relation }) => relation === "all").map(({ numbers }) => numbers));
}

/** Returns the condition on a text of a number, which matches `DECIMAL_PATTERN`, under which the number satisfies `schema`. */
export function pullBackTextNumber(schema: Schema, context: Context): Schema {
  return pullBackKeywords(schema, context, pullBackTextNumber, pullBackNumberKeyword);
}

function pullBackNumberKeyword(keyword: string, value: Json): Schema {
  if (CONTAINER_KEYWORDS.has(keyword) || TEXT_KEYWORDS.has(keyword)) return true;
  const number = Number(value);
  switch (keyword) {
    case "type":
      if ([value].flat().includes("number")) return true;
      return [value].flat().includes("integer") ? { pattern: "^-?[0-9]+(?:\\.0+)?$" } : false;
    case "minimum":
      return describeAbove(number, true);
    case "exclusiveMinimum":
      return describeAbove(number, false);
    case "maximum":
      return not(describeAbove(number, false));
    case "exclusiveMaximum":
      return not(describeAbove(number, true));
    case "multipleOf":
      return describeMultiple(number);
    case "const":
    case "enum":
      return or(...(keyword === "const" ? [value] : listItems(value)).map(describeEqual));
    default:
      throw new InexpressibleCondition(`${keyword} constrains the number of a text`);
  }
}

/** Returns the condition on the text of a number that the number is above a bound, or equal to it if `isIncluded`. */
function describeAbove(bound: number, isIncluded: boolean): Schema {
  const isZero: Schema = { pattern: "^-?0(?:\\.0+)?$" };
  if (bound === 0) {
    const isPositive: Schema = { pattern: "^[^-]*[1-9]" };
    return isIncluded ? or(isPositive, isZero) : isPositive;
  }
  const isLarger: Schema = {
    pattern: `^-?(?:${describeLarger(Math.abs(bound), isIncluded === bound > 0)})$`,
  };
  const isNegative: Schema = { pattern: "^-" };
  return bound > 0 ? and(not(isNegative), isLarger) : or(not(isNegative), not(isLarger));
}

/** Returns a pattern of decimals without a sign that are above a positive bound, or equal to it if `isIncluded`. */
function describeLarger(bound: number, isIncluded: boolean): string {
  const [whole = "", allDigits = ""] = formatDecimal(bound).split(".");
  // A text has fewer digits behind the point than a longer bound, so it never equals that bound.
  const fraction = allDigits.slice(0, MAX_DIGITS);
  const includesEqual = isIncluded && fraction === allDigits;
  const rest = "(?:\\.[0-9]+)?";
  const beginning = fraction === "" ? "" : `\\.${fraction}`;
  const above = fraction === "" ? "\\.[0-9]*[1-9][0-9]*" : `${beginning}[0-9]*[1-9][0-9]*`;
  const equal = fraction === "" ? rest : `${beginning}[0-9]*`;
  return [
    `[1-9][0-9]{${whole.length},}${rest}`,
    ...listLargerBeginnings(whole).map(({ text, others }) => `${text}[0-9]{${others}}${rest}`),
    ...listLargerBeginnings(fraction).map(({ text }) => `${whole}\\.${text}[0-9]*`),
    whole + (includesEqual ? equal : above),
  ].join("|");
}

/** Returns patterns of beginnings that differ in their last digit, which is larger, and the number of digits behind them. */
function listLargerBeginnings(digits: string): { readonly text: string; readonly others: number }[] {
  return [...digits].flatMap((digit, index) => {
    const text = `${digits.slice(0, index)}[${Number(digit) + 1}-9]`;
    return digit === "9" ? [] : [{ text, others: digits.length - 1 - index }];
  });
}

/** Returns the condition on the text of a number that the number is a multiple of 1, 10, 100 and so on. */
function describeMultiple(step: number): Schema {
  const zeros = /^10*$/.exec(formatDecimal(step))?.[0].slice(1).length;
  // Validators divide doubles, so decimal places do not say whether a number is a multiple of a fraction.
  if (zeros === undefined) throw new InexpressibleCondition("multipleOf constrains the number of a text");
  return { pattern: `^-?(?:0|[0-9]*0{${zeros}})(?:\\.0+)?$` };
}

/** Returns the condition on the text of a number that the number is this value. */
function describeEqual(value: Json): Schema {
  if (typeof value !== "number") return false;
  const text = formatDecimal(value);
  const zeros = text.includes(".") ? "0*" : "(?:\\.0+)?";
  return { pattern: `^${value === 0 ? "-?" : ""}${escapeRegExp(text)}${zeros}$` };
}
