/** If this fails, a generated validator hangs on a slow pattern, or its tables mean something else than the pattern. */
import { describe, expect, it } from "vitest";
import { buildSlowText, findSlowTexts } from "../../generator/contain/regex/find-slow-text.js";
import {
  createLinearMatcher,
  findLinearMatcher,
  type LinearMatcher,
} from "../../generator/contain/regex/linear-matcher.js";
import { createRandom } from "../../generator/random.js";
import * as runtime from "../../generator/runtime/runtime.js";
import { createValidatorCode } from "../../generator/validators/validator-code.js";
import {
  CUBIC,
  createPattern,
  createText,
  EXPONENTIAL,
  FAST,
  QUADRATIC,
  WITHOUT_TABLES,
} from "./pattern-speed-cases.js";

const SLOW = [...EXPONENTIAL, ...CUBIC, ...QUADRATIC];

/** The patterns of `SLOW` that match the empty text at the end of any text. All others refuse their attack texts. */
const MATCHED_AT_END: ReadonlySet<string> = new Set(["(?:(?:b|b)a?)*$", "(?:b)*$"]);

function createMatcher(tables: LinearMatcher) {
  return runtime.automaton(...tables);
}

/** Returns a text of a family on which a backtracking matcher is slow. */
function createSlowText(pattern: string, length: number): string {
  const slowness = findSlowTexts(pattern);
  if (typeof slowness === "string") throw new Error(`${pattern} is called ${slowness}`);
  return buildSlowText(slowness, Math.ceil(length / slowness.part.length));
}

describe("tables", () => {
  it.each(SLOW)("read 100 KB of attack text once: %s", (pattern) => {
    const tables = findLinearMatcher(pattern);
    if (tables === undefined) throw new Error("there are no tables");
    // The engine is no oracle here: once it has compiled many patterns, it takes minutes even for short texts of some families.
    const isAccepted = MATCHED_AT_END.has(pattern);
    expect(createMatcher(tables).test(createSlowText(pattern, 100_000))).toBe(isAccepted);
  });

  it.each(FAST)("are not needed: %s", (pattern) => expect(findLinearMatcher(pattern)).toBeUndefined());

  it.each([
    "(?<=a+)b",
    String.raw`\bfoo\b`,
    "^(?=.*a)(?!.*b).*$",
    "^[^😀]+😀$",
    String.raw`^\P{L}+$`,
    "",
    "^$",
    String.raw`^\ud83d`,
  ])("mean the same as the pattern with conditions or rare characters: %s", (pattern) => {
    const tables = createLinearMatcher(pattern);
    if (tables === undefined) throw new Error("there are no tables");
    const { test } = createMatcher(tables);
    const regExp = new RegExp(pattern, "u");
    const texts = [
      "",
      "a",
      "aab",
      "b",
      "foo",
      "a foo b",
      "xfoo",
      "😀",
      "a😀",
      "😀a",
      "\ud83d",
      "\ude00",
      "é1",
      "ab\nb",
    ];
    expect(texts.filter(test)).toEqual(texts.filter((text) => regExp.test(text)));
  });

  it("mean the same as random patterns on random texts", () => {
    const random = createRandom(5);
    let matched = 0;
    let compared = 0;
    for (let round = 0; round < 150; round++) {
      const pattern = createPattern(random);
      const tables = createLinearMatcher(pattern);
      if (tables === undefined) continue;
      const { test } = createMatcher(tables);
      for (let index = 0; index < 20; index++) {
        const text = createText(random, Math.floor(random.next() * 9));
        const expected = new RegExp(pattern, "u").test(text);
        expect(test(text), `${pattern} ${text}`).toBe(expected);
        matched += Number(expected);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(2500);
    expect(Math.min(matched, compared - matched)).toBeGreaterThan(500);
  });

  it.each(["small", "quick", "called"] as const)(
    "stand in %s validators, for values and for names",
    (style) => {
      const [slow, fast] = ["^(a+)+$", "^a+$"];
      const schema = {
        type: "object",
        properties: { v: { type: "string", pattern: slow }, w: { type: "string", pattern: fast } },
        patternProperties: { [slow]: { type: "integer" } },
      };
      const { expression, imports } = createValidatorCode({ schema, $defs: {} }, style, findLinearMatcher);
      const { automaton, matcher } = runtime;
      const create = new Function("automaton", "matcher", `"use strict"; return ${expression};`);
      const accepts: (value: unknown) => boolean = create(automaton, matcher);
      expect(imports).toContain("automaton");
      const attack = `${"a".repeat(100_000)}!`;
      const values = [
        { v: "aa" },
        { v: attack },
        { [attack]: 1 },
        { aa: "x" },
        { aa: 1 },
        { w: "aa" },
        { w: attack },
      ];
      expect(values.map(accepts)).toEqual([true, false, true, false, true, true, false]);
    },
  );

  it("are left out for a backreference or too many states", () => {
    expect(createLinearMatcher("^(a+)b\\1$")).toBeUndefined();
    expect(createLinearMatcher("(?:a|b)*a(?:a|b){14}$")).toBeUndefined();
    expect(WITHOUT_TABLES.map(findLinearMatcher).filter((tables) => tables !== undefined)).toEqual([]);
  });
});
