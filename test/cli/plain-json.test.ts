import fc from "fast-check";
import { expect, it } from "vitest";
import { findJsonFindings } from "../../generator/source/json-text.js";
import { isPlainJson } from "../../generator/source/plain-json.js";

/** What the quick look says of a text that stands somewhere in a buffer, after another line. */
function isPlain(text: string): boolean {
  const before = '"x":1\n';
  const bytes = Buffer.from(`${before}${text}\n"y":2`);
  return isPlainJson(JSON.parse(text), text, bytes, before.length, before.length + Buffer.byteLength(text));
}

const rules = (text: string): string[] => findJsonFindings(text).map(({ rule }) => rule);

/** Texts, whether they are plain, and the rules that they break. */
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
  // A shorter spelling of a number must not make room for a second member.
  ['{"a":1e9,"b":11,"b":11}', false, ["json-duplicate-key"]],
  ['[1e-6,1e-3,{"":0,"":0}]', false, ["json-duplicate-key"]],
  ['[12345e18,12345e18,12345e18,{"":10,"":10}]', false, ["json-duplicate-key"]],
  ['{"a":1e3,"b":1e-3,"c":-0,"d":1.50}', true],
  ['{"a":1e999}', false, ["json-number"]],
  ["[-1e999]", false, ["json-number"]],
  ["1e999", false, ["json-number"]],
  [`${"[".repeat(256)}${"]".repeat(256)}`, true],
  [`${"[".repeat(257)}${"]".repeat(257)}`, false, ["json-depth"]],
  // A string that begins with a colon raises a doubt, which the thorough look dispels.
  ['{"a":": b","c":1e3}', false],
  ['"x"', true],
  ["null", true],
];

it.each(CASES.map(([text, plain, broken = []]) => ({ text, plain, broken })))(
  "looks at $text",
  ({ text, plain, broken }) => {
    expect([isPlain(text), rules(text)]).toEqual([plain, broken]);
  },
);

/** A value spelt in some way; some objects have a member twice. Says whether one has. */
function spelt(value: unknown, next: () => number): { text: string; twice: boolean } {
  const gap = (): string => (next() < 0.1 ? " " : "");
  let twice = false;
  const number = (one: number): string => {
    const short = one.toExponential().replace("e+", "e");
    return next() < 0.5 && Number(short) === one ? short : JSON.stringify(one);
  };
  const string = (one: string): string =>
    JSON.stringify(one).replace(/[a-z](?=")/, (c) =>
      next() < 0.1 ? `\\u00${c.charCodeAt(0).toString(16)}` : c,
    );
  const write = (one: unknown): string => {
    if (typeof one === "number") return number(one);
    if (typeof one === "string") return JSON.stringify(one);
    if (Array.isArray(one)) return `[${gap()}${one.map(write).join(`${gap()},${gap()}`)}]`;
    if (typeof one !== "object" || one === null) return JSON.stringify(one);
    const members = Object.entries(one).map(
      ([name, member]) => `${string(name)}${gap()}:${gap()}${write(member)}`,
    );
    const [first] = members;
    if (first !== undefined && next() < 0.15) {
      twice = true;
      members.push(first);
    }
    return `{${members.join(`${gap()},`)}}`;
  };
  return { text: write(value), twice };
}

it("never takes a text with a name twice for plain, and all others for sound", () => {
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
  let [plain, doubled] = [0, 0];
  fc.assert(
    fc.property(value, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (one, stream) => {
      const { text, twice } = spelt(one, () => stream.next().value);
      const quick = isPlain(text);
      expect(rules(text).length > 0).toBe(twice);
      if (twice) expect(quick).toBe(false);
      plain += quick ? 1 : 0;
      doubled += twice ? 1 : 0;
    }),
    { numRuns: 2000, seed: 8 },
  );
  expect(plain).toBeGreaterThan(1000);
  expect(doubled).toBeGreaterThan(100);
});
