/** Pulls a condition on a part of a text back, or on a text that is made of parts. */
import { type Json, listItems } from "../../json.js";
import { escapeRegExp, excludeText, readPatternBody } from "../../regex/pattern-body.js";
import type { Schema } from "../../schema/json-schema.js";
import { and, or } from "./predicate.js";
import type { Path } from "./presence.js";
import { type Context, InexpressibleCondition, pullBackKeywords } from "./pull-back-keywords.js";
import { CONTAINER_KEYWORDS, NUMBER_KEYWORDS } from "./pull-back-scalar.js";

/**
 * The fixed texts before, between and behind the parts of a text: one more than there are parts. Each part but the last ends
 * where the text behind it occurs first.
 */
type Literals = readonly string[];

/** One part of a text. */
interface TextPart {
  readonly literals: Literals;
  readonly index: number;
}

/** Returns the pattern of texts with these parts. */
export function describeTexts(literals: Literals): string {
  return `^${literals.map(escapeRegExp).join("[\\s\\S]*")}$`;
}

/** Returns a condition on a text under which its part satisfies `schema`. */
export function pullBackPart(schema: Schema, part: TextPart, context: Context): Schema {
  return pullBackKeywords(
    schema,
    context,
    (each, inner) => pullBackPart(each, part, inner),
    (keyword, value) => pullBackPartKeyword(keyword, value, part),
  );
}

function pullBackPartKeyword(keyword: string, value: Json, part: TextPart): Schema {
  if (CONTAINER_KEYWORDS.has(keyword) || NUMBER_KEYWORDS.has(keyword)) return true;
  const separator = getNext(part);
  switch (keyword) {
    case "type":
      return [value].flat().includes("string");
    case "const":
    case "enum": {
      const texts = listTexts(keyword, value);
      // The separator behind a part does not begin before the end of the part.
      const isPossible = (text: string) => (text + separator).indexOf(separator) === text.length;
      const possible = isLast(part) ? texts : texts.filter(isPossible);
      return possible.length === 0 ? false : describePart(part, possible.map(escapeRegExp).join("|"));
    }
    case "minLength":
      return value === 0 ? true : describePart(part, `${describeCharacter(part)}{${value},}`);
    case "maxLength":
      return describePart(part, `${describeCharacter(part)}{0,${value}}`);
    case "pattern": {
      const body = readPatternBody(String(value), isLast(part) ? undefined : separator);
      if (body !== undefined) return describePart(part, body);
    }
  }
  throw new InexpressibleCondition(`${keyword} constrains a part of a text`);
}

/** Returns the source between the anchors of a pattern without groups; undefined for other patterns. */
function readBody(pattern: string): string | undefined {
  return /^\^((?:\[\^|[^\\()|^$]|\\[^\dbBpP])*)\$$/u.exec(pattern)?.[1];
}

/** A class, an escape or a character of a pattern without groups, and its quantifier. */
const UNIT = /(\[(?:[^\\\]]|\\.)*\]|\\.|[\s\S])([*+?]|\{\d+(?:,\d*)?\})?/gu;

function getNext({ literals, index }: TextPart): string {
  return literals[index + 1] ?? "";
}

function isLast({ literals, index }: TextPart): boolean {
  return index === literals.length - 2;
}

/** Returns a pattern of one character of the part. */
function describeCharacter(part: TextPart): string {
  return isLast(part) ? "[\\s\\S]" : describeOther(getNext(part));
}

/** Returns a pattern of a character at which a separator does not begin. */
function describeOther(separator: string): string {
  return [...separator].length === 1 ? `[^${escapeInClass(separator)}]` : excludeText("[\\s\\S]", separator);
}

/** Returns the condition that a part matches a pattern. */
function describePart(part: TextPart, pattern: string): Schema {
  const [first = "", ...separators] = part.literals;
  const skipped = separators
    .slice(0, part.index)
    .map((separator) => `${describeOther(separator)}*${escapeRegExp(separator)}`);
  const end = escapeRegExp(getNext(part)) + (isLast(part) ? "$" : "");
  return { pattern: `^${escapeRegExp(first)}${skipped.join("")}(?:${pattern})${end}` };
}

function listTexts(keyword: "const" | "enum", value: Json): string[] {
  return (keyword === "const" ? [value] : listItems(value)).filter((each) => typeof each === "string");
}

/** A text that is made of the texts at some places, with fixed texts around them. */
interface JoinedText {
  readonly literals: Literals;
  readonly paths: readonly Path[];
}

