/**
 * Is there a string that all of some patterns match and none of others? The product of the automata is explored
 * breadth first and determinised on the way, so no complement is ever built and the first word found is a shortest
 * one.
 */
import { CharSet } from "refa";
import { type CharClass, divide, memberOf } from "./alphabet.js";
import type { Budget } from "./budget.js";
import type { Nfa } from "./nfa.js";

/** One pattern of the question: the words it matches, or the words it does not. */
export interface Condition {
  readonly nfa: Nfa;
  readonly positive: boolean;
}

/** What a search for a word ends in. `exotic`: only words with lone surrogates exist. */
export type WordResult =
  | { readonly is: "word"; readonly word: string }
  | { readonly is: "none" }
  | { readonly is: "exotic" };

const MATCHED = "!";
const START = -1;

/** An automaton determinised lazily; a state is the text of its set of positions, or `MATCHED`. */
class Runner {
  private readonly steps = new Map<string, string>();
  private readonly ends = new Map<string, boolean>();
  private readonly members: ((char: number) => boolean)[];

  constructor(
    readonly condition: Condition,
    private readonly budget: Budget,
  ) {
    this.members = condition.nfa.sets.map(memberOf);
  }

  /** Where reading `char` leads; `previous` is the character before, START at the beginning. */
  step(state: string, previous: number, char: number): string {
    if (state === MATCHED) return MATCHED;
    const before = this.before(previous);
    const key = `${state}|${before}|${char}`;
    let result = this.steps.get(key);
    if (result === undefined) {
      result = this.read(state, before, char);
      this.steps.set(key, result);
    }
    return result;
  }

  /** Whether a string that ends in this state satisfies the condition. */
  accepts(state: string, previous: number): boolean {
    const before = this.before(previous);
    const key = `${state}|${before}`;
    let matched = this.ends.get(key);
    if (matched === undefined) {
      matched = state === MATCHED || this.closure(state, before, undefined).has(this.condition.nfa.accept);
      this.ends.set(key, matched);
    }
    return matched === this.condition.positive;
  }

  /** Whether no continuation can change a verdict that is against us. */
  dead(state: string): boolean {
    return state === MATCHED && !this.condition.positive;
  }

  before(previous: number): number {
    return this.condition.nfa.looksBehind ? previous : START;
  }

  private read(state: string, previous: number, char: number): string {
    const reached = this.closure(state, previous, char);
    if (reached.has(this.condition.nfa.accept)) return MATCHED;
    const next = new Set<number>();
    for (const at of reached) {
      for (const edge of this.condition.nfa.edges[at] ?? []) {
        if (edge.is === "char" && this.members[edge.set]?.(char)) next.add(edge.to);
      }
    }
    next.add(0); // the search may begin anywhere
    return [...next].sort((a, b) => a - b).join(",");
  }

  private closure(state: string, previous: number, next: number | undefined): Set<number> {
    const reached = new Set(state.split(",").map(Number));
    this.budget.spend(reached.size >> 1);
    for (const at of reached) {
      for (const edge of this.condition.nfa.edges[at] ?? []) {
        if (edge.is === "empty") reached.add(edge.to);
        else if (edge.is !== "char") {
          const char = edge.is === "next" ? next : previous === START ? undefined : previous;
          const holds = char !== undefined && (this.members[edge.set]?.(char) ?? false);
          if (holds !== edge.negate) reached.add(edge.to);
        }
      }
    }
    return reached;
  }
}

interface Reached {
  readonly states: readonly string[];
  readonly length: number;
  readonly char: number;
  readonly parent: Reached | undefined;
}

/** Whether the automaton matches a string. */
export function accepts(nfa: Nfa, text: string, budget: Budget): boolean {
  const runner = new Runner({ nfa, positive: true }, budget);
  let [state, previous] = ["0", START];
  for (const each of text) {
    const char = each.codePointAt(0) ?? 0;
    state = runner.step(state, previous, char);
    previous = char;
  }
  return runner.accepts(state, previous);
}

/** Searches a shortest string of `min` to `max` code points that satisfies every condition and is not excluded. */
export function findWord(
  conditions: readonly Condition[],
  length: { readonly min: number; readonly max: number },
  excluded: ReadonlySet<string>,
  budget: Budget,
): WordResult {
  const runners = conditions.map((condition) => new Runner(condition, budget));
  const classes = divideFor(conditions, excluded);
  const plain = classes.filter((each) => !each.exotic);
  const word = explore(runners, plain, length, excluded, budget);
  if (word !== undefined) return { is: "word", word };
  if (plain.length === classes.length) return { is: "none" };
  const any = explore(runners, classes, length, excluded, budget);
  return any === undefined ? { is: "none" } : { is: "exotic" };
}

function divideFor(conditions: readonly Condition[], excluded: ReadonlySet<string>): readonly CharClass[] {
  // The characters of an excluded word are told apart from all others, so that its neighbours are not excluded too.
  const own = [...new Set([...excluded].join(""))].map((text) => {
    const char = text.codePointAt(0) ?? 0;
    return CharSet.fromRange(0x10ffff, { min: char, max: char });
  });
  return divide([...conditions.flatMap(({ nfa }) => nfa.sets), ...own]);
}

function explore(
  runners: readonly Runner[],
  classes: readonly CharClass[],
  length: { readonly min: number; readonly max: number },
  excluded: ReadonlySet<string>,
  budget: Budget,
): string | undefined {
  const start: Reached = { states: runners.map(() => "0"), length: 0, char: START, parent: undefined };
  const seen = new Set<string>();
  const queue = [start];
  for (let i = 0; i < queue.length; i++) {
    const at = queue[i] ?? start;
    budget.spend(1 + runners.length);
    if (
      at.length >= length.min &&
      runners.every((runner, r) => runner.accepts(at.states[r] ?? "", at.char))
    ) {
      const word = spell(at);
      if (!excluded.has(word)) return word;
    }
    if (at.length >= length.max) continue;
    for (const { char } of classes) {
      const states = runners.map((runner, r) => runner.step(at.states[r] ?? "", at.char, char));
      budget.spend(1);
      if (states.some((state, r) => runners[r]?.dead(state))) continue;
      const next: Reached = { states, length: at.length + 1, char, parent: at };
      const key = stateKey(next, runners, length.min, excluded);
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push(next);
    }
  }
  return undefined;
}

/** States are the same when every continuation has the same verdict: as long as it may still be an excluded word,
 * the word itself is part of the state. */
function stateKey(
  at: Reached,
  runners: readonly Runner[],
  min: number,
  excluded: ReadonlySet<string>,
): string {
  const word = excluded.size > 0 ? spell(at) : "";
  const prefix = word !== "" && [...excluded].some((other) => other.startsWith(word)) ? word : "";
  const before = runners.map((runner) => runner.before(at.char)).join(",");
  return `${Math.min(at.length, min)} ${before} ${at.states.join(" ")} ${prefix}`;
}

function spell(at: Reached): string {
  const chars: number[] = [];
  for (let step: Reached | undefined = at; step?.parent; step = step.parent) chars.push(step.char);
  return chars
    .reverse()
    .map((char) => String.fromCodePoint(char))
    .join("");
}
