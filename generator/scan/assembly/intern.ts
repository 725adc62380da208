/** Short texts that come again and again, under small numbers. */
import { GENERATIONS, INTERN_CELL, INTERN_SLOTS, INTERNED } from "../layout";

/** 2^64 over the golden ratio. */
const MIXER: u64 = ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;

/** The number of a short text: the same for the same bytes, until another one takes its number; GENERATIONS counts that. */
export function intern(start: i32, length: i32): i32 {
  let sum: u64 = length;
  for (let i = 0; i < length; i += 8) {
    const rest = length - i;
    const word = rest >= 8 ? load<u64>(start + i) : load<u64>(start + i) << (<u64>((8 - rest) << 3));
    sum = (sum ^ word) * MIXER;
    sum ^= sum >> 29;
  }
  const slot = <i32>(sum >> 40) & (INTERN_SLOTS - 1);
  const entry = INTERNED + slot * INTERN_CELL;
  if (load<i32>(entry) !== length + 1 || memory.compare(entry + 4, start, length) !== 0) {
    const generation = GENERATIONS + (slot << 2);
    store<i32>(generation, load<i32>(generation) + 1);
    store<i32>(entry, length + 1);
    memory.copy(entry + 4, start, length);
  }
  return slot;
}
