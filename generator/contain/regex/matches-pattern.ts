/** Whether a pattern matches, in bounded time whatever the pattern. */
import { type Budget, Unsupported } from "../budget.js";
import { isCheapToBacktrack } from "./backtracking.js";
import { LazyDfa } from "./lazy-dfa.js";
import { automaton, literalAutomaton, type Nfa } from "./nfa.js";
import { countCodePoints, patternSyntax } from "./pattern-syntax.js";

/** RegExp, which backtracks, is used for at most so many steps. */
const MOST_BACKTRACKING = 200_000;
/** The same for a choice between words, which RegExp tries word by word at each position. */
const MOST_PLAIN = 5_000_000;
const MOST_KEPT = 10_000;
const LONGEST_KEPT = 200;

interface Answer {
  readonly matched: boolean;
  /** How many steps of the budget the answer cost. */
  readonly steps: number;
}

const answers = new Map<string, Answer>();

/**
 * Returns whether the pattern matches somewhere in the text: by RegExp, or by its automaton where RegExp may take too long.
 * Throws `Unsupported` where that is so and the pattern has no automaton. A cached answer costs the same steps.
 */
export function matchesPattern(source: string, text: string, budget: Budget): boolean {
  if (text.length > LONGEST_KEPT) return match(source, text, budget);
  const key = `${budget.limits.maxNodes} ${text.length} ${text}${source}`;
  const known = answers.get(key);
  if (known) {
    budget.spend(known.steps);
    return known.matched;
  }
  const before = budget.spent;
  const matched = match(source, text, budget);
  if (answers.size >= MOST_KEPT) answers.clear();
  answers.set(key, { matched, steps: budget.spent - before });
  return matched;
}

function match(source: string, text: string, budget: Budget): boolean {
  const { parts, isPlain, regExp, alternatives } = patternSyntax(source);
  const [part] = parts;
  if (part?.size) {
    budget.spend(text.length >> 8);
    const length = countCodePoints(text);
    return length >= part.size.min && length <= part.size.max && match(part.source, text, budget);
  }
  if (isPlain && source.length * (text.length + 1) < MOST_PLAIN) {
    budget.spend(1 + ((source.length * (text.length + 1)) >> 7));
    return regExp.test(text);
  }
  const { maxNodes } = budget.limits;
  const literal = literalAutomaton(source, maxNodes);
  if (literal && isCheapToBacktrack(literal, text, MOST_BACKTRACKING, budget)) return regExp.test(text);
  const nfa = automaton(source, maxNodes);
  if (nfa?.exact) return accepts(nfa, text, budget);
  if (!nfa && alternatives.length > 1)
    return alternatives.some((alternative) => matchesPattern(alternative, text, budget));
  throw new Unsupported(`the pattern ${JSON.stringify(source.slice(0, 100))} may take too long`);
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
