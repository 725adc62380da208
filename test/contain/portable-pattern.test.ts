/** If this fails, packages in other languages match other texts with a pattern or a format than JavaScript does. */
import { describe, expect, it } from "vitest";
import { createPortablePattern } from "../../generator/contain/regex/portable-pattern.js";
import { createRandom } from "../../generator/random.js";
import { automaton } from "../../generator/runtime/runtime.js";
import { FORMATS, getFormatPattern } from "../../generator/schema/formats.js";

/** Matches a text as the packages in other languages do. */
function matchText(pattern: string, text: string): boolean {
  const tests = createPortablePattern(pattern);
  if (tests === undefined) throw new Error("the pattern has no tables");
  const length = [...text].length;
  return tests.every(
    ({ automaton: tables, negate = false, min = 0, max = length }) =>
      length >= min && length <= max && automaton(...tables).test(text) !== negate,
  );
}

/** Texts that a format accepts. */
const FORMAT_TEXTS: readonly string[] = [
  ...["2024-02-29T23:59:60Z", "2026-05-03T10:23:40.123+02:00", "2024-02-29", "23:59:59.5-01:00"],
  ...["1b4e28ba-2fa1-11d2-883f-0016d3cca427", "https://user@a.b:80/c%20d?e=[f]#g", "../a?b#c", "urn:x:y"],
  ...["P1Y2M3DT4H5M6S", "P3W", "a.b+c@d-e.org", "a-b.example.com.", "192.168.0.255", "::ffff:1.2.3.4"],
  ...["2001:db8::8a2e:370:7334", "/a/~0b/~1", "0#", "1/a", "/{+path}/x{?a,b*}", "\u{1f600}"],
];

const PATTERNS: readonly string[] = [
  ...[...FORMATS.keys()].flatMap((name) => getFormatPattern(name) ?? []),
  ...[
    "^(?!https?:)(?=.*a).{2,}$",
    "^[^a]{0,3000}$",
    "(?:^|\\W)a\\b",
    "\\p{Lu}",
    "^\\S+$",
    "^.$",
    "a$",
    "\\B1",
  ],
  ...["^(a|b)\\1$", "(?<=:)\\d{2}", "^\\w[\\w.]*(?<!\\.)$", "^[\\s\\S]{1,200}$", "(?:a{2}){3}"],
];

/** Returns the texts and copies of them with one or two characters changed. */
function createTexts(): string[] {
  const random = createRandom(46);
  const characters = [..."aA0_-.:/%é \n\u2028Kſ", "\u{1f600}", ""];
  return FORMAT_TEXTS.flatMap((text) => [
    text,
    ...Array.from({ length: 40 }, () => {
      const units = [...text];
      for (let edits = random.between(1, 2); edits > 0; edits--)
        units.splice(random.below(units.length + 1), random.below(2), random.pick(characters));
      return units.join("");
    }),
  ]);
}

describe("tables for other languages", () => {
  const texts = createTexts();

  it.each(PATTERNS)("match what the pattern matches: %s", (pattern) => {
    const regExp = new RegExp(pattern, "u");
    expect(texts.filter((text) => matchText(pattern, text) !== regExp.test(text))).toEqual([]);
  });

  it.each([...FORMATS])("match what the format %s accepts", (name, { pattern }) => {
    const source = getFormatPattern(name) ?? "";
    expect(texts.filter((text) => matchText(source, text) !== pattern.test(text))).toEqual([]);
    expect(FORMAT_TEXTS.some((text) => pattern.test(text))).toBe(true);
  });

  it.each(["^(a+)b\\1$", "(?:a|b)*a(?:a|b){14}$"])("do not exist for %s", (pattern) => {
    expect(createPortablePattern(pattern)).toBeUndefined();
  });
});
