import { createRandom, type Random } from "../../generator/random.js";

/** Random numbers and identifiers that depend on the seed only. */
export interface CorpusRandom extends Random {
  /** Makes a ULID of the time `ms` (milliseconds since 1970). */
  ulid(ms: number): string;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Creates the random numbers and identifiers of a seed. */
export function createCorpusRandom(seed: number): CorpusRandom {
  const random = createRandom(seed);
  // One random number has 32 bits, and a letter takes 5 of them: at most six letters.
  const drawLetters = (count: number): string => {
    let text = "";
    for (let i = 0, value = random.next() * 2 ** 32; i < count; i++, value >>>= 5)
      text += CROCKFORD[value & 31];
    return text;
  };
  return { ...random, ulid: (ms) => encodeTime(ms) + drawLetters(6) + drawLetters(6) + drawLetters(4) };
}

/** Returns the first ten letters of a ULID, which encode its time. */
function encodeTime(ms: number): string {
  let text = "";
  for (let i = 0, rest = ms; i < 10; i++, rest = Math.floor(rest / 32)) text = CROCKFORD[rest % 32] + text;
  return text;
}
