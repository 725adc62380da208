/** Searches for a string that satisfies limits on its length, patterns and lists of values, or their complements. */
import { includesSorted } from "../binary-search.js";
import { type Budget, UnsupportedSchema } from "../budget.js";
import type { Atom } from "../formula.js";
import { findWord } from "../regex/find-word.js";
import { matchesPattern } from "../regex/matches-pattern.js";
import { getAutomaton } from "../regex/nfa.js";
import { countCodePoints } from "../regex/pattern-syntax.js";
import { createUnknownOutcome, createValueOutcome, EMPTY, type Outcome } from "./outcome.js";

/** An atom about strings, or its complement. */
interface StringLiteral {
  readonly atom: Atom & { readonly type: "string" };
  readonly positive: boolean;
}

/** If the least length is greater, a first search without a least length finds out whether there are any words. */
const LONG_WORD = 100;
const MAX_LENGTH = 50_000;
const NO_WORDS: ReadonlySet<string> = new Set();

/** Searches for a shortest string that satisfies all literals. Tries `hints`, too, if no automaton represents a pattern. */
export function solveStrings(
  literals: readonly StringLiteral[],
  hints: readonly string[],
  budget: Budget,
): Outcome {
  const holds = (text: string) => literals.every((literal) => satisfiesStringLiteral(literal, text, budget));
  const lists = literals.flatMap(({ atom, positive }) =>
    atom.kind === "enum" && positive ? [atom.values] : [],
  );
  // Only the shortest list has to be tried, because every literal must hold.
  const [list] = lists.sort((a, b) => a.length - b.length);
  if (list) {
    budget.spend(1 + ((list.length * literals.length) >> 2));
    const text = [...list].sort((a, b) => a.length - b.length).find(holds);
    return text === undefined ? EMPTY : createValueOutcome(text);
  }
  const length = computeSizeRange(literals);
  if (length.min > length.max) return EMPTY;
  const excludedTexts = new Set(literals.flatMap(({ atom }) => (atom.kind === "enum" ? atom.values : [])));
  const { conditions, inexactReason } = compileConditions(literals, budget.limits.maxStates);
  if (conditions.length === 0 && !inexactReason && length.min > LONG_WORD && length.min <= MAX_LENGTH)
    return createValueOutcome(buildLongText(length.min, excludedTexts, budget));
  if (length.min > LONG_WORD) {
    const anyWord = findWord(conditions, { min: 0, max: length.max }, NO_WORDS, budget);
    if (anyWord.kind === "none") return EMPTY;
    if (length.min > MAX_LENGTH) return createUnknownOutcome(`a string of ${length.min} characters`);
  }
  const result = findWord(conditions, length, excludedTexts, budget);
  if (result.kind === "none") return EMPTY;
  if (result.kind === "only surrogates")
    return createUnknownOutcome("only strings with lone surrogates are left");
  const word = [result.word, ...(inexactReason ? hints : [])].find((text) => holdsIfSupported(holds, text));
  return word === undefined
    ? createUnknownOutcome(inexactReason ?? "the word found does not match")
    : createValueOutcome(word);
}

/** Returns whether the literals hold; false if a pattern is not supported. */
function holdsIfSupported(holds: (text: string) => boolean, text: string): boolean {
  try {
    return holds(text);
  } catch (error) {
    if (error instanceof UnsupportedSchema) return false;
    throw error;
  }
}

/** Returns a string of `length` characters that is not excluded. Tries strings that differ in their last characters. */
function buildLongText(length: number, excluded: ReadonlySet<string>, budget: Budget): string {
  for (let number = 0; ; number++) {
    budget.spend(1 + (length >> 8));
    // The digits of base 26 are 0-9 and a-p. The letters q-z replace 0-9.
    const end = number.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
    const text = "a".repeat(length - end.length) + end;
    if (!excluded.has(text)) return text;
  }
}

/** Returns whether the literal holds for a string. */
export function satisfiesStringLiteral(
  { atom, positive }: StringLiteral,
  text: string,
  budget: Budget,
): boolean {
  budget.spend(text.length >> 8);
  return satisfiesStringAtom(atom, text, budget) === positive;
}

function satisfiesStringAtom(atom: StringLiteral["atom"], text: string, budget: Budget): boolean {
  switch (atom.kind) {
    case "enum":
      return includesSorted(atom.values, (each) => Number(each > text) - Number(each < text));
    case "pattern":
      return matchesPattern(atom.source, text, budget);
    case "atLeast":
      return countCodePoints(text) >= atom.count;
    case "atMost":
      return countCodePoints(text) <= atom.count;
  }
}

/** Returns the least and the greatest size that the literals leave. */
export function computeSizeRange(literals: readonly { readonly atom: Atom; readonly positive: boolean }[]) {
  let min = 0;
  let max = Number.POSITIVE_INFINITY;
  for (const { atom, positive } of literals) {
    if (atom.kind !== "atLeast" && atom.kind !== "atMost") continue;
    if (atom.kind === "atLeast") {
      if (positive) min = Math.max(min, atom.count);
      else max = Math.min(max, atom.count - 1);
    } else if (positive) max = Math.min(max, atom.count);
    else min = Math.max(min, atom.count + 1);
  }
  return { min, max };
}

/** Returns the conditions that automata represent, and a reason if they do not represent all patterns exactly. */
function compileConditions(literals: readonly StringLiteral[], maxStates: number) {
  let inexactReason: string | undefined;
  const conditions = literals.flatMap(({ atom, positive }) => {
    if (atom.kind !== "pattern") return [];
    const nfa = getAutomaton(atom.source, maxStates);
    if (!nfa?.isExact)
      inexactReason = `the pattern ${JSON.stringify(atom.source)} cannot be represented by an automaton`;
    return nfa && (nfa.isExact || positive) ? [{ nfa, positive }] : [];
  });
  return { conditions, inexactReason };
}
