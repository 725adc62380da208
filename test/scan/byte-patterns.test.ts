/** If this fails, the scanner accepts a text that a pattern does not match, or does not recognise one that it matches. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createByteDfa } from "../../generator/scan/byte-dfa.js";
import { createByteNfa } from "../../generator/scan/byte-nfa.js";
import { createInstance } from "../../generator/scan/instance.js";
import {
  ACCEPTS,
  DEAD,
  MAX_STATES,
  NEXT,
  POSITION_CELL,
  POSITIONS,
  STEP,
} from "../../generator/scan/layout.js";
import { findPositionSets, writePositionSets } from "../../generator/scan/position-sets.js";
import { FORMATS } from "../../generator/schema/formats.js";
import { ANY_STRING, type Shape, type Strings } from "../../generator/schema/shape/shape.js";

/** Returns a function that matches texts as the scanner runs automata; undefined if the pattern has no automaton. */
function createMatcher(pattern: RegExp): ((text: string) => boolean) | undefined {
  const memory = new ArrayBuffer(ACCEPTS + MAX_STATES);
  const nfa = createByteNfa(pattern);
  const automaton = nfa && createByteDfa(nfa, memory, 0);
  const next = new Uint16Array(memory, NEXT, (MAX_STATES * STEP) / 2);
  const accepts = new Uint8Array(memory, ACCEPTS, MAX_STATES);
  return (
    automaton &&
    ((text) => {
      let state = 0;
      for (const byte of Buffer.from(text)) {
        const known = next[(state * STEP) / 2 + byte] as number;
        const step = known === 0 ? automaton.extend(state, byte) : known;
        if (step === DEAD) return false;
        state = step / STEP - 1;
      }
      return accepts[state] === 1;
    })
  );
}

/** Returns a function that matches texts by the position sets of a pattern; undefined if it has none. */
function createPositionMatcher(pattern: RegExp): ((text: string) => boolean) | undefined {
  const nfa = createByteNfa(pattern);
  const positions = nfa && findPositionSets(nfa);
  if (positions === undefined) return undefined;
  const { sets, min, repeats } = positions;
  return (text) =>
    text.length >= min &&
    (repeats || text.length <= sets.length) &&
    [...Buffer.from(text)].every((byte, at) => sets[Math.min(at, sets.length - 1)]?.has(byte));
}

/** Returns a function that matches texts by scanning an event with a field of that pattern. */
function createScanMatcher(pattern: RegExp): (text: string) => boolean {
  const instance = createInstance("type", "key", new Set());
  if (instance === undefined) throw new Error("no WebAssembly");
  const createStringShape = (strings: Partial<Strings>): Shape => ({
    string: { ...ANY_STRING, ...strings },
  });
  const members = new Map([
    ["type", () => createStringShape({ values: ["a"] })],
    ["text", () => createStringShape({ patterns: [pattern] })],
  ]);
  const { node } = instance.program.add(
    { object: { members, required: new Set(), others: () => ({}) } },
    undefined,
  );
  return (text) => {
    const line = Buffer.from(JSON.stringify({ type: "a", text }));
    instance.load(line, 0, line.length);
    const end = instance.scanEvent(0);
    // The scanner returns -2 if it does not know the event type yet.
    if (end !== -2) return end === line.length;
    instance.addType(instance.typeHash(), node, 0);
    return instance.scanEvent(0) === line.length;
  };
}

const SUPPORTED: readonly RegExp[] = [
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
  ...[/\u{61}é?/u, /^[\x61é]+$/u, /^(?<n>[ab])$/u, /^\p{L}\P{L}/u],
  ...["date-time", "date", "time", "uuid", "email", "ipv4", "json-pointer", "relative-json-pointer"].map(
    (name) => FORMATS.get(name)?.pattern as RegExp,
  ),
];

const UNSUPPORTED = [/\ba/u, /(?=a)/u, /(?<!a)b/u, /(a)\1/u, /a{300}/u, /(?:(?:a{20}){20}){20}/u];

describe("an automaton", () => {
  it.each(SUPPORTED)("matches what %s matches", (pattern) => {
    const matches = createMatcher(pattern);
    const matchesPositions = createPositionMatcher(pattern);
    const matchesInEvent = createScanMatcher(pattern);
    expect(matches).toBeDefined();
    const matching = fc.stringMatching(new RegExp(pattern.source, pattern.flags.replace("i", "")), {
      size: "small",
    });
    const printable = fc.string({ unit: fc.constantFrom(...PRINTABLE), maxLength: 30 });
    const texts = fc.oneof(
      printable,
      matching,
      fc.tuple(matching, printable).map((parts) => parts.join("")),
      createChangedTexts(matching),
    );
    fc.assert(
      fc.property(
        texts.filter((text) => /^[ -~]*$/.test(text)),
        createChangedTexts(fc.constant("")),
        (text, end) => {
          // The scanner caches the states of the beginnings of texts. Therefore some texts have the same beginning.
          for (const each of [text, `${text.slice(0, 16)}${end}`, `${text}${end}`, text]) {
            const expected = pattern.test(each);
            const positions = matchesPositions?.(each) ?? expected;
            expect([each, matches?.(each), positions, matchesInEvent(each)]).toEqual([
              each,
              ...[expected, expected, expected],
            ]);
          }
        },
      ),
      { numRuns: 300, seed: 7 },
    );
  });

  it.each(UNSUPPORTED)("does not exist for %s, or refuses long texts", (pattern) => {
    // The states of an automaton are created while it reads, so that some are too large only for a long text.
    expect(createMatcher(pattern)?.("a".repeat(400)) ?? false).toBe(false);
  });

  it.each<[RegExp, number | undefined]>([
    [/^evt_[0-9A-HJKMNP-TV-Z]{26}$/u, 30],
    [/^run_[A-Za-z0-9_.]+$/u, 7],
    [/^session:[A-Za-z0-9_.~:/-]{4,}$/u, 14],
    [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu, 36],
    [/^(?:ab|cb)$/u, undefined],
    [/^a{2,5}$/u, 5],
    [/^$/u, 0],
    [/^a*$/u, 2],
    [/^(?:ab|cd)$/u, undefined],
    [/^a/u, undefined],
    [/a$/u, undefined],
    [/^(?:ab)*$/u, undefined],
    [/^a?b$/u, undefined],
    [/^a{65}$/u, undefined],
  ])("%s has this number of position sets: %s", (pattern, count) => {
    const nfa = createByteNfa(pattern);
    const positions = nfa && findPositionSets(nfa);
    expect(positions?.sets.length).toBe(count);
    if (positions)
      expect(writePositionSets(positions, new ArrayBuffer(POSITIONS + POSITION_CELL), 0)).toBe(true);
  });

  it("accepts no wrong text if it has too few states", () => {
    const matches = createMatcher(/^(?:[ab]*a[ab]{12})$/u);
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

/** Generates texts with one character removed or added. */
function createChangedTexts(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.nat(), fc.constantFrom("", ...PRINTABLE))
    .map(
      ([text, at, char]) =>
        text.slice(0, at % (text.length + 1)) + char + text.slice((at % (text.length + 1)) + 1),
    );
}
