import { type Random, seededRandom } from "../../generator/random.js";

/** Draws that depend on the seed alone, identifiers among them. */
export interface CorpusRandom extends Random {
  /** A ULID of the time `ms` (milliseconds since 1970). */
  ulid(ms: number): string;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The draws of a seed. */
export function createCorpusRandom(seed: number): CorpusRandom {
  const random = seededRandom(seed);
  const letters = (count: number): string => {
    let text = "";
    for (let i = 0, value = random.next() * 2 ** 32; i < count; i++, value >>>= 5)
      text += CROCKFORD[value & 31];
    return text;
  };
  return { ...random, ulid: (ms) => encodeTime(ms) + letters(6) + letters(6) + letters(4) };
}

function encodeTime(ms: number): string {
  let text = "";
  for (let i = 0, rest = ms; i < 10; i++, rest = Math.floor(rest / 32)) text = CROCKFORD[rest % 32] + text;
  return text;
}
