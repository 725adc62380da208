/**
 * Is there a string that some patterns match and others do not? The product of the automata is explored breadth first
 * and determinised on the way, so no complement is ever built and the first word found is a shortest one.
 */
import type { Budget } from "../budget.js";
import { type CharClass, partitionAlphabet } from "./alphabet.js";
import { LazyDfa, MATCHED } from "./lazy-dfa.js";
import type { Nfa } from "./nfa.js";

/** One pattern of the question: the words it matches, or the words it does not. */
interface Condition {
  readonly nfa: Nfa;
  readonly positive: boolean;
}

/** The result of a search for a word. `only surrogates`: all such words hold lone surrogates. */
type WordResult =
  | { readonly is: "word"; readonly word: string }
  | { readonly is: "none" }
  | { readonly is: "only surrogates" };

/** A word and where it leads each automaton. */
interface Prefix {
  readonly states: readonly number[];
  readonly length: number;
  readonly char: number;
  readonly parent: Prefix | undefined;
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
  // Each character of an excluded word is a class of its own, so that similar words are not excluded too.
  const separate = new Set(
    [...excluded].flatMap((word) => Array.from(word, (char) => char.codePointAt(0) ?? 0)),
  );
  const sets = conditions.flatMap(({ nfa }) => nfa.sets);
  const classes = partitionAlphabet(sets, separate, budget);
  const plain = classes.filter((each) => !each.onlySurrogates);
  const word = search.run(plain);
  if (word !== undefined) return { is: "word", word };
  if (plain.length === classes.length) return { is: "none" };
  return { is: search.run(classes) === undefined ? "none" : "only surrogates" };
}

class WordSearch {
  private readonly automata: readonly LazyDfa[];
  private readonly excluded: Trie;

  constructor(
    private readonly conditions: readonly Condition[],
    private readonly length: { readonly min: number; readonly max: number },
    excluded: ReadonlySet<string>,
    private readonly budget: Budget,
  ) {
    this.automata = conditions.map(({ nfa }) => new LazyDfa(nfa, budget));
    this.excluded = buildTrie(excluded, budget);
  }

  /** Returns a shortest word over the classes. */
  run(classes: readonly CharClass[]): string | undefined {
    const start: Prefix = {
      states: this.automata.map(() => 0),
      length: 0,
      char: -1,
      parent: undefined,
      excluded: this.excluded,
    };
    const visited = new Set<string>();
    const queue = [start];
    for (let at = queue[0], i = 0; at; at = queue[++i]) {
      this.budget.spend(1 + this.automata.length);
      if (this.isWanted(at)) return wordOf(at);
      if (at.length >= this.length.max) continue;
      for (const { char } of classes) {
        this.budget.spend();
        const next = this.extend(at, char);
        const key = next && this.key(next);
        if (!next || key === undefined || visited.has(key)) continue;
        visited.add(key);
        queue.push(next);
      }
    }
    return undefined;
  }

  private isWanted(at: Prefix): boolean {
    if (at.length < this.length.min) return false;
    const matched = this.automata.map((automaton, r) => automaton.accepts(at.states[r] ?? 0));
    return matched.every((each, r) => each === this.conditions[r]?.positive) && !at.excluded?.isEnd;
  }

  /** Returns the word with one more character; undefined when no word that begins so is wanted. */
  private extend(at: Prefix, char: number): Prefix | undefined {
    const states: number[] = [];
    for (const [r, automaton] of this.automata.entries()) {
      const state = automaton.step(at.states[r] ?? 0, char);
      if (this.conditions[r]?.positive ? automaton.isDead(state) : state === MATCHED) return undefined;
      states.push(state);
    }
    return { states, length: at.length + 1, char, parent: at, excluded: at.excluded?.next.get(char) };
  }

  /** Returns a key that prefixes share if the same continuations of them are wanted. */
  private key({ states, length, excluded }: Prefix): string {
    return `${Math.min(length, this.length.min)} ${states.join(" ")} ${excluded?.id}`;
  }
}

function wordOf(at: Prefix): string {
  const chars: number[] = [];
  for (let step: Prefix | undefined = at; step?.parent; step = step.parent) chars.push(step.char);
  return chars
    .reverse()
    .map((char) => String.fromCodePoint(char))
    .join("");
}

/** A set of words as a tree of characters. */
interface Trie {
  /** Distinguishes the nodes of one tree. */
  readonly id: number;
  readonly next: Map<number, Trie>;
  /** Whether a word of the set ends here. */
  isEnd: boolean;
}

/** Returns the tree of some words, by code points. */
function buildTrie(words: Iterable<string>, budget: Budget): Trie {
  let nodes = 0;
  const node = (): Trie => ({ id: nodes++, next: new Map(), isEnd: false });
  const root = node();
  for (const word of words) {
    budget.spend(1 + (word.length >> 1));
    let at = root;
    for (const each of word) {
      const char = each.codePointAt(0) ?? 0;
      const next = at.next.get(char) ?? node();
      at.next.set(char, next);
      at = next;
    }
    at.isEnd = true;
  }
  return root;
}
