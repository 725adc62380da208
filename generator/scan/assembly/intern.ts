/** Gives numbers to short texts that occur often. */
import { GENERATIONS, INTERN_CELL, INTERN_SLOTS, INTERNED } from "../layout";
import { areSameBytes, hash } from "./bytes";

/**
 * Returns the number of a short text. Equal texts have the same number until the number is given to another text. GENERATIONS
 * counts how often that happens.
 */
export function intern(start: i32, length: i32): i32 {
  const slot = <i32>(hash(start, length, 0) >> 40) & (INTERN_SLOTS - 1);
  // An entry holds the length plus 1, and the text. The number 0 marks an unused entry.
  const entry = INTERNED + slot * INTERN_CELL;
  if (load<i32>(entry) !== length + 1 || !areSameBytes(entry + 4, start, length)) {
    const generation = GENERATIONS + (slot << 2);
    store<i32>(generation, load<i32>(generation) + 1);
    store<i32>(entry, length + 1);
    memory.copy(entry + 4, start, length);
  }
  return slot;
}
