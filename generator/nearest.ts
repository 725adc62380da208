import { closest, distance } from "fastest-levenshtein";

/**
 * Returns the known name that was most likely meant: the only one that begins with `name`, if that has at least three
 * letters, or else the closest one, if at most two letters, or a quarter of them, differ.
 */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const longer = lower.length < 3 ? [] : known.filter((each) => each.toLowerCase().startsWith(lower));
  if (longer.length === 1) return longer[0];
  if (known.length === 0) return undefined;
  const lowerKnown = known.map((each) => each.toLowerCase());
  const best = closest(lower, lowerKnown);
  if (distance(lower, best) > Math.max(2, Math.floor(name.length / 4))) return undefined;
  return known.find((each) => each.toLowerCase() === best);
}

/** Returns whether a name is most likely a misspelt other one: one of at least four letters differs, or they have another order. */
export function isMisspelt(name: string, meant: string): boolean {
  const sort = (text: string): string => [...text].sort().join("");
  return sort(name) === sort(meant) || (name.length >= 4 && distance(name, meant) === 1);
}

/** Returns the end of a sentence about an unknown name: `; did you mean "x"?`, or a full stop if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = findNearest(name, known);
  return near === undefined ? "." : `; did you mean ${JSON.stringify(near)}?`;
}
