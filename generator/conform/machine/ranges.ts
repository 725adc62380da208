/** Sets of whole numbers, as lists of ranges that neither overlap nor touch, in ascending order. */

/** The first and the last number of a range. */
export type Range = readonly [first: number, last: number];

/** Returns the set with the numbers from `first` to `last`. */
export function addRange(ranges: readonly Range[], first: number, last: number): readonly Range[] {
  if (first > last) return ranges;
  const [lastFirst, lastLast] = ranges.at(-1) ?? [first, Number.NEGATIVE_INFINITY];
  // Most numbers are added behind all others. A stream may have very many ranges.
  if (first > lastLast + 1) return [...ranges, [first, last]];
  if (first >= lastFirst) return [...ranges.slice(0, -1), [lastFirst, Math.max(lastLast, last)]];
  const touches = ([from, to]: Range): boolean => from <= last + 1 && to >= first - 1;
  const merged = ranges.filter(touches);
  const low = Math.min(first, ...merged.map(([from]) => from));
  const high = Math.max(last, ...merged.map(([, to]) => to));
  return [
    ...ranges.filter((range) => !touches(range) && range[0] < low),
    [low, high],
    ...ranges.filter((range) => !touches(range) && range[0] > high),
  ];
}

/** Returns how many numbers from `first` to `last` are in the set. */
export function countCovered(ranges: readonly Range[], first: number, last: number): number {
  let count = 0;
  for (let index = ranges.length - 1; index >= 0; index--) {
    const [from, to] = ranges[index] as Range;
    if (to < first) break;
    if (from <= last) count += Math.min(to, last) - Math.max(from, first) + 1;
  }
  return count;
}

/** Returns the ranges of numbers from `first` to `last` that are not in the set. */
export function listUncovered(ranges: readonly Range[], first: number, last: number): Range[] {
  const uncovered: Range[] = [];
  let next = first;
  for (const [from, to] of ranges) {
    if (to < next) continue;
    if (from > last) break;
    if (from > next) uncovered.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) uncovered.push([next, last]);
  return uncovered;
}
