import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Budget, DEFAULT_LIMITS } from "../../generator/contain/budget.js";
import { compilePattern } from "../../generator/contain/nfa.js";
import { regExp } from "../../generator/contain/pattern.js";
import { findWord } from "../../generator/contain/words.js";

const ATOMS = [
  "a",
  "b",
  "[ab]",
  "[^a]",
  ".",
  "\\d",
  "\\w",
  "^",
  "$",
  "\\b",
  "\\B",
  "(?=b)",
  "(?!b)",
  "(?<=a)",
  "(?<!a)",
];

/** A random pattern over a small alphabet. */
const pattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...ATOMS),
    fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => left + right),
    fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}"))
      .map(([inner, times]) => `(?:${inner})${times}`),
  ),
})).pattern;

const anyLength = { min: 0, max: Number.POSITIVE_INFINITY };

describe("words of patterns", () => {
  it("agree with RegExp: a word found matches as asked, and where none is found no short word does", () => {
    const short = fc.array(fc.constantFrom("a", "b", "1", "_", " ", "\n", "é"), { maxLength: 4 });
    const property = fc.property(
      pattern,
      fc.boolean(),
      fc.array(short, { minLength: 30, maxLength: 30 }),
      (source, positive, words) => {
        const nfa = compilePattern(source, 10_000);
        if (!nfa) return;
        const result = findWord([{ nfa, positive }], anyLength, new Set(), new Budget(DEFAULT_LIMITS));
        const matches = (word: string) => regExp(source).test(word) === positive;
        if (result.is === "word") expect(matches(result.word)).toBe(true);
        else expect(words.map((chars) => chars.join("")).filter(matches)).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: 1_500, seed: 3 });
  });

  it("finds the one word that is not excluded", () => {
    const nfa = compilePattern("^[ab]{2}$", 100);
    if (!nfa) throw new Error("the pattern is regular");
    const find = (...excluded: string[]) =>
      findWord([{ nfa, positive: true }], anyLength, new Set(excluded), new Budget(DEFAULT_LIMITS));
    expect(find("aa", "ab", "bb")).toEqual({ is: "word", word: "ba" });
    expect(find("aa", "ab", "bb", "ba")).toEqual({ is: "none" });
  });
});
