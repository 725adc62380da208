/** Returns a function that calls `make` once for each object and forgets the result with the object. */
export function memoizeByObject<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const entry = cache.get(key) ?? { value: make(key) };
    cache.set(key, entry);
    return entry.value;
  };
}
