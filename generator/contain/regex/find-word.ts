/**
 * Searches for a string that some patterns match and others do not. The product of the automata is explored breadth first
 * and made deterministic on the way, so no complement is ever built and the first word found is a shortest one.
 */
import type { Budget } from "../budget.js";
import { type CharClass, partitionAlphabet } from "./alphabet.js";
import { LazyDfa, MATCHED } from "./lazy-dfa.js";
import type { Nfa } from "./nfa.js";

/** The condition that the word matches a pattern (`positive`), or does not match it. */
interface Condition {
  readonly nfa: Nfa;
  readonly positive: boolean;
}

/** The result of a search for a word. With `only surrogates`, all words that satisfy the conditions contain lone surrogates. */
type WordResult =
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "none" }
  | { readonly kind: "only surrogates" };

/** The beginning of a word, as a chain of characters. */
interface Prefix {
  /** The state of each automaton after the prefix. */
  readonly states: readonly number[];
  readonly length: number;
  /** The last character; -1 in the empty prefix. */
  readonly char: number;
  /** The prefix without its last character; undefined for the empty prefix. */
  readonly parent: Prefix | undefined;
  /** The node of the excluded words that begin with this prefix; undefined if there are none. */
  readonly excluded: Trie | undefined;
}

/** Searches for a shortest string of `min` to `max` code points that satisfies every condition and is not excluded. */
export function findWord(
  conditions: readonly Condition[],
  length: { readonly min: number; readonly max: number },
  excluded: ReadonlySet<string>,
  budget: Budget,
): WordResult {
  const search = new WordSearch(conditions, length, excluded, budget);
  // Each character of an excluded word is a class of its own, so that similar words are not excluded with it.
  const separateCharacters = new Set(
    [...excluded].flatMap((word) => Array.from(word, (char) => char.codePointAt(0) ?? 0)),
  );
  const sets = conditions.flatMap(({ nfa }) => nfa.sets);
  const classes = partitionAlphabet(sets, separateCharacters, budget);
  const withoutSurrogates = classes.filter((each) => !each.onlySurrogates);
  const word = search.findShortest(withoutSurrogates);
  if (word !== undefined) return { kind: "word", word };
  if (withoutSurrogates.length === classes.length) return { kind: "none" };
  return { kind: search.findShortest(classes) === undefined ? "none" : "only surrogates" };
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
  findShortest(classes: readonly CharClass[]): string | undefined {
    const start: Prefix = {
      states: this.automata.map(() => 0),
      length: 0,
      char: -1,
      parent: undefined,
      excluded: this.excluded,
    };
    const visitedKeys = new Set<string>();
    const queue = [start];
    // The loop also visits the prefixes that it adds.
    for (const prefix of queue) {
      this.budget.spend(1 + this.automata.length);
      if (this.isSolution(prefix)) return readWord(prefix);
      if (prefix.length >= this.length.max) continue;
      for (const { char } of classes) {
        this.budget.spend();
        const next = this.extend(prefix, char);
        const key = next && this.buildKey(next);
        if (!next || key === undefined || visitedKeys.has(key)) continue;
        visitedKeys.add(key);
        queue.push(next);
      }
    }
    return undefined;
  }

  private isSolution(prefix: Prefix): boolean {
    if (prefix.length < this.length.min) return false;
    if (prefix.excluded?.isEnd) return false;
    return this.automata.every(
      (automaton, index) => automaton.accepts(prefix.states[index] ?? 0) === this.conditions[index]?.positive,
    );
  }

  /** Returns the prefix with one more character; undefined if no word that begins so satisfies the conditions. */
  private extend(prefix: Prefix, char: number): Prefix | undefined {
    const states: number[] = [];
    for (const [index, automaton] of this.automata.entries()) {
      const state = automaton.step(prefix.states[index] ?? 0, char);
      const mustMatch = this.conditions[index]?.positive === true;
      const isHopeless = mustMatch ? automaton.isDead(state) : state === MATCHED;
      if (isHopeless) return undefined;
      states.push(state);
    }
    return {
      states,
      length: prefix.length + 1,
      char,
      parent: prefix,
      excluded: prefix.excluded?.next.get(char),
    };
  }

  /** Returns a key. Prefixes with the same key have the same solutions after them. */
  private buildKey({ states, length, excluded }: Prefix): string {
    return `${Math.min(length, this.length.min)} ${states.join(" ")} ${excluded?.id}`;
  }
}

function readWord(prefix: Prefix): string {
  const chars: number[] = [];
  let current: Prefix | undefined = prefix;
  while (current?.parent) {
    chars.push(current.char);
    current = current.parent;
  }
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
  /** True if a word of the set ends here. */
  isEnd: boolean;
}

/** Returns the tree of some words, by code points. */
function buildTrie(words: Iterable<string>, budget: Budget): Trie {
  let nodeCount = 0;
  const createNode = (): Trie => ({ id: nodeCount++, next: new Map(), isEnd: false });
  const root = createNode();
  for (const word of words) {
    budget.spend(1 + (word.length >> 1));
    let node = root;
    for (const each of word) {
      const char = each.codePointAt(0) ?? 0;
      const next = node.next.get(char) ?? createNode();
      node.next.set(char, next);
      node = next;
    }
    node.isEnd = true;
  }
  return root;
}
