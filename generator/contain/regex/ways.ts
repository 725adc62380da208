/**
 * What may still happen on an automaton is a set of ways, of which one must succeed. Most ways are a single state. A
 * look-ahead makes a way of several states that must all succeed, and of other ways of which none may.
 */
import type { Budget } from "../budget.js";
import type { Edge } from "./edge.js";
import type { Nfa } from "./nfa.js";

/** Ways of which one must succeed: those of a single state, and the others. */
export interface Ways {
  readonly single: readonly number[];
  readonly joint: readonly Joint[];
}

/** A way on which all states must succeed, and none of the ways in `never` may. */
interface Joint {
  readonly states: readonly number[];
  readonly never: Ways;
}

/** A joint way while its states are followed along edges that read nothing. */
interface Open extends Joint {
  readonly pending: readonly number[];
}

/** The characters around a position, and which look-behinds hold there. */
export interface Around {
  readonly previous: number | undefined;
  readonly next: number | undefined;
  readonly behind: readonly boolean[];
}

/** No way is left. */
export const NOWHERE: Ways = { single: [], joint: [] };

/** Follows ways through one automaton. */
export class Walk {
  constructor(
    private readonly nfa: Nfa,
    private readonly budget: Budget,
  ) {}

  /** All ways along edges that read nothing; undefined when one of them has succeeded. */
  close(ways: Ways, around: Around): Ways | undefined {
    const { edges, finals } = this.nfa;
    const reached = new Set(ways.single);
    const open: Open[] = ways.joint.map(({ states, never }) => ({ states: [], pending: states, never }));
    for (const at of reached) {
      if (finals.has(at)) return undefined;
      for (const edge of edges[at] ?? []) {
        if (edge.is === "char" || !this.holds(edge, around)) continue;
        if (edge.is !== "ahead") reached.add(edge.to);
        else open.push(follow({ states: [], pending: [], never: NOWHERE }, edge));
      }
    }
    this.budget.spend((reached.size + open.length) >> 1);
    if (open.length === 0) return { single: [...reached], joint: [] };
    const joint = this.closeJoint(open, reached, around);
    return joint && { single: [...reached], joint };
  }

  private closeJoint(open: Open[], single: ReadonlySet<number>, around: Around): Joint[] | undefined {
    const { edges, finals } = this.nfa;
    const closed: Joint[] = [];
    const seen = new Set<string>();
    for (let way = open.pop(); way; way = open.pop()) {
      const key = `${way.pending.join(",")}&${jointText(way)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      this.budget.spend(1 + way.pending.length + way.states.length);
      const [at, ...pending] = way.pending;
      if (at === undefined) {
        const never = this.close(way.never, around);
        if (!never) continue; // a look-ahead that must fail has matched
        const left = around.next === undefined ? NOWHERE : never; // at the end, what has not matched never will
        if (way.states.length === 0 && isNowhere(left)) return undefined;
        // What a way of a single state does at least as well is left to that.
        if (!way.states.some((each) => single.has(each))) closed.push({ states: way.states, never: left });
      } else if (finals.has(at)) open.push({ ...way, pending });
      else {
        const own = edges[at] ?? [];
        if (own.some(({ is }) => is === "char"))
          open.push({ ...way, pending, states: sorted([...way.states, at]) });
        for (const edge of own)
          if (edge.is !== "char" && this.holds(edge, around)) open.push(follow({ ...way, pending }, edge));
      }
    }
    return closed;
  }

  private holds(edge: Exclude<Edge, { is: "char" }>, around: Around): boolean {
    if (edge.is === "empty" || edge.is === "ahead" || edge.is === "perhaps") return true;
    if (edge.is === "behind") return around.behind[edge.index] !== edge.negate;
    const char = edge.is === "next" ? around.next : around.previous;
    return (char !== undefined && (this.nfa.members[edge.set]?.(char) ?? false)) !== edge.negate;
  }

  /** The ways after a character, from ways that are closed. */
  advance({ single, joint }: Ways, char: number): Ways {
    const ahead = new Set(this.successors(single, char));
    const ways = new Map<string, Joint>();
    for (const { states, never } of joint) {
      const left = this.advance(never, char);
      for (const next of this.products(states, char)) {
        const [only] = next;
        if (only !== undefined && next.length === 1 && isNowhere(left)) ahead.add(only);
        else {
          const way = { states: next, never: left };
          ways.set(jointText(way), way);
        }
      }
    }
    return {
      single: sorted(ahead),
      joint: [...ways].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, way]) => way),
    };
  }

  /** The states after `char`, one for each of `states`, in all combinations. */
  private products(states: readonly number[], char: number): readonly (readonly number[])[] {
    let products: (readonly number[])[] = [[]];
    for (const state of states) {
      const next = this.successors([state], char);
      products = products.flatMap((product) => next.map((to) => sorted([...product, to])));
      this.budget.spend(products.length);
    }
    return products;
  }

  /** The states after a character, but for those from which nothing is reached any more. */
  successors(states: readonly number[], char: number): readonly number[] {
    const next = new Set<number>();
    for (const at of states) {
      for (const edge of this.nfa.edges[at] ?? []) {
        if (edge.is === "char" && this.nfa.alive.has(edge.to) && this.nfa.members[edge.set]?.(char))
          next.add(edge.to);
      }
    }
    return [...next];
  }
}

/** The way along an edge that reads nothing. */
function follow(way: Open, edge: Exclude<Edge, { is: "char" }>): Open {
  const pending = [edge.to, ...way.pending];
  if (edge.is !== "ahead") return { ...way, pending };
  if (!edge.negate) return { ...way, pending: [...new Set([...pending, edge.start])] };
  return { ...way, pending, never: { ...way.never, single: sorted([...way.never.single, edge.start]) } };
}

/** Whether no way is left. */
export function isNowhere({ single, joint }: Ways): boolean {
  return single.length + joint.length === 0;
}

/** The numbers in order, each once. */
export function sorted(numbers: Iterable<number>): readonly number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** A text that equal ways share. */
export function textOf({ single, joint }: Ways): string {
  return joint.length === 0 ? single.join(",") : `${single.join(",")};${joint.map(jointText).join(";")}`;
}

function jointText({ states, never }: Joint): string {
  return isNowhere(never) ? states.join("&") : `${states.join("&")}!(${textOf(never)})`;
}
