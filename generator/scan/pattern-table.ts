/** The patterns of a program. Each is written into the scanner's memory when it is first tested. */
import { getItem } from "../get-item.js";
import { type ByteDfa, createByteDfa } from "./byte-dfa.js";
import { createByteNfa } from "./byte-nfa.js";
import { DEAD, FIRST_POSITIONS, MAX_AUTOMATA, MAX_PATTERNS, MAX_POSITION_CELLS, PATTERNS } from "./layout.js";
import { findPositionSets, writePositionSets } from "./position-sets.js";

/** Patterns by their numbers. */
export interface PatternTable {
  /** Adds a pattern and returns its number; undefined if there are too many patterns. */
  add(pattern: RegExp): number | undefined;
  /** Returns whether a text matches. Called if the scanner cannot decide it, or if the pattern is not yet in its memory. */
  test(number: number, text: string): boolean;
  /** Computes a step of an automaton; see `ByteDfa`. */
  extend(automaton: number, state: number, byte: number): number;
}

/** Creates an empty table. */
export function createPatternTable(memory: ArrayBuffer): PatternTable {
  const entries = new Int32Array(memory, PATTERNS, MAX_PATTERNS);
  const patterns: RegExp[] = [];
  const numbers = new Map<string, number>();
  const written = new Set<number>();
  const automata: ByteDfa[] = [];
  let positions = 0;
  /** Writes a pattern into the memory. Returns its entry in `PATTERNS`. */
  const writePattern = (pattern: RegExp): number => {
    const nfa = createByteNfa(pattern);
    if (nfa === undefined) return 0;
    const sets = positions < MAX_POSITION_CELLS ? findPositionSets(nfa) : undefined;
    if (sets && writePositionSets(sets, memory, positions)) return FIRST_POSITIONS + positions++;
    return automata.length < MAX_AUTOMATA ? automata.push(createByteDfa(nfa, memory, automata.length)) : 0;
  };
  return {
    add(pattern) {
      const key = String(pattern);
      const knownNumber = numbers.get(key) ?? patterns.length;
      if (knownNumber >= MAX_PATTERNS) return undefined;
      if (knownNumber === patterns.length) patterns.push(pattern);
      numbers.set(key, knownNumber);
      return knownNumber;
    },
    test(number, text) {
      const pattern = getItem(patterns, number);
      if (!written.has(number)) {
        written.add(number);
        entries[number] = writePattern(pattern);
      }
      return pattern.test(text);
    },
    extend: (automaton, state, byte) => automata[automaton]?.extend(state, byte) ?? DEAD,
  };
}
