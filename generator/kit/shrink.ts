import type { Steps } from "./steps.js";

/** The number of shorter lists that are tried for one failure. */
const MAX_ATTEMPTS = 200;

/** Removes items of a list, many at first, then one by one, as long as `fails` holds for the rest. */
export function* shrinkList<T>(
  list: readonly T[],
  fails: (shorter: readonly T[]) => Steps<boolean>,
): Steps<readonly T[]> {
  let shortest = list;
  let attempts = 0;
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let end = shortest.length; end > 0 && attempts < MAX_ATTEMPTS; end -= size) {
      const shorter = [...shortest.slice(0, Math.max(0, end - size)), ...shortest.slice(end)];
      attempts++;
      if (yield* fails(shorter)) shortest = shorter;
    }
  return shortest;
}
