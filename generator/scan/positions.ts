/**
 * Patterns that say of each place of a text alone which bytes may stand there, as those of identifiers do: sixteen bytes
 * are looked up together, by their two halves (Langdale and Lemire 2019, Parsing gigabytes of JSON per second, 3.1.2).
 */
import { MOST_POSITIONS, POSITION_BYTES, POSITION_CELL, POSITION_MASKS, POSITIONS } from "./layout.js";
import { closure, type Nodes } from "./nodes.js";

/** What may stand where. */
export interface Positions {
  /** Printable ASCII only. */
  readonly sets: readonly ReadonlySet<number>[];
  /** How many places there are at least. */
  readonly min: number;
  /** Whether the last set holds for all further places. */
  readonly repeats: boolean;
}

/** The positions of a pattern; undefined if there is more to it. */
export function positionsOf(all: Nodes): Positions | undefined {
  const { nodes, start, end } = all;
  const readers = (closed: readonly number[]) =>
    closed.flatMap((at) => (nodes[at]?.bytes ? [nodes[at]] : []));
  const anywhere = closure(all, [start], undefined);
  if (anywhere.includes(end) || readers(anywhere).length > 0) return undefined;
  const sets: ReadonlySet<number>[] = [];
  let min: number | undefined;
  for (let closed = closure(all, [start], "start"); ; ) {
    // What matches already would match with anything behind it.
    if (closed.includes(end)) return undefined;
    const ends = closure(all, closed, "end").includes(end);
    if (ends) min ??= sets.length;
    else if (min !== undefined) return undefined;
    const reading = readers(closed);
    if (reading.length === 0) return min === undefined ? undefined : { sets, min, repeats: false };
    const next = reading.map(({ to }) => closure(all, to, undefined));
    const [first = []] = next;
    if (sets.length >= MOST_POSITIONS || next.some((one) => one.join() !== first.join())) return undefined;
    sets.push(new Set(reading.flatMap(({ bytes = [] }) => [...bytes])));
    if (first.join() === closed.join()) return min === undefined ? undefined : { sets, min, repeats: true };
    closed = first;
  }
}

/** Bytes whose upper half is one of some and whose lower half one of others, each set as 16 bits. */
interface Block {
  high: number;
  readonly low: number;
}

/** Writes positions under that number into a scanner's memory. Returns whether they could be told by eight blocks of bytes. */
export function writePositions(positions: Positions, memory: ArrayBuffer, number: number): boolean {
  const { sets, min, repeats } = positions;
  const blocks: Block[] = [];
  const masks = sets.map((set) =>
    set.size === 1 ? 0 : blocksOf(set).reduce((mask, block) => mask | bitOf(block, blocks), 0),
  );
  if (blocks.length > 8) return false;
  const only = sets.map((set) => (set.size === 1 ? Math.max(...set) : 0));
  const cell = POSITIONS + number * POSITION_CELL;
  const tables = new Uint8Array(memory, cell, POSITION_CELL);
  for (const [bit, { high, low }] of blocks.entries())
    for (let half = 0; half < 16; half++) {
      if (low & (1 << half)) tables[half] = (tables[half] as number) | (1 << bit);
      if (high & (1 << half)) tables[16 + half] = (tables[16 + half] as number) | (1 << bit);
    }
  new Int32Array(memory, cell + 32, 1).set([min]);
  for (const [places, at] of [
    [masks, POSITION_MASKS],
    [only, POSITION_BYTES],
  ] as const) {
    tables.fill(repeats ? (places.at(-1) ?? 0) : 0, at, at + MOST_POSITIONS + 16);
    tables.set(places, at);
  }
  return true;
}

/** The number of a block as a bit, which is beyond a byte if there are too many. */
function bitOf({ high, low }: Block, blocks: Block[]): number {
  const known = blocks.findIndex((block) => block.low === low && block.high === high);
  return 2 ** (known < 0 ? blocks.push({ high, low }) - 1 : known);
}

function blocksOf(set: ReadonlySet<number>): Block[] {
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
