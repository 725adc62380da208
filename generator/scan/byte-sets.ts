/** Sets of bytes that patterns name. */

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** What a text may hold that is asked about. */
export const PRINTABLE: ReadonlySet<number> = new Set(range(0x20, 0x7e));
const DIGITS = range(0x30, 0x39);
const WORD = [...DIGITS, ...range(0x41, 0x5a), ...range(0x61, 0x7a), 0x5f];

function allBut(bytes: readonly number[]): number[] {
  return [...PRINTABLE].filter((byte) => !bytes.includes(byte));
}

/** What the escapes of classes stand for. */
export const ESCAPES: ReadonlyMap<string, readonly number[]> = new Map([
  ["d", DIGITS],
  ["D", allBut(DIGITS)],
  ["w", WORD],
  ["W", allBut(WORD)],
  ["s", [0x20]],
  ["S", allBut([0x20])],
]);
