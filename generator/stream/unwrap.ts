/** A value and its place in what it was wrapped in. */
export interface Unwrapped {
  /** JSON pointer of the value in the wrapper. */
  readonly pointer: string;
  readonly value: unknown;
}

/**
 * The envelopes inside of a value: of `{"object": "event", "data": {…}}` its data, of an array or of
 * `{"object": "list", "data": […]}` each item, of which every one may be wrapped itself; any other name for `object` is
 * fine. Everything else is an envelope as it stands, and so is an object that has one of the `discriminators`.
 */
export function unwrap(value: unknown, discriminators: readonly string[] = ["type"]): readonly Unwrapped[] {
  if (Array.isArray(value)) return items(value, "", discriminators);
  const data = wrapped(value, discriminators);
  if (data === undefined) return [{ pointer: "", value }];
  return Array.isArray(data) ? items(data, "/data", discriminators) : [{ pointer: "/data", value: data }];
}

/** Whether `value` is an envelope as it stands, the usual case. */
export function isBare(value: unknown, discriminators: readonly string[]): boolean {
  return !Array.isArray(value) && wrapped(value, discriminators) === undefined;
}

function items(list: readonly unknown[], at: string, discriminators: readonly string[]): Unwrapped[] {
  return list.map((item, index) => {
    const data = wrapped(item, discriminators);
    return data === undefined || Array.isArray(data)
      ? { pointer: `${at}/${index}`, value: item }
      : { pointer: `${at}/${index}/data`, value: data };
  });
}

/** The content of a wrapper; undefined if `value` is not a wrapper. */
function wrapped(value: unknown, discriminators: readonly string[]): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Object.hasOwn(value, "object") || !Object.hasOwn(value, "data")) return undefined;
  for (const name of discriminators) if (Object.hasOwn(value, name)) return undefined;
  const { object, data } = value as { readonly object: unknown; readonly data: unknown };
  return typeof object === "string" && typeof data === "object" && data !== null ? data : undefined;
}
