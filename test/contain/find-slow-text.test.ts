/** If this fails, a pattern that can hold a reader for minutes is called fast, or a fast one is refused. */
import { describe, expect, it } from "vitest";
import { Budget, DEFAULT_LIMITS } from "../../generator/contain/budget.js";
import { isCheapToBacktrack } from "../../generator/contain/regex/backtracking.js";
import { createStepCounter } from "../../generator/contain/regex/count-match-steps.js";
import { buildSlowText, findSlowTexts } from "../../generator/contain/regex/find-slow-text.js";
import { getBacktrackingAutomaton } from "../../generator/contain/regex/nfa.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createRandom } from "../../generator/random.js";
import {
  CUBIC,
  createPattern,
  createText,
  EXPONENTIAL,
  FAST,
  QUADRATIC,
  WITHOUT_TABLES,
} from "./pattern-speed-cases.js";

const MAX_STEPS = 300_000;

function countMatchSteps(pattern: string, text: string): number {
  return createStepCounter(pattern)?.(text, MAX_STEPS) ?? 0;
}

function nameSlowness(pattern: string): string {
  const slowness = findSlowTexts(pattern);
  return typeof slowness === "string" ? slowness : slowness.growth;
}

/** Returns whether the number of ways through the automaton, which other code counts, bounds the work on a text. */
function isCheap(pattern: string, text: string): boolean {
  const nfa = getBacktrackingAutomaton(pattern, 10_000);
  return nfa !== undefined && isCheapToBacktrack(nfa, text, MAX_STEPS, new Budget(DEFAULT_LIMITS));
}

describe("the growth of the work of a pattern", () => {
  it.each(EXPONENTIAL)("is exponential: %s", (pattern) => {
    const slowness = findSlowTexts(pattern);
    if (typeof slowness === "string") throw new Error(`is called ${slowness}`);
    expect(slowness.growth).toBe("exponential");
    // The automaton, which counts ways instead of steps, has no bound or a high one.
    expect(isCheap(pattern, buildSlowText(slowness, 48))).toBe(false);
    const steps = [24, 48].map((count) => countMatchSteps(pattern, buildSlowText(slowness, count)));
    expect(Math.max(...steps.map((each = 0) => each))).toBe(MAX_STEPS);
  });

  it.each(WITHOUT_TABLES)("is exponential: %s", (pattern) =>
    expect(nameSlowness(pattern)).toBe("exponential"),
  );
  it.each(CUBIC)("is cubic: %s", (pattern) => expect(nameSlowness(pattern)).toBe("cubic or more"));
  it.each(QUADRATIC)("is quadratic: %s", (pattern) => expect(nameSlowness(pattern)).toBe("quadratic"));
  it.each(FAST)("is linear: %s", (pattern) => expect(nameSlowness(pattern)).toBe("none"));

  it("is not exponential for a pattern of which the automaton has few ways", () => {
    const random = createRandom(9);
    let checked = 0;
    for (let round = 0; round < 100; round++) {
      const pattern = createPattern(random);
      const slowness = findSlowTexts(pattern);
      if (typeof slowness === "string" || slowness.growth !== "exponential") continue;
      checked++;
      expect(isCheap(pattern, buildSlowText(slowness, 48)), pattern).toBe(false);
    }
    expect(checked).toBeGreaterThan(5);
  });

  it("is not known of a pattern with very many states", () =>
    expect(nameSlowness(`^(?:${Array.from({ length: 900 }, (_, index) => `${index}x+`).join("|")})$`)).toBe(
      "unknown",
    ));

  it("is what a matcher needs, for random patterns", () => {
    const random = createRandom(7);
    const found = new Map<string, number>();
    for (let round = 0; round < 150; round++) {
      const pattern = createPattern(random);
      const slowness = findSlowTexts(pattern);
      const name = typeof slowness === "string" ? slowness : slowness.growth;
      found.set(name, (found.get(name) ?? 0) + 1);
      if (typeof slowness !== "string") {
        const [few, many] = [12, 24].map((count) => countMatchSteps(pattern, buildSlowText(slowness, count)));
        expect(many, pattern).toBeGreaterThan(Math.min((few ?? 0) * 2.2, MAX_STEPS - 1));
      } else if (slowness === "none") {
        const texts = {
          beginning: createText(random, 3),
          part: createText(random, 3),
          end: random.pick(["", "-", "c"]),
        };
        const [few = 0, many = 0] = [20, 40].map((count) =>
          countMatchSteps(pattern, buildSlowText(texts, count)),
        );
        expect(many, `${pattern} ${JSON.stringify(texts)}`).toBeLessThan(few * 2.6 + 60);
      }
    }
    expect(found.get("none")).toBeGreaterThan(70);
    expect(found.get("exponential")).toBeGreaterThan(8);
    expect(found.get("unknown") ?? 0).toBe(0);
  });
});

describe("the bundled protocols", () => {
  it("have no slow pattern", async () => {
    const { findings } = await loadSchemas("schemas");
    expect(findings.filter(({ rule }) => rule === "pattern-slow")).toEqual([]);
  });
});
