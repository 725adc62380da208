/** Short texts that come again and again, under small numbers. */
import { GENERATIONS, INTERN_CELL, INTERN_SLOTS, INTERNED } from "../layout";
import { hash, isSame } from "./bytes";

/** The number of a short text: the same for the same bytes, until another one takes its number; GENERATIONS counts that. */
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
