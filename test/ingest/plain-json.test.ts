/** If this fails, the fast check of JSON texts lets a repeated name or an infinite number pass. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { findJsonFindings } from "../../generator/source/json-text.js";
import { isPlainJson } from "../../generator/source/plain-json.js";
import { parseSource } from "../../generator/source/source.js";

/** Returns whether the fast check accepts a text in the middle of a buffer. */
function isPlain(text: string): boolean {
  const before = '"x":1\n';
  const bytes = Buffer.from(`${before}${text}\n"y":2`);
  return isPlainJson(JSON.parse(text), text, bytes, before.length, before.length + Buffer.byteLength(text));
}

const listBrokenRules = (text: string): string[] => findJsonFindings(text).map(({ rule }) => rule);

/** Texts, whether the fast check accepts them, and the rules that they break. */
const CASES: readonly (readonly [text: string, plain: boolean, rules?: readonly string[]])[] = [
  ['{"a":1,"b":[{"a":2},[]],"c":{},"d":"x"}', true],
  ['{"a":1,"a":1}', false, ["json-duplicate-key"]],
  ['{ "a" : 1 , "a" : 1 }', false, ["json-duplicate-key"]],
  ['{"a":{"b":1,"b":1}}', false, ["json-duplicate-key"]],
  ['[{"a":1},{"a":1}]', true],
  ['{"a\\\\":1,"b":"\\":\\":"}', true],
  ['{"a\\\\":1,"a\\\\":1}', false, ["json-duplicate-key"]],
  ['{"\\u0061":1,"a":1}', false, ["json-duplicate-key"]],
  ['{"__proto__":1,"__proto__":1}', false, ["json-duplicate-key"]],
  ['{"__proto__":{"a":1}}', true],
  // The fast check compares lengths, so a number that is spelled shorter must not hide a second member.
  ['{"a":1e9,"b":11,"b":11}', false, ["json-duplicate-key"]],
  ['[1e-6,1e-3,{"":0,"":0}]', false, ["json-duplicate-key"]],
  ['[12345e18,12345e18,12345e18,{"":10,"":10}]', false, ["json-duplicate-key"]],
  ['{"a":1e3,"b":1e-3,"c":-0,"d":1.50}', true],
  ['{"a":1e999}', false, ["json-number"]],
  ["[-1e999]", false, ["json-number"]],
  ["1e999", false, ["json-number"]],
  [`${"[".repeat(256)}${"]".repeat(256)}`, true],
  [`${"[".repeat(257)}${"]".repeat(257)}`, false, ["json-depth"]],
  // The fast check does not accept a string that begins with a colon, although the text is valid.
  ['{"a":": b","c":1e3}', false],
  ['"x"', true],
  ["null", true],
];

it.each(CASES.map(([text, plain, broken = []]) => ({ text, plain, broken })))(
  "accepts $text only if it is plain, and reports the rules that it breaks",
  ({ text, plain, broken }) => {
    expect([isPlain(text), listBrokenRules(text)]).toEqual([plain, broken]);
  },
);

/** Formats a value with random spacing and spelling. If `isRepeated` is true, some object has a member twice. */
function spellValue(value: unknown, next: () => number): { text: string; isRepeated: boolean } {
  const spellGap = (): string => (next() < 0.1 ? " " : "");
  let isRepeated = false;
  const spellNumber = (one: number): string => {
    const short = one.toExponential().replace("e+", "e");
    return next() < 0.5 && Number(short) === one ? short : JSON.stringify(one);
  };
  const spellName = (one: string): string =>
    JSON.stringify(one).replace(/[a-z](?=")/, (c) =>
      next() < 0.1 ? `\\u00${c.charCodeAt(0).toString(16)}` : c,
    );
  const spell = (one: unknown): string => {
    if (typeof one === "number") return spellNumber(one);
    if (Array.isArray(one)) return `[${spellGap()}${one.map(spell).join(`${spellGap()},${spellGap()}`)}]`;
    if (typeof one !== "object" || one === null) return JSON.stringify(one);
    const members = Object.entries(one).map(
      ([name, member]) => `${spellName(name)}${spellGap()}:${spellGap()}${spell(member)}`,
    );
    const [first] = members;
    if (first !== undefined && next() < 0.15) {
      isRepeated = true;
      members.push(first);
    }
    return `{${members.join(`${spellGap()},`)}}`;
  };
  return { text: spell(value), isRepeated };
}

it("never accepts a repeated name in the fast check, and finds no rule broken in other texts", () => {
  const digits = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.nat(30).map((n) => 10 ** (n - 10)),
  );
  const word = fc.oneof(
    fc.constantFrom("a", "b", "__proto__", 'q"', "s\\", ":", "é", "😀"),
    fc.string({ maxLength: 4 }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      digits,
      word,
      fc.constantFrom(null, true, false),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(word, tie("value"), { maxKeys: 5 }),
    ),
  }));
  let [plain, repeated] = [0, 0];
  fc.assert(
    fc.property(value, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (one, stream) => {
      const { text, isRepeated } = spellValue(one, () => stream.next().value);
      const isAccepted = isPlain(text);
      expect(listBrokenRules(text).length > 0).toBe(isRepeated);
      if (isRepeated) expect(isAccepted).toBe(false);
      // Files are checked in another way.
      expect("findings" in parseSource("a.json", Buffer.from(text))).toBe(isRepeated);
      plain += isAccepted ? 1 : 0;
      repeated += isRepeated ? 1 : 0;
    }),
    { numRuns: 2000, seed: 8 },
  );
  expect(plain).toBeGreaterThan(1000);
  expect(repeated).toBeGreaterThan(100);
});
