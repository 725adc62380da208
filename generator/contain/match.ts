import { Budget, DEFAULT_LIMITS, Exhausted } from "./budget.js";
import { automaton } from "./nfa.js";
import { mayExplode, regExp } from "./pattern.js";
import { accepts } from "./words.js";

/** Longer strings are kept from backtracking matchers where a pattern may explode. */
const LONG = 24;

/** Whether a pattern matches somewhere in a string, in time that is bounded whatever the pattern. */
export function matches(source: string, text: string): boolean {
  if (text.length <= LONG || !mayExplode(source)) return regExp(source).test(text);
  const nfa = automaton(source, DEFAULT_LIMITS.maxNodes);
  if (!nfa) throw new Exhausted(`the pattern ${JSON.stringify(source)} may take for ever`);
  return accepts(nfa, text, new Budget(DEFAULT_LIMITS));
}

/** Whether a string of the value is too long for the patterns, one of which may explode. */
export function isRisky(strings: Iterable<string>, patterns: readonly string[]): boolean {
  for (const text of strings) if (text.length > LONG) return patterns.some(mayExplode);
  return false;
}
