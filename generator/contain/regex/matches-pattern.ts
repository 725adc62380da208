/** Matches patterns in bounded time. */
import { type Budget, UnsupportedSchema } from "../budget.js";
import { isCheapToBacktrack } from "./backtracking.js";
import { LazyDfa } from "./lazy-dfa.js";
import { getAutomaton, getBacktrackingAutomaton, type Nfa } from "./nfa.js";
import { countCodePoints, getPatternSyntax } from "./pattern-syntax.js";

/** RegExp backtracks. It is used only if it takes at most this number of steps. */
const MAX_BACKTRACKING_STEPS = 200_000;
/** The same limit for a plain pattern, a choice between words. RegExp tries each word at each position. */
const MAX_PLAIN_STEPS = 5_000_000;
const MAX_CACHED_ANSWERS = 10_000;
const MAX_CACHED_LENGTH = 200;

/** A cached answer. */
interface Answer {
  readonly matched: boolean;
  /** The number of steps of the budget that the answer cost. */
  readonly steps: number;
}

const answers = new Map<string, Answer>();

/**
 * Returns whether the pattern matches somewhere in the text. Uses RegExp, or the automaton of the pattern if RegExp may take
 * too long. Throws `UnsupportedSchema` if there is no such automaton. A cached answer costs the same number of steps.
 */
export function matchesPattern(source: string, text: string, budget: Budget): boolean {
  if (text.length > MAX_CACHED_LENGTH) return matchUncached(source, text, budget);
  const key = `${budget.limits.maxStates} ${text.length} ${text}${source}`;
  const knownAnswer = answers.get(key);
  if (knownAnswer) {
    budget.spend(knownAnswer.steps);
    return knownAnswer.matched;
  }
  const before = budget.spent;
  const isMatch = matchUncached(source, text, budget);
  if (answers.size >= MAX_CACHED_ANSWERS) answers.clear();
  answers.set(key, { matched: isMatch, steps: budget.spent - before });
  return isMatch;
}

function matchUncached(source: string, text: string, budget: Budget): boolean {
  const { parts, isPlain, regExp, alternatives } = getPatternSyntax(source);
  const [part] = parts;
  if (part?.size) {
    budget.spend(text.length >> 8);
    const length = countCodePoints(text);
    return length >= part.size.min && length <= part.size.max && matchUncached(part.source, text, budget);
  }
  if (isPlain && source.length * (text.length + 1) < MAX_PLAIN_STEPS) {
    budget.spend(1 + ((source.length * (text.length + 1)) >> 7));
    return regExp.test(text);
  }
  const { maxStates } = budget.limits;
  const automaton = getBacktrackingAutomaton(source, maxStates);
  if (automaton && isCheapToBacktrack(automaton, text, MAX_BACKTRACKING_STEPS, budget))
    return regExp.test(text);
  const nfa = getAutomaton(source, maxStates);
  if (nfa?.isExact) return accepts(nfa, text, budget);
  if (!nfa && alternatives.length > 1)
    return alternatives.some((alternative) => matchesPattern(alternative, text, budget));
  throw new UnsupportedSchema(`the pattern ${JSON.stringify(source.slice(0, 100))} may take too long`);
}

/** Returns whether the automaton finds its pattern somewhere in the text. */
export function accepts(nfa: Nfa, text: string, budget: Budget): boolean {
  const dfa = new LazyDfa(nfa, budget);
  let state = 0;
  for (const each of text) {
    budget.spend();
    state = dfa.step(state, each.codePointAt(0) ?? 0);
  }
  return dfa.accepts(state);
}
