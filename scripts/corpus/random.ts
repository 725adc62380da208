/** Draws that depend on the seed alone. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** True in the share `p` of all draws. */
  chance(p: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A ULID of the time `ms` (milliseconds since 1970). */
  ulid(ms: number): string;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The generator Mulberry32: fast, and good enough for test data. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  const bits = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const between = (low: number, high: number): number =>
    low + Math.floor((bits() / 2 ** 32) * (high - low + 1));
  const letters = (count: number): string => {
    let text = "";
    for (let i = 0, value = bits(); i < count; i++, value >>>= 5) text += CROCKFORD[value & 31];
    return text;
  };
  return {
    between,
    chance: (p) => bits() / 2 ** 32 < p,
    pick: (list) => list[between(0, list.length - 1)] as (typeof list)[number],
    ulid: (ms) => timeOf(ms) + letters(6) + letters(6) + letters(4),
  };
}

function timeOf(ms: number): string {
  let text = "";
  for (let i = 0, rest = ms; i < 10; i++, rest = Math.floor(rest / 32)) text = CROCKFORD[rest % 32] + text;
  return text;
}
