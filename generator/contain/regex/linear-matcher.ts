/** Turns patterns on which a backtracking matcher is slow into tables with which each character of a text is read once. */
import type { CharSet } from "refa";
import { Budget, DEFAULT_LIMITS, LimitError } from "../budget.js";
import { findSlowTexts } from "./find-slow-text.js";
import { LazyDfa, MATCHED } from "./lazy-dfa.js";
import { getAutomaton, type Nfa } from "./nfa.js";

/**
 * A deterministic automaton over code points: the first characters of ranges, in ascending order; the class of the characters of
 * each range; for each state the next one for each class, which is `MATCHED` if the pattern matches, whatever follows, and `DEAD`
 * if it cannot; for each state 1 if the pattern matches a text that ends there. The first state is the initial one.
 */
export type LinearMatcher = readonly [
  starts: readonly number[],
  classes: readonly number[],
  steps: readonly (readonly number[])[],
  accepting: readonly (0 | 1)[],
];

const DEAD = -2;

/** The greatest size of tables. */
interface TableLimits {
  readonly maxStates: number;
  /** The greatest number of steps in the table. */
  readonly maxTable: number;
  readonly maxSearchSteps: number;
}

const MAX_NFA_STATES = 3_000;
const DEFAULT_TABLE_LIMITS: TableLimits = {
  maxStates: 1_000,
  maxTable: 20_000,
  maxSearchSteps: DEFAULT_LIMITS.maxSteps,
};

const matchers = new Map<string, LinearMatcher | undefined>();

/**
 * Returns a matcher with the meaning of the pattern if a backtracking matcher may be slow on it. Undefined if it is fast on all
 * texts, or if the table would be too large.
 */
export function findLinearMatcher(source: string): LinearMatcher | undefined {
  if (!matchers.has(source))
    matchers.set(source, findSlowTexts(source) === "none" ? undefined : createLinearMatcher(source));
  return matchers.get(source);
}

/** Returns the automaton of a pattern as tables; undefined if it is too large, or if it has a backreference. */
export function createLinearMatcher(
  source: string,
  tableLimits = DEFAULT_TABLE_LIMITS,
): LinearMatcher | undefined {
  const nfa = getAutomaton(source, MAX_NFA_STATES);
  if (!nfa?.isExact) return undefined;
  // Only steps end the search, so that the answer does not depend on the machine.
  const limits = {
    ...DEFAULT_LIMITS,
    maxSteps: tableLimits.maxSearchSteps,
    timeoutMs: Number.POSITIVE_INFINITY,
  };
  try {
    return fillTables(nfa, new LazyDfa(nfa, new Budget(limits)), tableLimits);
  } catch (error) {
    if (error instanceof LimitError) return undefined;
    throw error;
  }
}

function fillTables(nfa: Nfa, dfa: LazyDfa, { maxStates, maxTable }: TableLimits): LinearMatcher | undefined {
  const { starts, classes, members } = divideCharacters(nfa);
  const numbers = new Map([[0, 0]]);
  const steps: number[][] = [];
  const accepting: (0 | 1)[] = [];
  for (const state of numbers.keys()) {
    if (numbers.size > maxStates || numbers.size * members.length > maxTable) return undefined;
    accepting.push(dfa.accepts(state) ? 1 : 0);
    steps.push(
      members.map((char) => {
        const next = dfa.step(state, char);
        if (next === MATCHED) return MATCHED;
        if (dfa.isDead(next)) return DEAD;
        const number = numbers.get(next) ?? numbers.size;
        numbers.set(next, number);
        return number;
      }),
    );
  }
  return [starts, classes, steps, accepting];
}

/** Returns the ranges of characters that the automaton distinguishes, and one member of each class. */
function divideCharacters({ sets, members: tests }: Nfa) {
  const starts: number[] = [];
  const classes: number[] = [];
  const members: number[] = [];
  const numbers = new Map<string, number>();
  for (const start of listBoundaries(sets)) {
    const key = tests.map((has) => (has(start) ? "+" : "-")).join("");
    const known = numbers.get(key);
    const number = known ?? members.push(start) - 1;
    numbers.set(key, number);
    if (classes.at(-1) === number) continue;
    starts.push(start);
    classes.push(number);
  }
  return { starts, classes, members };
}

function listBoundaries(sets: readonly CharSet[]): number[] {
  const boundaries = new Set([0]);
  for (const { ranges } of sets) for (const { min, max } of ranges) boundaries.add(min).add(max + 1);
  boundaries.delete(0x110000);
  return [...boundaries].sort((a, b) => a - b);
}
