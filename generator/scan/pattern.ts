/**
 * Patterns as automata over bytes, made state by state when a text first needs them. Only texts of printable ASCII can be
 * asked about, and only patterns of the plain kind: literals, classes, groups, choices, repetitions, `^` and `$`.
 */

import { ACCEPTS, DEAD, MOST_STATES, NEXT, STEP } from "./layout.js";
import { closure, type Nodes } from "./nodes.js";

/** A pattern that texts are searched for, as `RegExp.test` does. States count from 0, which is the beginning. */
export interface Automaton {
  /** Works out a step, notes it in `next` and returns what stands there; `DEAD` also if the automaton would get too large. */
  extend(state: number, byte: number): number;
}

/**
 * The automaton of a pattern, which gets that number in the scanner's memory: at `NEXT` stand the rows of its states (see
 * `STEP`), and at `ACCEPTS` whether a text that ends in a state matches.
 */
export function automatonOf(nodes: Nodes, memory: ArrayBuffer, number: number): Automaton {
  return determinised(nodes, tablesOf(memory, number));
}

interface Tables {
  readonly next: Uint16Array;
  readonly accepts: Uint8Array;
}

function tablesOf(memory: ArrayBuffer, number: number): Tables {
  return {
    next: new Uint16Array(memory, NEXT + number * MOST_STATES * STEP, (MOST_STATES * STEP) / 2),
    accepts: new Uint8Array(memory, ACCEPTS + number * MOST_STATES, MOST_STATES),
  };
}

/** Subset construction (Rabin and Scott 1959), one step at a time. */
function determinised(all: Nodes, { next, accepts }: Tables): Automaton {
  const { nodes, start, end } = all;
  const states: (readonly number[])[] = [];
  const numbers = new Map<string, number>();
  const add = (closed: readonly number[]): number => {
    const made = states.push(closed) - 1;
    if (closure(all, closed, "end").includes(end)) accepts[made] = 1;
    return made;
  };
  const number = (closed: readonly number[]): number => {
    const key = closed.join();
    const known = numbers.get(key) ?? (states.length < MOST_STATES ? add(closed) : -1);
    if (known >= 0) numbers.set(key, known);
    return known;
  };
  add(closure(all, [start], "start"));
  return {
    extend(state, byte) {
      const from = states[state] ?? [];
      // A match that is there already stays, and another may begin anywhere.
      const reached = from.includes(end)
        ? [end]
        : [...from.flatMap((at) => (nodes[at]?.bytes?.has(byte) ? (nodes[at]?.to ?? []) : [])), start];
      const made = number(closure(all, reached, undefined));
      const step = made < 0 ? DEAD : (made + 1) * STEP;
      next[state * (STEP / 2) + byte] = step;
      return step;
    },
  };
}
