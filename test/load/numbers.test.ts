import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isExactNumber } from "../../generator/json.js";
import { mayRound } from "../../generator/source/numbers.js";
import { parseSource } from "../../generator/source/source.js";

const digits = (max: number): fc.Arbitrary<string> =>
  fc.stringMatching(/^[0-9]*$/, { maxLength: max }).map((text) => text.slice(0, max));

/** Numbers as JSON writes them, many of them at the edge of what a double holds. */
const numbers = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(
      fc.constantFrom("0", "9007199254740991", "9007199254740993", "179769313486231570"),
      digits(20).map((text) => `1${text}`),
    ),
    fc.oneof(
      fc.constant(""),
      digits(20).map((text) => `.0${text}`),
    ),
    fc.oneof(
      fc.constant(""),
      fc.tuple(fc.constantFrom("e", "E", "e-", "E+"), fc.nat(300)).map(([e, power]) => e + power),
    ),
  )
  .map((parts) => parts.join(""));

describe("a number that JavaScript reads as another one", () => {
  it("is never passed over", () => {
    fc.assert(
      fc.property(numbers, fc.constantFrom("", " ", "\n"), (text, blank) => {
        const parsed = parseSource("x.json", Buffer.from(`{"a":[${blank}${text}${blank}]}`));
        if ("source" in parsed && !mayRound(parsed.source)) expect(isExactNumber(text)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("is not suspected in a schema as most are", () => {
    const text = '{"minimum": 0.001, "maximum": 9007199254740991, "description": "2026-05-03T10:00:00.336Z"}';
    const parsed = parseSource("x.json", Buffer.from(text));
    expect("source" in parsed && mayRound(parsed.source)).toBe(false);
  });
});
