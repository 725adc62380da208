/**
 * Returns whether a sorted list contains the wanted item. `compare` returns 0 for this item, a negative number for items
 * before it, and a positive number for items after it.
 */
export function includesSorted<T>(items: readonly T[], compare: (item: T) => number): boolean {
  let low = 0;
  let high = items.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item === undefined) return false;
    const order = compare(item);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
