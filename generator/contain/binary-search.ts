/**
 * Returns whether a sorted list contains the wanted item. `order` is 0 for this item, negative for items before it, and
 * positive for items after it.
 */
export function includesSorted<T>(items: readonly T[], order: (item: T) => number): boolean {
  let low = 0;
  let high = items.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item === undefined) return false;
    const compared = order(item);
    if (compared === 0) return true;
    if (compared < 0) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
