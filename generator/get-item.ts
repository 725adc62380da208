/** Returns the item at `index`. Throws if there is none, which is a bug of the caller. */
export function getItem<T>(items: ArrayLike<T>, index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is no item ${index} of ${items.length}`);
  return item;
}
