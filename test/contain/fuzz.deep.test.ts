/** If this fails, two independent validators contradict a proof or a witness. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzz } from "../../scripts/fuzz-contain.js";

describe("a short run of the fuzzer", () => {
  it("finds no contradiction, and examines enough values", {
    timeout: 240_000,
  }, async () => {
    const tally = await fuzz({ seconds: 200, seed: 20_261_121, pairs: 80 });
    expect(tally.contradictions).toEqual([]);
    expect(tally.insideA / tally.instances).toBeGreaterThan(0.2);
    expect(tally.differing / tally.instances).toBeLessThan(0.1);
    expect(tally.undecided / tally.pairs).toBeLessThan(0.1);
  });

  it("finds no contradiction from any seed", async () => {
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      const { contradictions } = await fuzz({ seconds: 60, seed, pairs: 4 });
      expect(contradictions).toEqual([]);
    });
    await fc.assert(property, { numRuns: 8, seed: 7 });
  });
});
