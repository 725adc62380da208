/** Remembers the ids of the events of each stream, in two generations. */
import { ID_BYTES, ID_CELL, ID_CELLS, ID_SLOTS, ID_TABLE, MAX_ID_BYTES, MAX_IDS, NO_ROOM } from "../layout";
import { areSameBytes, hash } from "./bytes";

/** The number of the current generation: 0 or 1. */
let generation: i32 = 0;
/** The number of ids of the current generation, and the number of their bytes. */
let count: i32 = 0;
let bytes: i32 = 0;

/** The number of slots that are searched for an id. It limits the work if somebody sends ids with equal hashes. */
const MAX_STEPS: i32 = 64;

/** Returns the address of the slot that is `step` slots after the slot of a hash. */
function findSlot(sum: u64, step: i32): i32 {
  return ID_TABLE + (((<i32>sum + step) & (ID_SLOTS - 1)) << 1);
}

/**
 * Returns the number of the id whose bytes are at `start`, in the stream `owner`. If the id is new, the result is negative:
 * the complement of its number if `adds` is 1 and there is room for it, otherwise NO_ROOM.
 */
export function rememberId(owner: i32, start: i32, length: i32, adds: i32): i32 {
  const sum = hash(start, length, owner);
  const check = <u32>(sum >> 32);
  for (let step = 0; step < MAX_STEPS; step++) {
    const slot = findSlot(sum, step);
    const number = <i32>load<u16>(slot) - 1;
    if (number < 0) return adds === 1 ? addId(slot, check, owner, start, length) : NO_ROOM;
    const cell = ID_CELLS + number * ID_CELL;
    if (
      load<u32>(cell) === check &&
      load<i32>(cell, 4) === owner &&
      load<i32>(cell, 12) === length &&
      areSameBytes(load<i32>(cell, 8), start, length)
    )
      return number;
  }
  return NO_ROOM;
}

function addId(slot: i32, check: u32, owner: i32, start: i32, length: i32): i32 {
  // Copying eight bytes at a time may write up to seven bytes after the id.
  if (count >= MAX_IDS || bytes + length + 8 > MAX_ID_BYTES) return NO_ROOM;
  const number = generation * MAX_IDS + count;
  const text = ID_BYTES + generation * MAX_ID_BYTES + bytes;
  for (let i = 0; i < length; i += 8) store<u64>(text + i, load<u64>(start + i));
  const cell = ID_CELLS + number * ID_CELL;
  store<u32>(cell, check);
  store<i32>(cell, owner, 4);
  store<i32>(cell, text, 8);
  store<i32>(cell, length, 12);
  store<u16>(slot, number + 1);
  count++;
  bytes += length;
  return ~number;
}

/** Begins a new generation. Only the ids of the current generation are still known; older ids are forgotten. */
export function rotateIds(): void {
  memory.fill(ID_TABLE, 0, ID_SLOTS << 1);
  for (let number = generation * MAX_IDS, last = number + count; number < last; number++) {
    const cell = ID_CELLS + number * ID_CELL;
    const sum = hash(load<i32>(cell, 8), load<i32>(cell, 12), load<i32>(cell, 4));
    let slot = findSlot(sum, 0);
    for (let step = 1; load<u16>(slot) !== 0; step++) slot = findSlot(sum, step);
    store<u16>(slot, number + 1);
  }
  generation ^= 1;
  count = 0;
  bytes = 0;
}
