/** If this fails, a validator accepts a text that its pattern refuses, or the reverse, because it remembers earlier texts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matcher } from "../../generator/runtime/runtime.js";

/** Few letters, so that most strings share their length and their end with an earlier one. */
const text = fc.string({ unit: fc.constantFrom("a", "b", "𝒶"), maxLength: 5 });
const long = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 60, maxLength: 70 });

describe("a matcher that remembers", () => {
  it.each([/^a+b*$/u, /^(a|𝒶)/u, /b.b|^$/u, /^(?:a|b){64,}a$/u])("accepts what %s accepts", (pattern) => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(fc.array(fc.oneof(text, long), { minLength: 50, maxLength: 200 }), (texts) => {
        const { test } = matcher(pattern);
        for (const one of [...texts, ...texts]) {
          const accepted = pattern.test(one);
          if (test(one) !== accepted) expect.fail(`${JSON.stringify(one)} after others`);
          seen[accepted ? "accepted" : "refused"]++;
        }
      }),
      { numRuns: 100 },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(500);
  });
});
