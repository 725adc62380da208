/**
 * Is there a string that all of some patterns match and none of others? The product of the automata is explored
 * breadth first and determinised on the way, so no complement is ever built and the first word found is a shortest
 * one.
 */

import type { Budget } from "../budget.js";
import { type CharClass, divide } from "./alphabet.js";
import type { Nfa } from "./nfa.js";
import { MATCHED, Runner } from "./runner.js";
import { type Trie, trieOf } from "./trie.js";

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

/** A word and where it leads each automaton. */
interface Reached {
  readonly states: readonly number[];
  readonly length: number;
  readonly char: number;
  readonly parent: Reached | undefined;
  /** Where the word leads among the excluded words, as long as one of them begins with it. */
  readonly excluded: Trie | undefined;
}

/** Searches a shortest string of `min` to `max` code points that satisfies every condition and is not excluded. */
export function findWord(
  conditions: readonly Condition[],
  length: { readonly min: number; readonly max: number },
  excluded: ReadonlySet<string>,
  budget: Budget,
): WordResult {
  const search = new WordSearch(conditions, length, excluded, budget);
  // The characters of an excluded word are told apart from all others, so that its neighbours are not excluded too.
  const alone = new Set(
    [...excluded].flatMap((word) => Array.from(word, (char) => char.codePointAt(0) ?? 0)),
  );
  const sets = conditions.flatMap(({ nfa }) => nfa.sets);
  const classes = divide(sets, alone, budget);
  const plain = classes.filter((each) => !each.exotic);
  const word = search.run(plain);
  if (word !== undefined) return { is: "word", word };
  if (plain.length === classes.length) return { is: "none" };
  return { is: search.run(classes) === undefined ? "none" : "exotic" };
}

class WordSearch {
  private readonly runners: readonly Runner[];
  private readonly excluded: Trie;

  constructor(
    private readonly conditions: readonly Condition[],
    private readonly length: { readonly min: number; readonly max: number },
    excluded: ReadonlySet<string>,
    private readonly budget: Budget,
  ) {
    this.runners = conditions.map(({ nfa }) => new Runner(nfa, budget));
    this.excluded = trieOf(excluded, budget);
  }

  /** A shortest word over the classes. */
  run(classes: readonly CharClass[]): string | undefined {
    const start: Reached = {
      states: this.runners.map(() => 0),
      length: 0,
      char: -1,
      parent: undefined,
      excluded: this.excluded,
    };
    const seen = new Set<string>();
    const queue = [start];
    for (let at = queue[0], i = 0; at; at = queue[++i]) {
      this.budget.spend(1 + this.runners.length);
      if (this.isWanted(at)) return spell(at);
      if (at.length >= this.length.max) continue;
      for (const { char } of classes) {
        this.budget.spend();
        const next = this.step(at, char);
        const key = next && this.key(next);
        if (!next || key === undefined || seen.has(key)) continue;
        seen.add(key);
        queue.push(next);
      }
    }
    return undefined;
  }

  private isWanted(at: Reached): boolean {
    if (at.length < this.length.min) return false;
    const matched = this.runners.map((runner, r) => runner.accepts(at.states[r] ?? 0));
    return matched.every((each, r) => each === this.conditions[r]?.positive) && !at.excluded?.isEnd;
  }

  /** The word with one more character; undefined when no word that begins so is wanted. */
  private step(at: Reached, char: number): Reached | undefined {
    const states: number[] = [];
    for (const [r, runner] of this.runners.entries()) {
      const state = runner.step(at.states[r] ?? 0, char);
      if (this.conditions[r]?.positive ? runner.isDead(state) : state === MATCHED) return undefined;
      states.push(state);
    }
    return { states, length: at.length + 1, char, parent: at, excluded: at.excluded?.next.get(char) };
  }

  /** Equal where every continuation has the same verdict. */
  private key({ states, length, excluded }: Reached): string {
    return `${Math.min(length, this.length.min)} ${states.join(" ")} ${excluded?.id}`;
  }
}

function spell(at: Reached): string {
  const chars: number[] = [];
  for (let step: Reached | undefined = at; step?.parent; step = step.parent) chars.push(step.char);
  return chars
    .reverse()
    .map((char) => String.fromCodePoint(char))
    .join("");
}
