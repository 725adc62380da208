/**
 * Moves the threads of a match through an automaton. The state of a match is a set of threads, of which one must succeed.
 * Most threads are a single state of the automaton. A look-ahead makes a thread of several states that must all succeed, and
 * of other threads of which none may succeed.
 */
import type { Budget } from "../budget.js";
import type { Edge, Nfa } from "./nfa.js";

/** Threads of which one must succeed. Threads of a single state are kept apart from joint threads. */
export interface Threads {
  readonly single: readonly number[];
  readonly joint: readonly JointThread[];
}

/** A thread on which all states must succeed, and none of the threads in `never` may. */
interface JointThread {
  readonly states: readonly number[];
  readonly never: Threads;
}

/** A joint thread while its states are followed along edges that read nothing. */
interface UnclosedThread extends JointThread {
  /** The states whose edges are not yet followed. */
  readonly pending: readonly number[];
}

/** The characters around a position, and which look-behinds hold there. */
export interface PositionContext {
  readonly previous: number | undefined;
  readonly next: number | undefined;
  readonly behind: readonly boolean[];
}

/** The empty set of threads. */
export const NO_THREADS: Threads = { single: [], joint: [] };

/** Moves threads through one automaton. */
export class NfaStepper {
  constructor(
    private readonly nfa: Nfa,
    private readonly budget: Budget,
  ) {}

  /** Returns the threads after all edges that read nothing; undefined where one of them has succeeded. */
  close(threads: Threads, position: PositionContext): Threads | undefined {
    const { edges, finals } = this.nfa;
    const reachedStates = new Set(threads.single);
    const unclosed: UnclosedThread[] = threads.joint.map(({ states, never }) => ({
      states: [],
      pending: states,
      never,
    }));
    for (const state of reachedStates) {
      if (finals.has(state)) return undefined;
      for (const edge of edges[state] ?? []) {
        if (edge.kind === "char" || !this.canFollow(edge, position)) continue;
        if (edge.kind !== "ahead") reachedStates.add(edge.to);
        else unclosed.push(followEdge({ states: [], pending: [], never: NO_THREADS }, edge));
      }
    }
    this.budget.spend((reachedStates.size + unclosed.length) >> 1);
    if (unclosed.length === 0) return { single: [...reachedStates], joint: [] };
    const joint = this.closeJoint(unclosed, reachedStates, position);
    return joint && { single: [...reachedStates], joint };
  }

  /** Follows the edges of joint threads that read nothing. Returns undefined if one of the threads has succeeded. */
  private closeJoint(
    unclosed: UnclosedThread[],
    single: ReadonlySet<number>,
    position: PositionContext,
  ): JointThread[] | undefined {
    const { edges, finals } = this.nfa;
    const closed: JointThread[] = [];
    const visitedKeys = new Set<string>();
    for (let thread = unclosed.pop(); thread; thread = unclosed.pop()) {
      const key = `${thread.pending.join(",")}&${createThreadKey(thread)}`;
      if (visitedKeys.has(key)) continue;
      visitedKeys.add(key);
      this.budget.spend(1 + thread.pending.length + thread.states.length);
      const [state, ...pending] = thread.pending;
      if (state === undefined) {
        const never = this.close(thread.never, position);
        // A look-ahead that must fail has matched.
        if (!never) continue;
        // At the end of the text, a look-ahead that has not matched can no longer match.
        const remainingThreads = position.next === undefined ? NO_THREADS : never;
        if (thread.states.length === 0 && hasNoThreads(remainingThreads)) return undefined;
        // A thread of a single state that is among these states succeeds whenever this thread does.
        if (!thread.states.some((each) => single.has(each)))
          closed.push({ states: thread.states, never: remainingThreads });
      } else if (finals.has(state)) unclosed.push({ ...thread, pending });
      else {
        const outgoingEdges = edges[state] ?? [];
        if (outgoingEdges.some(({ kind }) => kind === "char"))
          unclosed.push({ ...thread, pending, states: sortUnique([...thread.states, state]) });
        for (const edge of outgoingEdges)
          if (edge.kind !== "char" && this.canFollow(edge, position))
            unclosed.push(followEdge({ ...thread, pending }, edge));
      }
    }
    return closed;
  }

  private canFollow(edge: Exclude<Edge, { kind: "char" }>, position: PositionContext): boolean {
    if (edge.kind === "empty" || edge.kind === "ahead" || edge.kind === "maybeAhead") return true;
    if (edge.kind === "behind") return position.behind[edge.index] !== edge.negate;
    const char = edge.kind === "next" ? position.next : position.previous;
    return (char !== undefined && (this.nfa.members[edge.set]?.(char) ?? false)) !== edge.negate;
  }

  /** Returns the threads after a character, from threads that are closed. */
  advance({ single, joint }: Threads, char: number): Threads {
    const nextSingle = new Set(this.findSuccessors(single, char));
    const threads = new Map<string, JointThread>();
    for (const { states, never } of joint) {
      const nextNever = this.advance(never, char);
      for (const next of this.combineSuccessors(states, char)) {
        const [only] = next;
        if (only !== undefined && next.length === 1 && hasNoThreads(nextNever)) nextSingle.add(only);
        else {
          const thread = { states: next, never: nextNever };
          threads.set(createThreadKey(thread), thread);
        }
      }
    }
    return {
      single: sortUnique(nextSingle),
      joint: [...threads].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, thread]) => thread),
    };
  }

  /** Returns the states after `char`, one for each of `states`, in all combinations. */
  private combineSuccessors(states: readonly number[], char: number): readonly (readonly number[])[] {
    let products: (readonly number[])[] = [[]];
    for (const state of states) {
      const next = this.findSuccessors([state], char);
      products = products.flatMap((product) => next.map((to) => sortUnique([...product, to])));
      this.budget.spend(products.length);
    }
    return products;
  }

  /** Returns the states after a character, without those from which no match can be reached. */
  findSuccessors(states: readonly number[], char: number): readonly number[] {
    const next = new Set<number>();
    for (const state of states) {
      for (const edge of this.nfa.edges[state] ?? []) {
        if (edge.kind === "char" && this.nfa.alive.has(edge.to) && this.nfa.members[edge.set]?.(char))
          next.add(edge.to);
      }
    }
    return [...next];
  }
}

/** Returns the thread along an edge that reads nothing. */
function followEdge(thread: UnclosedThread, edge: Exclude<Edge, { kind: "char" }>): UnclosedThread {
  const pending = [edge.to, ...thread.pending];
  if (edge.kind !== "ahead") return { ...thread, pending };
  if (!edge.negate) return { ...thread, pending: [...new Set([...pending, edge.start])] };
  return {
    ...thread,
    pending,
    never: { ...thread.never, single: sortUnique([...thread.never.single, edge.start]) },
  };
}

/** Returns whether the set of threads is empty. */
export function hasNoThreads({ single, joint }: Threads): boolean {
  return single.length + joint.length === 0;
}

/** Returns the numbers in order, each once. */
export function sortUnique(numbers: Iterable<number>): readonly number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Returns a key that is equal for equal sets of threads. */
export function createThreadsKey({ single, joint }: Threads): string {
  return joint.length === 0
    ? single.join(",")
    : `${single.join(",")};${joint.map(createThreadKey).join(";")}`;
}

function createThreadKey({ states, never }: JointThread): string {
  return hasNoThreads(never) ? states.join("&") : `${states.join("&")}!(${createThreadsKey(never)})`;
}
