/** The patterns of a program: each is put into the scanner's memory when a text is first held against it. */
import {
  DEAD,
  FIRST_POSITIONS,
  MOST_AUTOMATA,
  MOST_PATTERNS,
  MOST_POSITION_CELLS,
  PATTERNS,
} from "./layout.js";
import { type Automaton, automatonOf } from "./pattern.js";
import { nodesOf } from "./pattern-nodes.js";
import { positionsOf, writePositions } from "./positions.js";

/** Patterns by their numbers. */
export interface Patterns {
  /** The number of a pattern; undefined if there are too many. */
  number(pattern: RegExp): number | undefined;
  /** Whether a text matches, for those that the scanner cannot tell, or not yet. */
  test(number: number, text: string): boolean;
  /** See `Automaton`. */
  extend(automaton: number, state: number, byte: number): number;
}

/** No patterns yet. */
export function createPatterns(memory: ArrayBuffer): Patterns {
  const forms = new Int32Array(memory, PATTERNS, MOST_PATTERNS);
  const patterns: RegExp[] = [];
  const numbers = new Map<string, number>();
  const met = new Set<number>();
  const automata: Automaton[] = [];
  let positions = 0;
  /** What `PATTERNS` says of a pattern. */
  const formOf = (pattern: RegExp): number => {
    const nodes = nodesOf(pattern);
    if (nodes === undefined) return 0;
    const places = positions < MOST_POSITION_CELLS ? positionsOf(nodes) : undefined;
    if (places && writePositions(places, memory, positions)) return FIRST_POSITIONS + positions++;
    return automata.length < MOST_AUTOMATA ? automata.push(automatonOf(nodes, memory, automata.length)) : 0;
  };
  return {
    number(pattern) {
      const key = String(pattern);
      const known = numbers.get(key) ?? patterns.length;
      if (known >= MOST_PATTERNS) return undefined;
      if (known === patterns.length) patterns.push(pattern);
      numbers.set(key, known);
      return known;
    },
    test(number, text) {
      const pattern = patterns[number] as RegExp;
      if (!met.has(number)) {
        met.add(number);
        forms[number] = formOf(pattern);
      }
      return pattern.test(text);
    },
    extend: (automaton, state, byte) => automata[automaton]?.extend(state, byte) ?? DEAD,
  };
}
