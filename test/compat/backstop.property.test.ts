/**
 * If this fails, `accrete compat` passes a change although a message of a stable or candidate contract breaks, or refuses
 * a pure addition. The folder oracle/ decides by messages alone. `npm run fuzz:compat` examines more protocols.
 */
import { describe, expect, it } from "vitest";
import { formatCounterexample } from "./oracle/format-counterexample.js";
import { fuzzCompat } from "./oracle/fuzz-compat.js";

const FIXED = 20_261_122;
const RANDOM = Math.floor(Math.random() * 1_000_000);

/** A test takes seconds on an idle core, and minutes on a busy one. */
const TIMEOUT = 180_000;

describe("accrete compat agrees with the messages of random protocols", () => {
  it.each([
    { seed: FIXED, pairs: 60, least: 10 },
    { seed: RANDOM, pairs: 30, least: 2 },
  ])(
    "with seed $seed",
    async ({ seed, pairs, least }) => {
      const { counterexamples, shown, unloadable } = await fuzzCompat({ seed, pairs, maxCounterexamples: 1 });
      expect(counterexamples.map(formatCounterexample)).toEqual([]);
      const found = Object.values(shown).reduce((sum, count) => sum + count, 0);
      expect(found, "comparisons that had something to find").toBeGreaterThanOrEqual(least);
      expect(unloadable, "versions that lint refuses").toBeLessThan(pairs / 5);
    },
    TIMEOUT,
  );
});
