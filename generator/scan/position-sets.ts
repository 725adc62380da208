/**
 * Finds the patterns that restrict each position of a text separately, as patterns of identifiers do. The scanner checks
 * sixteen bytes at a time, by the two halves of each byte (Langdale and Lemire 2019, Parsing gigabytes of JSON per second,
 * 3.1.2).
 */
import { type ByteNfa, followEmptySteps } from "./byte-nfa.js";
import { MAX_POSITIONS, POSITION_BYTES, POSITION_CELL, POSITION_MASKS, POSITIONS } from "./layout.js";

/** The bytes that each position admits. */
interface PositionSets {
  /** Printable ASCII only. */
  readonly sets: readonly ReadonlySet<number>[];
  /** The least length of a text. */
  readonly min: number;
  /** True if the last set also applies to all later positions. */
  readonly repeats: boolean;
}

/** Returns the sets of a pattern; undefined if the pattern also restricts texts in other ways. */
export function findPositionSets(nfa: ByteNfa): PositionSets | undefined {
  const { states, start, end } = nfa;
  const listReaders = (reached: readonly number[]) =>
    reached.flatMap((number) => states[number] ?? []).filter(({ bytes }) => bytes !== undefined);
  const statesAnywhere = followEmptySteps(nfa, [start], undefined);
  // The pattern is not anchored to the start, so any text may precede a match.
  if (statesAnywhere.includes(end) || listReaders(statesAnywhere).length > 0) return undefined;
  const sets: ReadonlySet<number>[] = [];
  let min: number | undefined;
  let reachedStates = followEmptySteps(nfa, [start], "start");
  for (;;) {
    // The pattern is not anchored to the end, so any text may follow a match.
    if (reachedStates.includes(end)) return undefined;
    const canEnd = followEmptySteps(nfa, reachedStates, "end").includes(end);
    if (canEnd) min ??= sets.length;
    else if (min !== undefined) return undefined;
    const readers = listReaders(reachedStates);
    if (readers.length === 0) return min === undefined ? undefined : { sets, min, repeats: false };
    const next = readers.map(({ to }) => followEmptySteps(nfa, to, undefined));
    const [first = []] = next;
    if (sets.length >= MAX_POSITIONS || next.some((each) => each.join() !== first.join())) return undefined;
    sets.push(new Set(readers.flatMap(({ bytes = [] }) => [...bytes])));
    if (first.join() === reachedStates.join())
      return min === undefined ? undefined : { sets, min, repeats: true };
    reachedStates = first;
  }
}

/** The bytes whose upper half is in one set and whose lower half is in another. Each set has 16 bits. */
interface Block {
  high: number;
  readonly low: number;
}

/** Writes sets with that number into the memory of a scanner. Returns whether eight blocks of bytes are enough for them. */
export function writePositionSets(positions: PositionSets, memory: ArrayBuffer, number: number): boolean {
  const { sets, min, repeats } = positions;
  const blocks: Block[] = [];
  const masks = sets.map((set) =>
    set.size === 1 ? 0 : groupBlocks(set).reduce((mask, block) => mask | addBlock(block, blocks), 0),
  );
  if (blocks.length > 8) return false;
  const onlyBytes = sets.map((set) => (set.size === 1 ? Math.max(...set) : 0));
  const cell = POSITIONS + number * POSITION_CELL;
  const cellBytes = new Uint8Array(memory, cell, POSITION_CELL);
  for (const [bit, { high, low }] of blocks.entries())
    for (let half = 0; half < 16; half++) {
      if (low & (1 << half)) cellBytes[half] = (cellBytes[half] ?? 0) | (1 << bit);
      if (high & (1 << half)) cellBytes[16 + half] = (cellBytes[16 + half] ?? 0) | (1 << bit);
    }
  new Int32Array(memory, cell + 32, 1).set([min]);
  const writeForPositions = (values: readonly number[], offset: number): void => {
    cellBytes.fill(repeats ? (values.at(-1) ?? 0) : 0, offset, offset + MAX_POSITIONS + 16);
    cellBytes.set(values, offset);
  };
  writeForPositions(masks, POSITION_MASKS);
  writeForPositions(onlyBytes, POSITION_BYTES);
  return true;
}

/** Adds a block unless it is known. Returns its bit. With too many blocks, the bit does not fit into a byte. */
function addBlock({ high, low }: Block, blocks: Block[]): number {
  const index = blocks.findIndex((block) => block.low === low && block.high === high);
  if (index >= 0) return 2 ** index;
  blocks.push({ high, low });
  return 2 ** (blocks.length - 1);
}

/** Groups the bytes of a set in blocks. */
function groupBlocks(set: ReadonlySet<number>): Block[] {
  const rows = new Array<number>(16).fill(0);
  for (const byte of set) rows[byte >> 4] = (rows[byte >> 4] ?? 0) | (1 << (byte & 15));
  const blocks: Block[] = [];
  for (const [half, low] of rows.entries()) {
    if (low === 0) continue;
    const same = blocks.find((block) => block.low === low);
    if (same) same.high |= 1 << half;
    else blocks.push({ high: 1 << half, low });
  }
  return blocks;
}
