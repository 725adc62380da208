/** Creates the automata that the scanner runs on the bytes of printable ASCII texts. A state is added when a text first needs it. */
import { type ByteNfa, followEmptySteps } from "./byte-nfa.js";
import { ACCEPTS, DEAD, MAX_STATES, NEXT, STEP } from "./layout.js";

/** An automaton that searches texts for a pattern as `RegExp.test` does. State 0 is the one before the first byte. */
export interface ByteDfa {
  /** Computes a step, writes it to the scanner's memory and returns it; `DEAD` also if the automaton would have too many states. */
  extend(state: number, byte: number): number;
}

/**
 * Creates the automaton with that number in the scanner's memory. `NEXT` holds the rows of its states (see `STEP`). `ACCEPTS` holds
 * whether a text that ends in a state matches. Subset construction (Rabin and Scott 1959), one step at a time.
 */
export function createByteDfa(nfa: ByteNfa, memory: ArrayBuffer, automaton: number): ByteDfa {
  const next = new Uint16Array(memory, NEXT + automaton * MAX_STATES * STEP, (MAX_STATES * STEP) / 2);
  const accepts = new Uint8Array(memory, ACCEPTS + automaton * MAX_STATES, MAX_STATES);
  const subsets: (readonly number[])[] = [];
  const numbers = new Map<string, number>();
  const add = (subset: readonly number[]): number => {
    const made = subsets.push(subset) - 1;
    if (followEmptySteps(nfa, subset, "end").includes(nfa.end)) accepts[made] = 1;
    return made;
  };
  const numberOf = (subset: readonly number[]): number => {
    const key = subset.join();
    const known = numbers.get(key) ?? (subsets.length < MAX_STATES ? add(subset) : -1);
    if (known >= 0) numbers.set(key, known);
    return known;
  };
  const read = (at: number, byte: number): readonly number[] => {
    const state = nfa.states[at];
    return state?.bytes?.has(byte) ? state.to : [];
  };
  add(followEmptySteps(nfa, [nfa.start], "start"));
  return {
    extend(state, byte) {
      const from = subsets[state] ?? [];
      // A match that was found remains one, and another may begin at any position.
      const reached = from.includes(nfa.end)
        ? [nfa.end]
        : [...from.flatMap((at) => read(at, byte)), nfa.start];
      const made = numberOf(followEmptySteps(nfa, reached, undefined));
      const step = made < 0 ? DEAD : (made + 1) * STEP;
      next[state * (STEP / 2) + byte] = step;
      return step;
    },
  };
}
