/** Whether a sorted list holds a value, by binary search; `order` tells where an item stands relative to the value. */
export function isAmong<T>(values: readonly T[], order: (item: T) => number): boolean {
  let [low, high] = [0, values.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const item = values[middle];
    if (item === undefined) return false;
    const compared = order(item);
    if (compared === 0) return true;
    if (compared < 0) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
