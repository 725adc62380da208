import { isObject, type Json } from "../../generator/json.js";

/** Values that few schemas accept. JSON.parse makes `__proto__` an own property. */
export const UNUSUAL_VALUES: readonly Json[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  -0,
  "",
  "x",
  "2026-02-30T00:00:00Z",
  "😀".repeat(200),
  [],
  [null, null],
  {},
  JSON.parse('{"__proto__":{"type":"x"},"constructor":1,"toString":null}'),
];

/** Yields copies of `value` with one change: a part is replaced by an unusual value or removed, or a field is added. */
export function* mutateValue(value: Json): Generator<Json> {
  yield* UNUSUAL_VALUES;
  if (Array.isArray(value)) {
    yield value.slice(1);
    yield [...value, value[0] ?? null];
    for (const [index, item] of value.entries())
      for (const other of mutateValue(item)) yield value.map((old, i) => (i === index ? other : old));
  } else if (isObject(value)) {
    for (const name of ["undeclared", "constructor", "a/b~c", ""]) yield { ...value, [name]: 1 };
    for (const [name, item] of Object.entries(value)) {
      const { [name]: _gone, ...rest } = value;
      yield rest;
      for (const other of mutateValue(item)) yield { ...value, [name]: other };
    }
  }
}
