/**
 * An upper bound for the work of a backtracking matcher. Each attempt of such a matcher is a path through the automaton,
 * so the number of paths, which is counted character by character, bounds the tree that it searches.
 */
import type { Budget } from "../budget.js";
import type { Edge, Nfa } from "./nfa.js";

/** How many paths lead to a state at one position. */
type Counts = Map<number, number>;

/** Returns whether a backtracking matcher takes at most `most` steps to look for the pattern in the text; false where unknown. */
export function isCheapToBacktrack(nfa: Nfa, text: string, most: number, budget: Budget): boolean {
  if (nfa.behind.length > 0) return false;
  const { members } = nfa;
  const chars = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  let counts: Counts = new Map();
  let steps = 0;
  let unpaid = 0;
  let at = 0;
  const isOpen = (edge: Edge): boolean => {
    if (edge.is !== "next" && edge.is !== "previous") return edge.is !== "char";
    const char = chars[edge.is === "next" ? at : at - 1];
    return (char !== undefined && (members[edge.set]?.(char) ?? false)) !== edge.negate;
  };
  for (; at <= chars.length; at++) {
    add(counts, 0, 1); // the match may begin anywhere
    const order = topologicalOrder(nfa, counts.keys(), isOpen);
    if (!order) return false;
    unpaid += 1 + order.length;
    budget.spend(unpaid >> 3);
    unpaid &= 7;
    const next: Counts = new Map();
    for (const state of order) {
      const paths = counts.get(state) ?? 0;
      const edges = nfa.edges[state] ?? [];
      steps += paths * (1 + edges.length);
      for (const edge of edges) {
        if (edge.is !== "char") {
          if (isOpen(edge)) for (const to of targets(edge)) add(counts, to, paths);
        } else if (at < chars.length && members[edge.set]?.(chars[at] ?? 0)) add(next, edge.to, paths);
      }
    }
    if (steps > most) return false;
    counts = next;
  }
  return true;
}

function add(counts: Counts, state: number, paths: number): void {
  counts.set(state, (counts.get(state) ?? 0) + paths);
}

/** Returns where an edge leads that reads nothing: a look-ahead is tried, and then what follows it. */
function targets(edge: Edge): readonly number[] {
  return edge.is === "ahead" || edge.is === "maybeAhead" ? [edge.start, edge.to] : [edge.to];
}

/**
 * Returns the states that can be reached along open edges, each before those it leads to; undefined where they lead in a
 * circle: a repetition of what may be empty, such as `(a*)*`, is counted as endless.
 */
function topologicalOrder(
  nfa: Nfa,
  starts: Iterable<number>,
  isOpen: (edge: Edge) => boolean,
): readonly number[] | undefined {
  const state = new Map<number, "open" | "done">();
  const ordered: number[] = [];
  const stack = [...starts];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const known = state.get(at);
    if (known === "open") {
      state.set(at, "done");
      ordered.push(at);
    }
    if (known) continue;
    state.set(at, "open");
    stack.push(at);
    for (const edge of nfa.edges[at] ?? []) {
      if (!isOpen(edge)) continue;
      for (const to of targets(edge)) {
        if (state.get(to) === "open") return undefined;
        if (!state.has(to)) stack.push(to);
      }
    }
  }
  return ordered.reverse();
}
