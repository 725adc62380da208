/**
 * The meaning of a `pattern`: a search, unanchored, over code points (u mode). A look-ahead right after `^` is split off
 * as a pattern of its own, since `^(?=X)Y` is the conjunction of `^X` and `^Y`.
 */
import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import { parsePattern, toUnicodeSource } from "../../regex/parse-pattern.js";
import { Unsupported } from "../budget.js";

/** A part of a pattern; a string must match it, or must not. */
interface PatternPart {
  readonly source: string;
  readonly negate: boolean;
  /** How many characters the string must have, in addition. */
  readonly size?: { readonly min: number; readonly max: number };
}

/** Facts that can be read from the text of a pattern in u mode. */
interface PatternSyntax {
  readonly regExp: RegExp;
  /** The pattern split at the look-aheads that follow its `^`, or from a large count of its characters; else whole. */
  readonly parts: readonly PatternPart[];
  /** The patterns of which one must match; the pattern alone where a backreference may lead from one into another. */
  readonly alternatives: readonly string[];
  /** Whether it refers to the text that one of its groups has matched. */
  readonly hasBackreference: boolean;
  /** Whether it is a choice between sequences of characters: without groups, look-arounds and repetitions. */
  readonly isPlain: boolean;
}

/** A repetition of more than this is decided by counting, not by an automaton. */
const MOST_REPEATED = 100;
const MOST_KEPT = 2_000;
const cache = new Map<string, PatternSyntax>();

/** Returns the facts about a pattern, kept for the next question about it; throws `Unsupported` where it is not one in any mode. */
export function patternSyntax(source: string): PatternSyntax {
  const kept = cache.get(source);
  if (kept) return kept;
  const made = readSyntax(unicodeSource(source));
  if (cache.size >= MOST_KEPT) cache.clear();
  cache.set(source, made);
  return made;
}

/** Returns the text of the pattern in u mode; throws `Unsupported` where there is none. */
export function unicodeSource(source: string): string {
  const spelled = toUnicodeSource(source);
  if (spelled !== undefined) return spelled;
  throw new Unsupported(`the pattern ${JSON.stringify(source)} is not a regular expression in u mode`);
}

function readSyntax(source: string): PatternSyntax {
  const regExp = new RegExp(source, "u");
  const pattern = parsePattern(source, "u")?.pattern;
  const whole = [{ source, negate: false }];
  if (!pattern)
    return { regExp, parts: whole, alternatives: [source], hasBackreference: true, isPlain: false };
  const found = new Set<"backreference" | "group">();
  visitRegExpAST(pattern, {
    onBackreferenceEnter: () => void found.add("backreference"),
    onGroupEnter: () => void found.add("group"),
    onCapturingGroupEnter: () => void found.add("group"),
    onQuantifierEnter: () => void found.add("group"),
    onAssertionEnter: (assertion) => void ("alternatives" in assertion && found.add("group")),
  });
  const hasBackreference = found.has("backreference");
  const alternatives = hasBackreference ? [source] : pattern.alternatives.map(({ raw }) => raw);
  const [only, ...others] = hasBackreference ? [] : pattern.alternatives;
  const parts = only && others.length === 0 ? (countedPart(only) ?? splitLookaheads(only)) : whole;
  return { regExp, parts, alternatives, hasBackreference, isPlain: !found.has("group") };
}

/** Returns the look-aheads that follow `^`, and the rest of the pattern. */
function splitLookaheads({ raw, start, elements: [first, ...elements] }: AST.Alternative): PatternPart[] {
  const whole = [{ source: raw, negate: false }];
  if (!isEdge(first, "start")) return whole;
  const others = elements.findIndex((each) => each.type !== "Assertion" || each.kind !== "lookahead");
  const lookaheads = elements.slice(0, others < 0 ? undefined : others) as AST.LookaheadAssertion[];
  const last = lookaheads.at(-1);
  if (!last) return whole;
  const rest = raw.slice(last.end - start);
  return [
    ...lookaheads.map(({ alternatives, negate }) => {
      const choice = alternatives.map((alternative) => alternative.raw).join("|");
      return { source: `^(?:${choice})`, negate };
    }),
    ...(rest === "" ? [] : [{ source: `^${rest}`, negate: false }]),
  ];
}

/** Returns the part of a pattern that only counts characters of one kind, such as `^[a-z]{1000}$`; undefined for others. */
function countedPart({ elements: [first, repeated, last, ...more] }: AST.Alternative) {
  if (!isEdge(first, "start") || !isEdge(last, "end") || more.length > 0) return undefined;
  if (repeated?.type !== "Quantifier" || !repeated.greedy || !repeated.raw.endsWith("}")) return undefined;
  const { element, min, max } = repeated;
  if (element.type !== "CharacterClass" && element.type !== "CharacterSet") return undefined;
  if (Math.max(min, Number.isFinite(max) ? max : 0) <= MOST_REPEATED) return undefined;
  return [{ source: `^${element.raw}*$`, negate: false, size: { min, max } }];
}

function isEdge(element: AST.Element | undefined, kind: "start" | "end"): boolean {
  return element?.type === "Assertion" && element.kind === kind;
}

/** Returns the length of a text as JSON Schema counts it. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
