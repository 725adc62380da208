/** Gives numbers to short texts that occur often. */
import { GENERATIONS, INTERN_CELL, INTERN_SLOTS, INTERNED } from "../layout";
import { hash, isSame } from "./bytes";

/**
 * Returns the number of a short text. Equal bytes have the same number until the number is given to another text, which
 * GENERATIONS counts.
 */
export function intern(start: i32, length: i32): i32 {
  const slot = <i32>(hash(start, length, 0) >> 40) & (INTERN_SLOTS - 1);
  const entry = INTERNED + slot * INTERN_CELL;
  if (load<i32>(entry) !== length + 1 || !isSame(entry + 4, start, length)) {
    const generation = GENERATIONS + (slot << 2);
    store<i32>(generation, load<i32>(generation) + 1);
    store<i32>(entry, length + 1);
    memory.copy(entry + 4, start, length);
  }
  return slot;
}
