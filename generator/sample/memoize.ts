/** Returns a function that calls `make` once for each object and forgets the result with the object. */
export function memoizeByObject<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const entry = cache.get(key) ?? { value: make(key) };
    cache.set(key, entry);
    return entry.value;
  };
}

/** Returns a function that calls `make` once for each name and keeps all results. */
export function memoizeByName<Value>(make: (name: string) => Value): (name: string) => Value {
  const made = new Map<string, Value>();
  return (name) => {
    const value = made.get(name) ?? make(name);
    made.set(name, value);
    return value;
  };
}

/** The number of results that a function of texts keeps before it forgets all of them. */
const MAX_TEXTS = 10_000;

/** Returns a function that calls `compute` once for the same texts, unless it is asked about very many. */
export function memoizeByTexts<Texts extends string[], Value>(
  compute: (...texts: Texts) => Value,
): (...texts: Texts) => Value {
  const cache = new Map<string, { readonly value: Value }>();
  return (...texts) => {
    const key = JSON.stringify(texts);
    const known = cache.get(key);
    if (known) return known.value;
    const value = compute(...texts);
    if (cache.size >= MAX_TEXTS) cache.clear();
    cache.set(key, { value });
    return value;
  };
}
