/** A repetition, or as many choices as it takes to read a text in many ways. */
const MANY_READINGS = /[*+{]|(?:[?|][^?|]*){10}/;

/** Returns whether a backtracking matcher may be slow on a pattern. If not, the libraries that decide it need not be loaded. */
export function mayBacktrack(pattern: string): boolean {
  return MANY_READINGS.test(pattern);
}
