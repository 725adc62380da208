/**
 * If this fails, `accrete compat` passes a change although a message of a stable or candidate contract breaks, or refuses
 * a pure addition. The folder oracle/ decides by messages alone. `npm run fuzz:compat` examines more protocols.
 */
import { describe, expect, it } from "vitest";
import { formatCounterexample } from "./oracle/format-counterexample.js";
import { fuzzCompat } from "./oracle/fuzz-compat.js";

const FIXED_SEED = 20_261_122;
const RANDOM_SEED = Math.floor(Math.random() * 1_000_000);

/** A test takes seconds on an idle core, and minutes on a busy one. */
const TIMEOUT = 180_000;

describe("accrete compat agrees with the messages of random protocols", () => {
  it.each([
    { seed: FIXED_SEED, pairs: 60, minBreaks: 10 },
    { seed: RANDOM_SEED, pairs: 30, minBreaks: 2 },
  ])(
    "with seed $seed",
    async ({ seed, pairs, minBreaks }) => {
      const { counterexamples, shown, unloadable } = await fuzzCompat({ seed, pairs, maxCounterexamples: 1 });
      expect(counterexamples.map(formatCounterexample)).toEqual([]);
      const breakCount = Object.values(shown).reduce((sum, count) => sum + count, 0);
      expect(breakCount, "comparisons that had something to find").toBeGreaterThanOrEqual(minBreaks);
      expect(unloadable, "versions that lint refuses").toBeLessThan(pairs / 5);
    },
    TIMEOUT,
  );
});
