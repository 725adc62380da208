import { closest, distance } from "fastest-levenshtein";

/**
 * The known name that was most likely meant: the one of which `name` is the beginning, at least three letters long, or
 * the closest of which at most two letters, or a quarter of them, are otherwise.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const longer = lower.length < 3 ? [] : known.filter((each) => each.toLowerCase().startsWith(lower));
  if (longer.length === 1) return longer[0];
  const [best] =
    known.length === 0
      ? []
      : [
          closest(
            lower,
            known.map((each) => each.toLowerCase()),
          ),
        ];
  if (best === undefined || distance(lower, best) > Math.max(2, Math.floor(name.length / 4)))
    return undefined;
  return known.find((each) => each.toLowerCase() === best);
}

/** ` did you mean "x"?` behind a semicolon, or a full stop where nothing known resembles the name. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "." : `; did you mean ${JSON.stringify(near)}?`;
}
