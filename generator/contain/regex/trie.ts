import type { Budget } from "../budget.js";

/** A set of words as a tree of characters. */
export interface Trie {
  /** Tells the nodes of one tree apart. */
  readonly id: number;
  readonly next: Map<number, Trie>;
  /** Whether a word of the set ends here. */
  isEnd: boolean;
}

/** The tree of some words, by code points. */
export function trieOf(words: Iterable<string>, budget: Budget): Trie {
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
