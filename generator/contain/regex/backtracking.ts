/**
 * Computes an upper bound for the work of a backtracking matcher. Each attempt of such a matcher is a path through the
 * automaton. The number of paths, which is counted character by character, is therefore a bound of the attempts.
 */
import type { Budget } from "../budget.js";
import type { Edge, Nfa } from "./nfa.js";

/** The number of paths that lead to each state at one position. */
type PathCounts = Map<number, number>;

/** Returns whether a backtracking matcher surely needs at most `maxSteps` steps to search the text for the pattern. */
export function isCheapToBacktrack(nfa: Nfa, text: string, maxSteps: number, budget: Budget): boolean {
  if (nfa.behind.length > 0) return false;
  const { members } = nfa;
  const chars = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  let counts: PathCounts = new Map();
  let steps = 0;
  let unspentSteps = 0;
  let position = 0;
  const canFollow = (edge: Edge): boolean => {
    if (edge.kind !== "next" && edge.kind !== "previous") return edge.kind !== "char";
    const char = chars[edge.kind === "next" ? position : position - 1];
    return (char !== undefined && (members[edge.set]?.(char) ?? false)) !== edge.negate;
  };
  for (; position <= chars.length; position++) {
    // A match may begin at any position.
    addPaths(counts, 0, 1);
    const order = sortTopologically(nfa, counts.keys(), canFollow);
    if (!order) return false;
    // Eight states cost one step of the budget.
    unspentSteps += 1 + order.length;
    budget.spend(unspentSteps >> 3);
    unspentSteps &= 7;
    const next: PathCounts = new Map();
    for (const state of order) {
      const paths = counts.get(state) ?? 0;
      const edges = nfa.edges[state] ?? [];
      steps += paths * (1 + edges.length);
      for (const edge of edges) {
        if (edge.kind !== "char") {
          if (canFollow(edge)) for (const to of findTargets(edge)) addPaths(counts, to, paths);
        } else if (position < chars.length && members[edge.set]?.(chars[position] ?? 0))
          addPaths(next, edge.to, paths);
      }
    }
    if (steps > maxSteps) return false;
    counts = next;
  }
  return true;
}

function addPaths(counts: PathCounts, state: number, paths: number): void {
  counts.set(state, (counts.get(state) ?? 0) + paths);
}

/**
 * Returns the states to which an edge that reads nothing leads. A look-ahead leads to its own start and to the state after
 * it.
 */
function findTargets(edge: Edge): readonly number[] {
  return edge.kind === "ahead" || edge.kind === "maybeAhead" ? [edge.start, edge.to] : [edge.to];
}

/**
 * Returns the states that can be reached along edges that can be followed, each before the states it leads to. Returns
 * undefined if the edges form a cycle, as in a repetition of what may be empty, such as `(a*)*`.
 */
function sortTopologically(
  nfa: Nfa,
  starts: Iterable<number>,
  canFollow: (edge: Edge) => boolean,
): readonly number[] | undefined {
  const progress = new Map<number, "entered" | "left">();
  const reverseOrder: number[] = [];
  const stack = [...starts];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    const knownProgress = progress.get(state);
    // The states after this one are done, because they were above it on the stack.
    if (knownProgress === "entered") {
      progress.set(state, "left");
      reverseOrder.push(state);
    }
    if (knownProgress) continue;
    progress.set(state, "entered");
    stack.push(state);
    for (const edge of nfa.edges[state] ?? []) {
      if (!canFollow(edge)) continue;
      for (const to of findTargets(edge)) {
        if (progress.get(to) === "entered") return undefined;
        if (!progress.has(to)) stack.push(to);
      }
    }
  }
  return reverseOrder.reverse();
}
