/** If this fails, answers about patterns are wrong. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Budget, DEFAULT_LIMITS } from "../../generator/contain/budget.js";
import { findWord } from "../../generator/contain/regex/find-word.js";
import { accepts } from "../../generator/contain/regex/matches-pattern.js";
import { compilePattern } from "../../generator/contain/regex/nfa.js";

const ATOMS =
  String.raw`a b [ab] [^a] . \d \w ^ $ \b \B (?=b) (?!b) (?<=a) (?<!a) (?=ab) (?!ab) (?=a*1) (?![ab]*1) (?=a(?!b|_))
  (?!a(?=b)|$) (?!a(?!b)) (?=(?<=ab)b) (?<=ab) (?<!ab) (?<=\b[ab]+) (?<!^a*)`.split(/\s+/);

/** Random patterns over a small alphabet. */
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

const word = fc.array(fc.constantFrom("a", "b", "1", "_", " ", "\n", "é"), { maxLength: 6 });

const anyLength = { min: 0, max: Number.POSITIVE_INFINITY };

describe("words of patterns", () => {
  it("match according to RegExp if one is found, and no short word matches if none is found", () => {
    const property = fc.property(
      pattern,
      fc.boolean(),
      fc.array(word, { minLength: 30, maxLength: 30 }),
      (source, positive, words) => {
        const nfa = compilePattern(source, 10_000);
        if (!nfa) return;
        const result = findWord([{ nfa, positive }], anyLength, new Set(), new Budget(DEFAULT_LIMITS));
        const matches = (word: string) => new RegExp(source, "u").test(word) === positive;
        if (result.kind === "word") expect(matches(result.word)).toBe(true);
        else expect(words.map((chars) => chars.join("")).filter(matches)).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: 1_500, seed: 3 });
  });

  it("are accepted by the automaton exactly if RegExp matches them", () => {
    const property = fc.property(pattern, word, (source, chars) => {
      const nfa = compilePattern(source, 10_000);
      if (!nfa) return;
      const text = chars.join("");
      expect(accepts(nfa, text, new Budget(DEFAULT_LIMITS))).toBe(new RegExp(source, "u").test(text));
    });
    fc.assert(property, { numRuns: 3_000, seed: 4 });
  });

  it("include the only word that is not excluded", () => {
    const nfa = compilePattern("^[ab]{2}$", 100);
    if (!nfa) throw new Error("the pattern is regular");
    const find = (...excluded: string[]) =>
      findWord([{ nfa, positive: true }], anyLength, new Set(excluded), new Budget(DEFAULT_LIMITS));
    expect(find("aa", "ab", "bb")).toEqual({ kind: "word", word: "ba" });
    expect(find("aa", "ab", "bb", "ba")).toEqual({ kind: "none" });
  });
});
