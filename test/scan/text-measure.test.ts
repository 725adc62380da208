/** If this fails, stream rules about texts give different findings for recognised and for parsed events. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { computeSum, joinSums, measureSize, measureSum } from "../../generator/conform/text-measure.js";
import { createInstance } from "../../generator/scan/instance.js";
import { INPUT } from "../../generator/scan/layout.js";
import { escapeUnit } from "./alike.js";

const instance = createInstance("type", "key", new Set());

/** JSON spellings of short texts: as JSON.stringify spells them, or with escapes. */
const spelledText = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 9 }) },
      fc.string({ unit: "binary", minLength: 1, maxLength: 2 }),
      fc.constantFrom(...'\ufffd|\ud83d|\ude00|\n|\u2028|\u0000|/|"|\\|é|\u{10ffff}'.split("|")),
    ),
    fc.constantFrom("plain", "lower", "upper", "slash"),
  )
  .map(([text, how]) => {
    if (how === "slash" && text === "/") return "\\/";
    if (how === "plain" && text.isWellFormed()) return JSON.stringify(text).slice(1, -1);
    const escaped = text.split("").map(escapeUnit).join("");
    return how === "upper" ? escaped.toUpperCase().replaceAll("\\U", "\\u") : escaped;
  });

/** Asserts that the scanner and the stream rules measure the text of a JSON spelling in the same way. */
function expectSameMeasure(spelling: string): void {
  const line = Buffer.from(`"${spelling}"`);
  instance?.load(line, 0, line.length);
  const measured = instance?.measure(INPUT + 1, INPUT + line.length - 1);
  const text: string = JSON.parse(line.toString());
  expect({ ...measured }).toEqual({ ...measureSum(text), ...measureSize(text) });
}

it("measures strings as the stream rules do", () => {
  fc.assert(
    fc.property(fc.array(spelledText, { maxLength: 12 }), (parts) => {
      expectSameMeasure(parts.join(""));
    }),
    { numRuns: 3_000, seed: 7 },
  );
});

it.each(
  "\\ud83dabcd\\ude00 \\ud83d\\n\\ude00 \\ud83da\\ude00 \\ud83d\\ude00\\ude00 \\u007f\\u0080 \\u07ff\\u0800 \\ud7ff \\ue000".split(
    " ",
  ),
)("measures %s", (spelling) => {
  expectSameMeasure(spelling);
});

it("joins the sums of two texts to the sum of the whole text", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const whole = computeSum(one + other, 0, 0);
      const [first, second] = [measureSum(one), measureSum(other)];
      if (first === undefined || second === undefined) throw new Error("no texts");
      expect(joinSums(first.sum, second)).toBe(whole);
      expect(computeSum(other, 0, first.sum)).toBe(whole);
    }),
    { seed: 7 },
  );
});

it("gives different sums to texts that differ in two neighbouring characters", () => {
  const char = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 });
  fc.assert(
    fc.property(fc.string(), fc.string(), char, char, char, char, (before, after, a, b, c, d) => {
      fc.pre(a !== c || b !== d);
      const sums = [a + b, c + d].map((pair) => measureSum(before + pair + after)?.sum);
      expect(sums[0]).not.toBe(sums[1]);
    }),
    { numRuns: 2_000, seed: 7 },
  );
});
