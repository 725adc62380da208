/** Is there a string that satisfies sizeRange, patterns and lists, or their complements? */

import { includesSorted } from "../binary-search.js";
import { type Budget, Unsupported } from "../budget.js";
import type { Atom } from "../formula.js";
import { findWord } from "../regex/find-word.js";
import { matchesPattern } from "../regex/matches-pattern.js";
import { automaton } from "../regex/nfa.js";
import { countCodePoints } from "../regex/pattern-syntax.js";
import { EMPTY, found, type Outcome, unknown } from "./outcome.js";

/** An atom about strings, or its complement. */
interface StringLiteral {
  readonly atom: Atom & { readonly on: "string" };
  readonly positive: boolean;
}

/** For longer words, a first search finds out whether there are words of any length. */
const LONG = 100;
const LONGEST = 50_000;
const NONE: ReadonlySet<string> = new Set();

/** Returns a shortest string of which all the literals hold; one of `hints` where no automaton represents a pattern. */
export function solveStrings(
  literals: readonly StringLiteral[],
  hints: readonly string[],
  budget: Budget,
): Outcome {
  const holds = (text: string) => literals.every((literal) => stringLiteralHolds(literal, text, budget));
  const among = literals.flatMap(({ atom, positive }) =>
    atom.is === "enum" && positive ? [atom.values] : [],
  );
  const [list] = among.sort((a, b) => a.length - b.length);
  if (list) {
    budget.spend(1 + ((list.length * literals.length) >> 2));
    const text = [...list].sort((a, b) => a.length - b.length).find(holds);
    return text === undefined ? EMPTY : found(text);
  }
  const length = sizeRange(literals);
  if (length.min > length.max) return EMPTY;
  const excluded = new Set(literals.flatMap(({ atom }) => (atom.is === "enum" ? atom.values : [])));
  const { conditions, opaque } = conditionsOf(literals, budget.limits.maxNodes);
  if (conditions.length === 0 && !opaque && length.min > LONG && length.min <= LONGEST)
    return found(longText(length.min, excluded, budget));
  if (length.min > LONG) {
    const shorter = findWord(conditions, { min: 0, max: length.max }, NONE, budget);
    if (shorter.is === "none") return EMPTY;
    if (length.min > LONGEST) return unknown(`a string of ${length.min} characters`);
  }
  const result = findWord(conditions, length, excluded, budget);
  if (result.is === "none") return EMPTY;
  if (result.is === "only surrogates") return unknown("only strings with lone surrogates are left");
  const word = [result.word, ...(opaque ? hints : [])].find((text) => holdsIfKnown(holds, text));
  return word === undefined ? unknown(opaque ?? "the word found does not match") : found(word);
}

function holdsIfKnown(holds: (text: string) => boolean, text: string): boolean {
  try {
    return holds(text);
  } catch (error) {
    if (error instanceof Unsupported) return false;
    throw error;
  }
}

/** Returns a string of `length` characters that is not excluded: as many differ in their ends as are needed. */
function longText(length: number, excluded: ReadonlySet<string>, budget: Budget): string {
  for (let n = 0; ; n++) {
    budget.spend(1 + (length >> 8));
    const end = n.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
    const text = "a".repeat(length - end.length) + end;
    if (!excluded.has(text)) return text;
  }
}

/** Returns whether the literal holds for a string. */
export function stringLiteralHolds({ atom, positive }: StringLiteral, text: string, budget: Budget): boolean {
  budget.spend(text.length >> 8);
  return stringAtom(atom, text, budget) === positive;
}

function stringAtom(atom: StringLiteral["atom"], text: string, budget: Budget): boolean {
  switch (atom.is) {
    case "enum":
      return includesSorted(atom.values, (each) => (each < text ? -1 : each > text ? 1 : 0));
    case "pattern":
      return matchesPattern(atom.source, text, budget);
    case "atLeast":
      return countCodePoints(text) >= atom.count;
    case "atMost":
      return countCodePoints(text) <= atom.count;
  }
}

/** Returns the least and the greatest size that the literals leave. */
export function sizeRange(literals: readonly { readonly atom: Atom; readonly positive: boolean }[]) {
  let min = 0;
  let max = Number.POSITIVE_INFINITY;
  for (const { atom, positive } of literals) {
    if (atom.is !== "atLeast" && atom.is !== "atMost") continue;
    if (atom.is === "atLeast") {
      if (positive) min = Math.max(min, atom.count);
      else max = Math.min(max, atom.count - 1);
    } else if (positive) max = Math.min(max, atom.count);
    else min = Math.max(min, atom.count + 1);
  }
  return { min, max };
}

/** Returns the conditions that automata represent, and the reason if one of them is not exact. */
function conditionsOf(literals: readonly StringLiteral[], maxNodes: number) {
  let opaque: string | undefined;
  const conditions = literals.flatMap(({ atom, positive }) => {
    if (atom.is !== "pattern") return [];
    const nfa = automaton(atom.source, maxNodes);
    if (!nfa?.exact)
      opaque = `the pattern ${JSON.stringify(atom.source)} cannot be represented by an automaton`;
    return nfa && (nfa.exact || positive) ? [{ nfa, positive }] : [];
  });
  return { conditions, opaque };
}
