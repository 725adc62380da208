/**
 * Reads facts from the text of a `pattern` in u mode, in which a character is a code point. A look-ahead directly after `^`
 * becomes a pattern of its own, because `^(?=X)Y` is the conjunction of `^X` and `^Y`.
 */
import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import { parsePattern, toUnicodeSource } from "../../regex/parse-pattern.js";
import { UnsupportedSchema } from "../budget.js";

/** A part of a pattern, which a string must match, or must not match if `negate` is set. */
interface PatternPart {
  readonly source: string;
  readonly negate: boolean;
  /** The number of characters that the string must have, too. */
  readonly size?: { readonly min: number; readonly max: number };
}

/** Facts that can be read from the text of a pattern in u mode. */
interface PatternSyntax {
  readonly regExp: RegExp;
  /**
   * The parts that a string must match: the look-aheads after `^` and the rest of the pattern, or a class of characters with
   * their number, or the whole pattern.
   */
  readonly parts: readonly PatternPart[];
  /** The patterns of which one must match. It is only the whole pattern if a backreference may refer to another alternative. */
  readonly alternatives: readonly string[];
  /** True if the pattern refers to the text that one of its groups has matched. */
  readonly hasBackreference: boolean;
  /** True if the pattern is a choice between sequences of characters, without groups, look-arounds and repetitions. */
  readonly isPlain: boolean;
}

/** Characters of a repetition that is larger than this are counted, because its automaton would be too large. */
const MAX_REPETITIONS = 100;
const MAX_CACHED = 2_000;
const cache = new Map<string, PatternSyntax>();

/** Returns the facts about a pattern. Throws `UnsupportedSchema` if it is not a regular expression. Uses a cache. */
export function getPatternSyntax(source: string): PatternSyntax {
  const cachedSyntax = cache.get(source);
  if (cachedSyntax) return cachedSyntax;
  const syntax = analyzePattern(requireUnicodeSource(source));
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(source, syntax);
  return syntax;
}

/** Returns the pattern as it is written in u mode. Throws `UnsupportedSchema` if it cannot be written so. */
export function requireUnicodeSource(source: string): string {
  const unicodeSource = toUnicodeSource(source);
  if (unicodeSource !== undefined) return unicodeSource;
  throw new UnsupportedSchema(`the pattern ${JSON.stringify(source)} is not a regular expression in u mode`);
}

function analyzePattern(source: string): PatternSyntax {
  const regExp = new RegExp(source, "u");
  const pattern = parsePattern(source, "u")?.pattern;
  const singlePart = [{ source, negate: false }];
  if (!pattern)
    return { regExp, parts: singlePart, alternatives: [source], hasBackreference: true, isPlain: false };
  let hasBackreference = false;
  let isPlain = true;
  const markNotPlain = (): void => {
    isPlain = false;
  };
  visitRegExpAST(pattern, {
    onBackreferenceEnter: () => {
      hasBackreference = true;
    },
    onGroupEnter: markNotPlain,
    onCapturingGroupEnter: markNotPlain,
    onQuantifierEnter: markNotPlain,
    onAssertionEnter: (assertion) => {
      if ("alternatives" in assertion) isPlain = false;
    },
  });
  const alternatives = hasBackreference ? [source] : pattern.alternatives.map(({ raw }) => raw);
  const [only, ...others] = hasBackreference ? [] : pattern.alternatives;
  const parts = only && others.length === 0 ? (splitCount(only) ?? splitLookaheads(only)) : singlePart;
  return { regExp, parts, alternatives, hasBackreference, isPlain };
}

/** Returns the look-aheads that follow `^`, and the rest of the pattern. */
function splitLookaheads({ raw, start, elements: [first, ...elements] }: AST.Alternative): PatternPart[] {
  const singlePart = [{ source: raw, negate: false }];
  if (!isAnchor(first, "start")) return singlePart;
  const isLookahead = (element: AST.Element) => element.type === "Assertion" && element.kind === "lookahead";
  const end = elements.findIndex((element) => !isLookahead(element));
  const lookaheads = elements.slice(0, end < 0 ? undefined : end) as AST.LookaheadAssertion[];
  const last = lookaheads.at(-1);
  if (!last) return singlePart;
  const rest = raw.slice(last.end - start);
  return [
    ...lookaheads.map(({ alternatives, negate }) => {
      const choice = alternatives.map((alternative) => alternative.raw).join("|");
      return { source: `^(?:${choice})`, negate };
    }),
    ...(rest === "" ? [] : [{ source: `^${rest}`, negate: false }]),
  ];
}

/** Splits a pattern that only counts characters of one class, such as `^[a-z]{1000}$`; returns undefined for any other. */
function splitCount({ elements: [first, repeated, last, ...more] }: AST.Alternative) {
  if (!isAnchor(first, "start") || !isAnchor(last, "end") || more.length > 0) return undefined;
  if (repeated?.type !== "Quantifier" || !repeated.greedy || !repeated.raw.endsWith("}")) return undefined;
  const { element, min, max } = repeated;
  if (element.type !== "CharacterClass" && element.type !== "CharacterSet") return undefined;
  if (Math.max(min, Number.isFinite(max) ? max : 0) <= MAX_REPETITIONS) return undefined;
  return [{ source: `^${element.raw}*$`, negate: false, size: { min, max } }];
}

function isAnchor(element: AST.Element | undefined, kind: "start" | "end"): boolean {
  return element?.type === "Assertion" && element.kind === kind;
}

/** Returns the length of a text as JSON Schema counts it. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
