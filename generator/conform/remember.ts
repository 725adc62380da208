import type { Step } from "./stream-rule.js";

/** How many things one rule remembers of one stream; the oldest is forgotten for the next. */
export const MAX_KEYS = 10_000;

/** Sets `key` in `map`, which holds `MAX_KEYS` entries at most: the oldest entry is dropped, and the stream is reported as too large for a full check. */
export function remember<T>(map: Map<string, T>, key: string, value: T, step: Step): void {
  if (map.size >= MAX_KEYS && !map.has(key)) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
    step.limited(`more than ${MAX_KEYS} things that are followed at once`);
  }
  map.set(key, value);
}
