import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzz } from "../../scripts/fuzz-contain.js";

describe("a short run of the fuzzer", () => {
  it("finds no contradiction between proofs, witnesses and two validators", { timeout: 60_000 }, async () => {
    const tally = await fuzz({ seconds: 15, seed: 20_261_121, pairs: 500 });
    expect(tally.contradictions).toEqual([]);
    expect(tally.pairs).toBeGreaterThan(50);
    expect(tally.undecided / tally.pairs).toBeLessThan(0.1);
  });

  it("from any seed", { timeout: 60_000 }, async () => {
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      const { contradictions } = await fuzz({ seconds: 2, seed, pairs: 5 });
      expect(contradictions).toEqual([]);
    });
    await fc.assert(property, { numRuns: 25, seed: 7 });
  });
});
