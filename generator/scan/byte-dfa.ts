/** Creates the automata that the scanner runs on texts of printable ASCII. A state is added when a text first needs it. */
import { type ByteNfa, followEmptySteps } from "./byte-nfa.js";
import { ACCEPTS, DEAD, MAX_STATES, NEXT, STEP } from "./layout.js";

/** An automaton that searches texts for a pattern as `RegExp.test` does. State 0 is the state before the first byte. */
export interface ByteDfa {
  /** Computes a step, writes it to the scanner's memory and returns it. Returns `DEAD` if there would be too many states. */
  extend(state: number, byte: number): number;
}

/**
 * Creates the automaton with the number `automaton` in the scanner's memory. The rows of its states are at `NEXT` (see
 * `STEP`). The bytes at `ACCEPTS` tell whether a text that ends in a state matches. A state is a subset of the states of the
 * nondeterministic automaton (Rabin and Scott 1959).
 */
export function createByteDfa(nfa: ByteNfa, memory: ArrayBuffer, automaton: number): ByteDfa {
  const next = new Uint16Array(memory, NEXT + automaton * MAX_STATES * STEP, (MAX_STATES * STEP) / 2);
  const accepts = new Uint8Array(memory, ACCEPTS + automaton * MAX_STATES, MAX_STATES);
  const subsets: (readonly number[])[] = [];
  const numbers = new Map<string, number>();
  const addState = (subset: readonly number[]): number => {
    const number = subsets.push(subset) - 1;
    if (followEmptySteps(nfa, subset, "end").includes(nfa.end)) accepts[number] = 1;
    return number;
  };
  /** Returns the number of the state of a subset; -1 if there are too many states. */
  const findOrAddState = (subset: readonly number[]): number => {
    const key = subset.join();
    const number = numbers.get(key) ?? (subsets.length < MAX_STATES ? addState(subset) : -1);
    if (number >= 0) numbers.set(key, number);
    return number;
  };
  const listSuccessors = (nfaState: number, byte: number): readonly number[] => {
    const state = nfa.states[nfaState];
    return state?.bytes?.has(byte) ? state.to : [];
  };
  addState(followEmptySteps(nfa, [nfa.start], "start"));
  return {
    extend(state, byte) {
      const subset = subsets[state] ?? [];
      // After a match, every text matches. Otherwise a match may begin at any position.
      const reachedStates = subset.includes(nfa.end)
        ? [nfa.end]
        : [...subset.flatMap((each) => listSuccessors(each, byte)), nfa.start];
      const nextState = findOrAddState(followEmptySteps(nfa, reachedStates, undefined));
      const step = nextState < 0 ? DEAD : (nextState + 1) * STEP;
      next[state * (STEP / 2) + byte] = step;
      return step;
    },
  };
}
