/** Pulls a condition on a converted time back: on the time of a number, or on the number of a time. */
import { type Json, listItems } from "../../json.js";
import type { Schema } from "../../schema/json-schema.js";
import {
  describeFormattedTimes,
  describeTimes,
  END_SECOND,
  FIRST_SECOND,
  formatTime,
  readTime,
  type TimeForm,
} from "./epoch-times.js";
import { and, not, or } from "./predicate.js";
import { type Context, InexpressibleCondition, pullBackKeywords } from "./pull-back-keywords.js";
import { CONTAINER_KEYWORDS, describeLength, NUMBER_KEYWORDS, TEXT_KEYWORDS } from "./pull-back-scalar.js";

/** Returns the condition on a value that it is a number with a time. */
export function describeTimeNumbers({ perSecond, isRounded }: TimeForm): Schema {
  return {
    type: isRounded ? "number" : "integer",
    minimum: FIRST_SECOND * perSecond,
    exclusiveMaximum: END_SECOND * perSecond,
  };
}

/** Returns the condition on a number under which its time satisfies `schema`. */
export function pullBackTimeText(schema: Schema, form: TimeForm, context: Context): Schema {
  return pullBackKeywords(
    schema,
    context,
    (part, inner) => pullBackTimeText(part, form, inner),
    (keyword, value) => pullBackTextKeyword(keyword, value, form, context),
  );
}

function pullBackTextKeyword(keyword: string, value: Json, form: TimeForm, { relateTexts }: Context): Schema {
  if (CONTAINER_KEYWORDS.has(keyword) || NUMBER_KEYWORDS.has(keyword)) return true;
  switch (keyword) {
    case "type":
      return [value].flat().includes("string");
    case "const":
    case "enum":
      return or(
        ...(keyword === "const" ? [value] : listItems(value)).map((text) => describeOrigin(text, form)),
      );
    case "minLength":
    case "maxLength":
    case "pattern": {
      const pattern = keyword === "pattern" ? String(value) : describeLength(keyword, Number(value));
      const relation = relateTexts(describeFormattedTimes(form), pattern);
      if (relation !== "some") return relation === "all";
    }
  }
  throw new InexpressibleCondition(`${keyword} constrains the time of a number`);
}

/** Returns the condition that a number has this time. */
function describeOrigin(text: Json, form: TimeForm): Schema {
  if (typeof text !== "string" || !new RegExp(describeTimes(form), "u").test(text)) return false;
  const number = readTime(text, form);
  if (formatTime(number, form) !== text) return false;
  return form.isRounded ? { minimum: number, exclusiveMaximum: number + 1 } : { const: number };
}

/** Returns a condition on a time, which matches `describeTimes`, under which its number satisfies `schema`. */
export function pullBackTimeNumber(schema: Schema, form: TimeForm, context: Context): Schema {
  return pullBackKeywords(
    schema,
    context,
    (part, inner) => pullBackTimeNumber(part, form, inner),
    (keyword, value) => pullBackNumberKeyword(keyword, value, form, context),
  );
}

function pullBackNumberKeyword(keyword: string, value: Json, form: TimeForm, { isExact }: Context): Schema {
  if (CONTAINER_KEYWORDS.has(keyword) || TEXT_KEYWORDS.has(keyword)) return true;
  const number = Number(value);
  switch (keyword) {
    case "type":
      return ["number", "integer"].some((type) => [value].flat().includes(type));
    case "minimum":
      return describeSince(Math.ceil(number), form, isExact);
    case "exclusiveMinimum":
      return describeSince(Math.floor(number) + 1, form, isExact);
    case "maximum":
      return describeUntil(Math.floor(number) + 1, form, isExact);
    case "exclusiveMaximum":
      return describeUntil(Math.ceil(number), form, isExact);
    case "multipleOf":
      if (Number.isInteger(1 / number)) return true;
      if (number === form.perSecond) return { pattern: "^.{19}(?:\\.0+)?[zZ+-]" };
  }
  throw new InexpressibleCondition(`${keyword} constrains the number of a time`);
}

/** The numbers of times lie within a day of the years 0 to 9999, because local times have an offset. */
const DAY = 86_400;
const FIRST_TIME = FIRST_SECOND - 367 * DAY;
const END_TIME = END_SECOND + DAY;

/** Returns a condition on a time that its number is `bound` or more. */
function describeSince(bound: number, { perSecond }: TimeForm, isExact: boolean): Schema {
  const second = Math.ceil(bound / perSecond);
  if (second <= FIRST_TIME) return true;
  if (second >= END_TIME) return false;
  if (isExact) throw new InexpressibleCondition("a negation constrains the number of a time");
  // A local time is less than a day before or behind the same time in UTC.
  const first = Math.max(second, FIRST_SECOND);
  return or(describeLocalSince(first, UTC), describeLocalSince(first + DAY, ""));
}

/** Returns a condition on a time that its number is less than `end`. */
function describeUntil(end: number, { perSecond }: TimeForm, isExact: boolean): Schema {
  const second = Math.floor(end / perSecond);
  if (second >= END_TIME) return true;
  if (second <= FIRST_TIME) return false;
  if (isExact) throw new InexpressibleCondition("a negation constrains the number of a time");
  const isBefore = (limit: number): Schema => not(describeLocalSince(limit, ""));
  const last = formatTime(second - 1, { perSecond: 1, isRounded: false });
  // The leap second before the end is as late as the end.
  const isLeap: Schema = last === undefined ? false : { pattern: `^${describeDigits(last.slice(0, 17))}60` };
  return or(isBefore(second - DAY - 1), and({ pattern: UTC }, isBefore(second), not(isLeap)));
}

/** The end of a time in UTC. */
const UTC = "(?:[zZ]|[+-]00:00)$";

/** Returns the condition that the local time of a text is at a second or later, and that the text has this end. */
function describeLocalSince(second: number, end: string): Schema {
  const text = formatTime(second, { perSecond: 1, isRounded: false });
  if (text === undefined) return second < FIRST_SECOND ? { pattern: end } : false;
  const digits = text.slice(0, 19);
  const later = [...digits].flatMap((digit, index) =>
    /[0-8]/.test(digit) ? [`${describeDigits(digits.slice(0, index))}[${Number(digit) + 1}-9]`] : [],
  );
  return { pattern: `^(?:${[...later, describeDigits(digits)].join("|")})${end === "" ? "" : `.*${end}`}` };
}

/** Returns the pattern of the beginning of a time. The letter T may be small. */
function describeDigits(text: string): string {
  return text.replace("T", "[tT]");
}
