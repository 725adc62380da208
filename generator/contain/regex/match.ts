/** Whether a pattern matches, in bounded time whatever the pattern. */

import { type Budget, Unsupported } from "../budget.js";
import { isCheap } from "./backtracking.js";
import { automaton, literalAutomaton, type Nfa } from "./nfa.js";
import { alternatives, countCodePoints, isPlain, regExp, splitPattern } from "./pattern.js";
import { Runner } from "./runner.js";

/** How many steps the backtracking matcher of the language is trusted with. */
const MOST_BACKTRACKING = 200_000;
/** The same for a choice between words, which is tried word by word at each position. */
const MOST_PLAIN = 5_000_000;
const MOST_KEPT = 10_000;
const LONGEST_KEPT = 200;

interface Answer {
  readonly matched: boolean;
  /** What the answer cost. */
  readonly steps: number;
}

const answers = new Map<string, Answer>();

/**
 * Whether the pattern matches somewhere in the text: by RegExp, or by its automaton where RegExp may take too long.
 * Throws `Unsupported` where that is so and the pattern has no automaton. An answer that is remembered costs the same.
 */
export function matches(source: string, text: string, budget: Budget): boolean {
  if (text.length > LONGEST_KEPT) return ask(source, text, budget).matched;
  const key = `${budget.limits.maxNodes} ${text.length} ${text}${source}`;
  const known = answers.get(key);
  if (known) {
    budget.spend(known.steps);
    return known.matched;
  }
  const answer = ask(source, text, budget);
  if (answers.size >= MOST_KEPT) answers.clear();
  answers.set(key, answer);
  return answer.matched;
}

function ask(source: string, text: string, budget: Budget): Answer {
  const before = budget.spent;
  const matched = decide(source, text, budget);
  return { matched, steps: budget.spent - before };
}

function decide(source: string, text: string, budget: Budget): boolean {
  const [part] = splitPattern(source);
  if (part?.size) {
    budget.spend(text.length >> 8);
    const length = countCodePoints(text);
    return length >= part.size.min && length <= part.size.max && decide(part.source, text, budget);
  }
  if (isPlain(source) && source.length * (text.length + 1) < MOST_PLAIN) {
    budget.spend(1 + ((source.length * (text.length + 1)) >> 7));
    return regExp(source).test(text);
  }
  const { maxNodes } = budget.limits;
  const literal = literalAutomaton(source, maxNodes);
  if (literal && isCheap(literal, text, MOST_BACKTRACKING, budget)) return regExp(source).test(text);
  const nfa = automaton(source, maxNodes);
  if (nfa?.exact) return accepts(nfa, text, budget);
  const choices = nfa ? [] : alternatives(source);
  if (choices.length > 1) return choices.some((choice) => matches(choice, text, budget));
  throw new Unsupported(`the pattern ${JSON.stringify(source.slice(0, 100))} may take too long`);
}

/** Whether the automaton finds its pattern somewhere in the text. */
export function accepts(nfa: Nfa, text: string, budget: Budget): boolean {
  const runner = new Runner(nfa, budget);
  let state = 0;
  for (const each of text) {
    budget.spend();
    state = runner.step(state, each.codePointAt(0) ?? 0);
  }
  return runner.accepts(state);
}
