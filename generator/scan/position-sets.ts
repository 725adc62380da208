/**
 * Finds the patterns that restrict each position of a text on its own, as those of identifiers do. The scanner looks up sixteen
 * bytes at a time, by their two halves (Langdale and Lemire 2019, Parsing gigabytes of JSON per second, 3.1.2).
 */
import { type ByteNfa, followEmptySteps } from "./byte-nfa.js";
import { MAX_POSITIONS, POSITION_BYTES, POSITION_CELL, POSITION_MASKS, POSITIONS } from "./layout.js";

/** The bytes that each position admits. */
interface PositionSets {
  /** Printable ASCII only. */
  readonly sets: readonly ReadonlySet<number>[];
  /** The least length of a text. */
  readonly min: number;
  /** Whether the last set holds for all further positions. */
  readonly repeats: boolean;
}

/** Returns the sets of a pattern; undefined if it restricts texts in other ways too. */
export function findPositionSets(nfa: ByteNfa): PositionSets | undefined {
  const { states, start, end } = nfa;
  const listReaders = (closed: readonly number[]) =>
    closed.flatMap((at) => (states[at]?.bytes ? [states[at]] : []));
  const anywhere = followEmptySteps(nfa, [start], undefined);
  if (anywhere.includes(end) || listReaders(anywhere).length > 0) return undefined;
  const sets: ReadonlySet<number>[] = [];
  let min: number | undefined;
  for (let closed = followEmptySteps(nfa, [start], "start"); ; ) {
    // A text that matches at this place also matches with any text after it.
    if (closed.includes(end)) return undefined;
    const ends = followEmptySteps(nfa, closed, "end").includes(end);
    if (ends) min ??= sets.length;
    else if (min !== undefined) return undefined;
    const reading = listReaders(closed);
    if (reading.length === 0) return min === undefined ? undefined : { sets, min, repeats: false };
    const next = reading.map(({ to }) => followEmptySteps(nfa, to, undefined));
    const [first = []] = next;
    if (sets.length >= MAX_POSITIONS || next.some((reached) => reached.join() !== first.join()))
      return undefined;
    sets.push(new Set(reading.flatMap(({ bytes = [] }) => [...bytes])));
    if (first.join() === closed.join()) return min === undefined ? undefined : { sets, min, repeats: true };
    closed = first;
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
  const only = sets.map((set) => (set.size === 1 ? Math.max(...set) : 0));
  const cell = POSITIONS + number * POSITION_CELL;
  const cellBytes = new Uint8Array(memory, cell, POSITION_CELL);
  for (const [bit, { high, low }] of blocks.entries())
    for (let half = 0; half < 16; half++) {
      if (low & (1 << half)) cellBytes[half] = (cellBytes[half] as number) | (1 << bit);
      if (high & (1 << half)) cellBytes[16 + half] = (cellBytes[16 + half] as number) | (1 << bit);
    }
  new Int32Array(memory, cell + 32, 1).set([min]);
  for (const [places, at] of [
    [masks, POSITION_MASKS],
    [only, POSITION_BYTES],
  ] as const) {
    cellBytes.fill(repeats ? (places.at(-1) ?? 0) : 0, at, at + MAX_POSITIONS + 16);
    cellBytes.set(places, at);
  }
  return true;
}

/** Adds a block unless it is there, and returns its bit, which is beyond a byte if there are too many blocks. */
function addBlock({ high, low }: Block, blocks: Block[]): number {
  const known = blocks.findIndex((block) => block.low === low && block.high === high);
  return 2 ** (known < 0 ? blocks.push({ high, low }) - 1 : known);
}

/** Groups the bytes of a set in blocks. */
function groupBlocks(set: ReadonlySet<number>): Block[] {
  const rows = new Array<number>(16).fill(0);
  for (const byte of set) rows[byte >> 4] = (rows[byte >> 4] as number) | (1 << (byte & 15));
  const blocks: Block[] = [];
  for (const [half, low] of rows.entries()) {
    if (low === 0) continue;
    const same = blocks.find((block) => block.low === low);
    if (same) same.high |= 1 << half;
    else blocks.push({ high: 1 << half, low });
  }
  return blocks;
}