/** Returns a condition on events under which a text that is made of parts, which are texts, satisfies `schema`. */
export function pullBackJoined(schema: Schema, text: JoinedText, context: Context): Schema {
  return pullBackKeywords(
    schema,
    context,
    (each, inner) => pullBackJoined(each, text, inner),
    (keyword, value) => pullBackJoinedKeyword(keyword, value, text, context),
  );
}

function pullBackJoinedKeyword(keyword: string, value: Json, text: JoinedText, context: Context): Schema {
  if (CONTAINER_KEYWORDS.has(keyword) || NUMBER_KEYWORDS.has(keyword)) return true;
  const { literals, paths } = text;
  const holds = (parts: readonly Schema[]): Schema =>
    and(...paths.map((path, index) => context.places.holdsAt(path, parts[index] ?? true)));
  const describeLengths = (limit: "minLength" | "maxLength"): Schema => {
    const rest = Number(value) - [...literals.join("")].length;
    if (rest < 0) return limit === "minLength";
    return or(
      ...listSums(rest, paths.length).map((lengths) => holds(lengths.map((each) => ({ [limit]: each })))),
    );
  };
  switch (keyword) {
    case "type":
      return [value].flat().includes("string");
    case "const":
    case "enum": {
      const ways = listTexts(keyword, value).flatMap((each) => listParts(each, literals));
      if (ways.length > MAX_WAYS) break;
      return or(...ways.map((parts) => holds(parts.map((part) => ({ const: part })))));
    }
    case "minLength":
    case "maxLength":
      return describeLengths(keyword);
    case "pattern": {
      const relation = context.relateTexts(describeTexts(literals), String(value));
      if (relation !== "some") return relation === "all";
      const ways = listPatternParts(String(value), literals);
      if (context.isExact || ways.length === 0 || ways.length > MAX_WAYS) break;
      return or(...ways.map((parts) => holds(parts.map((part) => ({ pattern: `^${part}$` })))));
    }
  }
  throw new InexpressibleCondition(`${keyword} constrains a text that is made of several`);
}

/** The greatest number of ways in which parts make a text. */
const MAX_WAYS = 300;

/** Returns the lists of `count` numbers from 0 on with this sum. */
function listSums(sum: number, count: number): number[][] {
  if (count === 1) return [[sum]];
  const sums = Array.from({ length: sum + 1 }, (_, first) => first);
  if (sums.length > MAX_WAYS)
    throw new InexpressibleCondition("a length constrains a text that is made of several");
  const lists = sums.flatMap((first) => listSums(sum - first, count - 1).map((others) => [first, ...others]));
  if (lists.length > MAX_WAYS)
    throw new InexpressibleCondition("a length constrains a text that is made of several");
  return lists;
}

/** Returns the ways in which parts with these texts around them make a text. */
function listParts(text: string, [first = "", ...others]: Literals): string[][] {
  if (!text.startsWith(first)) return [];
  const rest = text.slice(first.length);
  const [next = ""] = others;
  if (others.length <= 1) return rest.endsWith(next) ? [[rest.slice(0, rest.length - next.length)]] : [];
  const ways: string[][] = [];
  for (let end = rest.indexOf(next); end !== -1; end = rest.indexOf(next, end + 1))
    ways.push(...listParts(rest.slice(end), others).map((parts) => [rest.slice(0, end), ...parts]));
  return ways;
}

/** Returns the ways in which a pattern without groups consists of patterns of parts, with these texts around them. */
function listPatternParts(pattern: string, literals: Literals): string[][] {
  const body = readBody(pattern);
  if (body === undefined) return [];
  const units = [...body.matchAll(UNIT)].map(([unit]) => unit);
  const divide = (start: number, [first = "", ...others]: Literals): string[][] => {
    const begin = skipLiteral(units, start, first);
    if (begin === undefined) return [];
    const [next = ""] = others;
    const ways: string[][] = [];
    for (let end = begin; end <= units.length && ways.length <= MAX_WAYS; end++) {
      const part = units.slice(begin, end).join("");
      if (others.length > 1) ways.push(...divide(end, others).map((parts) => [part, ...parts]));
      else if (skipLiteral(units, end, next) === units.length) ways.push([part]);
    }
    return ways;
  };
  return divide(0, literals);
}

/** Returns the position behind a fixed text in a pattern; undefined if it does not stand there. */
function skipLiteral(units: readonly string[], start: number, literal: string): number | undefined {
  const characters = [...literal];
  const stands = characters.every((character, index) => {
    const unit = units[start + index];
    return /[\\^$.[]/.test(character)
      ? unit === `\\${character}`
      : unit === character || (/\W/.test(character) && unit === `\\${character}`);
  });
  return stands ? start + characters.length : undefined;
}

function escapeInClass(text: string): string {
  return text.replace(/[\\\]^-]/g, "\\$&");
}
