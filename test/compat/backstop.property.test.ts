/**
 * Whenever a message of a stable or candidate contract shows a break, `accrete compat` does not pass; and it passes what
 * only adds. Messages decide, without any rule of the comparison: see oracle/. `npm run fuzz:compat` asks more.
 */
import { describe, expect, it } from "vitest";
import { fuzzCompat } from "./oracle/fuzz-compat.js";
import { printCounterexample } from "./oracle/print-counterexample.js";

const FIXED = 20_261_122;
const RANDOM = Math.floor(Math.random() * 1_000_000);

/** Seconds on an idle core; many times that on a busy one. */
const TIMEOUT = 180_000;

describe("accrete compat agrees with the messages of random protocols", () => {
  it.each([
    { seed: FIXED, pairs: 60, least: 10 },
    { seed: RANDOM, pairs: 30, least: 2 },
  ])(
    "of seed $seed",
    async ({ seed, pairs, least }) => {
      const { counterexamples, shown, unloadable } = await fuzzCompat({ seed, pairs, most: 1 });
      expect(counterexamples.map(printCounterexample)).toEqual([]);
      const found = Object.values(shown).reduce((sum, count) => sum + count, 0);
      expect(found, "questions where there was something to find").toBeGreaterThanOrEqual(least);
      expect(unloadable, "versions that lint refuses").toBeLessThan(pairs / 5);
    },
    TIMEOUT,
  );
});
