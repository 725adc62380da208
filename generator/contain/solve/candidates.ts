/** Plain values to try before a search: where many different ones are wanted, most often these will do. */
import type { Json } from "../../json.js";

/** `count` each of the smallest integers and of the shortest words, then `others` and values of other types. */
export function* candidates(count: number, others: Iterable<string>): Generator<Json> {
  for (let i = 0; i < count; i++) yield i;
  for (let i = 0; i < count; i++) yield letters(i);
  yield* others;
  yield* [null, false, true, [], {}];
}

/** The words over a to z, shortest first: a, b, …, z, aa, ab, … */
export function letters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}
