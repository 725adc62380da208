/** A value and its place in its wrapper. */
export interface Unwrapped {
  /** JSON pointer of the value in the wrapper. */
  readonly pointer: string;
  readonly value: unknown;
}

/**
 * Returns the envelopes in a value: the items of an array, and the data of a wrapper such as
 * `{"object": "event", "data": {…}}`, with any text for `object`, or the items of that data. Items may be wrapped, too. Any
 * other value is an envelope itself, and so is an object with one of the `discriminators`.
 */
export function unwrap(value: unknown, discriminators: readonly string[] = ["type"]): readonly Unwrapped[] {
  if (Array.isArray(value)) return unwrapItems(value, "", discriminators);
  const data = findContent(value, discriminators);
  if (data === undefined) return [{ pointer: "", value }];
  return Array.isArray(data)
    ? unwrapItems(data, "/data", discriminators)
    : [{ pointer: "/data", value: data }];
}

/** Returns whether a value is an envelope itself, which is the usual case. */
export function isEnvelope(value: unknown, discriminators: readonly string[]): boolean {
  return !Array.isArray(value) && findContent(value, discriminators) === undefined;
}

/** Returns the envelopes in the items of a list. */
function unwrapItems(list: readonly unknown[], at: string, discriminators: readonly string[]): Unwrapped[] {
  return list.map((item, index) => {
    const data = findContent(item, discriminators);
    return data === undefined || Array.isArray(data)
      ? { pointer: `${at}/${index}`, value: item }
      : { pointer: `${at}/${index}/data`, value: data };
  });
}

/** Returns the content of a wrapper; undefined for other values. */
function findContent(value: unknown, discriminators: readonly string[]): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Object.hasOwn(value, "object") || !Object.hasOwn(value, "data")) return undefined;
  for (const name of discriminators) if (Object.hasOwn(value, name)) return undefined;
  const { object, data } = value as { readonly object: unknown; readonly data: unknown };
  return typeof object === "string" && typeof data === "object" && data !== null ? data : undefined;
}
