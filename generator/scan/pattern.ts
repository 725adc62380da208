/**
 * Patterns as automata over bytes, made state by state when a text first needs them. Only texts of printable ASCII can be
 * asked about, and only patterns of the plain kind: literals, classes, groups, choices, repetitions, `^` and `$`.
 */

import { ACCEPTS, MOST_STATES, NEXT } from "./layout.js";
import { type Node, type Nodes, nodesOf } from "./pattern-nodes.js";

/** A pattern that texts are searched for, as `RegExp.test` does. States count from 0, which is the beginning. */
export interface Automaton {
  /** Works out a step, notes it in `next` and returns what stands there; `DEAD` also if the automaton would get too large. */
  extend(state: number, byte: number): number;
}

export const DEAD = -1;
/**
 * The automaton of a pattern, which gets that number in the scanner's memory: there stands at `NEXT`, for each state and
 * byte, one more than the next state, 0 if `extend` has to be asked, DEAD if there is none; and at `ACCEPTS` whether a text that ends
 * in the state matches. Undefined if it is of another kind or too large. `i` is the only flag that has a meaning here.
 */
export function automatonOf(pattern: RegExp, memory: ArrayBuffer, number: number): Automaton | undefined {
  const nodes = nodesOf(pattern);
  return nodes && determinised(nodes, tablesOf(memory, number));
}

interface Tables {
  readonly next: Int16Array;
  readonly accepts: Uint8Array;
}

function tablesOf(memory: ArrayBuffer, number: number): Tables {
  return {
    next: new Int16Array(memory, NEXT + number * MOST_STATES * 256, MOST_STATES * 128),
    accepts: new Uint8Array(memory, ACCEPTS + number * MOST_STATES, MOST_STATES),
  };
}

/** Subset construction (Rabin and Scott 1959), one step at a time. */
function determinised({ nodes, start, end }: Nodes, { next, accepts }: Tables): Automaton {
  const states: (readonly number[])[] = [];
  const numbers = new Map<string, number>();
  const close = (from: readonly number[], edge: "start" | "end" | undefined): readonly number[] => {
    const seen = new Set(from);
    for (const at of seen) {
      const { bytes, only, to } = nodes[at] as Node;
      if (bytes === undefined && (only === undefined || only === edge)) for (const one of to) seen.add(one);
    }
    return [...seen].sort((a, b) => a - b);
  };
  const add = (closed: readonly number[]): number => {
    const made = states.push(closed) - 1;
    if (close(closed, "end").includes(end)) accepts[made] = 1;
    return made;
  };
  const number = (closed: readonly number[]): number => {
    const key = closed.join();
    const known = numbers.get(key) ?? (states.length < MOST_STATES ? add(closed) : -1);
    if (known >= 0) numbers.set(key, known);
    return known;
  };
  add(close([start], "start"));
  return {
    extend(state, byte) {
      const from = states[state] ?? [];
      // A match that is there already stays, and another may begin anywhere.
      const reached = from.includes(end)
        ? [end]
        : [...from.flatMap((at) => (nodes[at]?.bytes?.has(byte) ? (nodes[at]?.to ?? []) : [])), start];
      const made = number(close(reached, undefined));
      const step = made < 0 ? DEAD : made + 1;
      next[state * 128 + byte] = step;
      return step;
    },
  };
}
