import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../../generator/model/formats.js";
import { ACCEPTS, MOST_STATES, NEXT } from "../../generator/scan/layout.js";
import { automatonOf } from "../../generator/scan/pattern.js";

/** Whether a text matches, as the scanner runs automata. Undefined if there is none. */
function matcherOf(pattern: RegExp): ((text: string) => boolean) | undefined {
  const memory = new ArrayBuffer(ACCEPTS + MOST_STATES);
  const automaton = automatonOf(pattern, memory, 0);
  const next = new Int16Array(memory, NEXT, MOST_STATES * 128);
  const accepts = new Uint8Array(memory, ACCEPTS, MOST_STATES);
  return (
    automaton &&
    ((text) => {
      let state = 0;
      for (const byte of Buffer.from(text)) {
        const known = next[state * 128 + byte] as number;
        const step = known === 0 ? automaton.extend(state, byte) : known;
        if (step < 0) return false;
        state = step - 1;
      }
      return accepts[state] === 1;
    })
  );
}

const READ: readonly RegExp[] = [
  /^run_[A-Za-z0-9_.]+$/u,
  /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/u,
  /^[^.]*(\.[0-9]{1,9}[^0-9.][^.]*)?$/u,
  /^evt_[0-9A-HJKMNP-TV-Z]{26}$/u,
  /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u,
  /^[^/]/u,
  /Z$/u,
  /a/u,
  /^$/u,
  /^a|b$/u,
  /(^a|b$|c)/u,
  /^(a|ab)(c|bcd)(d*)$/u,
  /a{0}b{2,3}?c{1,}/u,
  /^(?:a?){3}a{3}$/u,
  /[-a][a-][-\]\\^]/u,
  /^.\d\D\w\W\s\S$/u,
  /^[\d.]+[^\w]$/u,
  /^ABC[x-z]$/iu,
  /^[^a]$/iu,
  /x*^a/u,
  ...["date-time", "date", "time", "uuid", "email", "ipv4", "json-pointer", "relative-json-pointer"].map(
    (name) => FORMATS.get(name)?.test as RegExp,
  ),
];

const NOT_READ: readonly RegExp[] = [
  ...[/\ba/u, /(?=a)/u, /(?<!a)b/u, /(a)\1/u, /\p{L}/u, /\u{61}/u, /é/u, /\x61/u, /(?<n>a)/u, /[\b]/u],
  ...[/a{300}/u, /(?:(?:a{20}){20}){20}/u],
];

describe("an automaton", () => {
  it.each(READ)("matches what %s matches", (pattern) => {
    const matches = matcherOf(pattern);
    expect(matches).toBeDefined();
    const near = fc.stringMatching(new RegExp(pattern.source, pattern.flags.replace("i", "")), {
      size: "small",
    });
    const printable = fc.string({ unit: fc.constantFrom(...PRINTABLE), maxLength: 30 });
    const texts = fc.oneof(
      printable,
      near,
      fc.tuple(near, printable).map((parts) => parts.join("")),
      changed(near),
    );
    fc.assert(
      fc.property(
        texts.filter((text) => /^[ -~]*$/.test(text)),
        (text) => {
          expect(matches?.(text)).toBe(pattern.test(text));
        },
      ),
      { numRuns: 300, seed: 7 },
    );
  });

  it.each(NOT_READ)("is not made of %s", (pattern) => {
    // One that is too large may be found out at the first text only.
    expect(matcherOf(pattern)?.("a".repeat(400)) ?? false).toBe(false);
  });

  it("accepts nothing beyond what it has states for", () => {
    const matches = matcherOf(/^(?:[ab]*a[ab]{12})$/u);
    const texts = fc
      .array(fc.constantFrom("a", "b"), { minLength: 13, maxLength: 40 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(texts, (text) => !matches?.(text) || /^(?:[ab]*a[ab]{12})$/u.test(text)),
      { numRuns: 500, seed: 7 },
    );
  });
});

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

/** Texts with one character left out, or put in. */
function changed(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.nat(), fc.constantFrom("", ...PRINTABLE))
    .map(
      ([text, at, char]) =>
        text.slice(0, at % (text.length + 1)) + char + text.slice((at % (text.length + 1)) + 1),
    );
}
