/** If this fails, RegExp hangs on long texts, or the slower matcher is used although RegExp is fast. */
import { describe, expect, it } from "vitest";
import { Budget, DEFAULT_LIMITS } from "../../generator/contain/budget.js";
import { isCheapToBacktrack } from "../../generator/contain/regex/backtracking.js";
import { getBacktrackingAutomaton } from "../../generator/contain/regex/nfa.js";

const MAX_STEPS = 200_000;
const LONG_TEXT = "a".repeat(40);

/** Patterns and texts. `isCheap` is true if a matcher that backtracks needs few steps for them. */
const CASES: readonly (readonly [pattern: string, text: string, isCheap: boolean])[] = [
  ["^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "12345678-1234-1234-1234-123456789012", true],
  ["^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", LONG_TEXT.repeat(100), true],
  ["^[a-z]+(?:\\.[a-z]+)*$", `${LONG_TEXT}.${LONG_TEXT}!`, true],
  ["^(?:/(?:[^~/]|~[01])*)*$", `/${LONG_TEXT}/${LONG_TEXT}~`, true],
  ["a*a*b", LONG_TEXT, true],
  ["^(a|a)*$", "aaa!", true],
  ["^(a|a)*$", `${LONG_TEXT}!`, false],
  ["^(?:a|aa)+$", `${LONG_TEXT}!`, false],
  ["(a*)*b", LONG_TEXT, false],
  ["^(?:a{0,5}){0,30}$", `${LONG_TEXT}!`, false],
  ["^(?:(a|a)\\1)*$", `${LONG_TEXT}${LONG_TEXT}!`, false],
  ["(?:a*a*a*a*[])|b", LONG_TEXT.repeat(10), false],
  ["(?=(a+)+$)a", `${LONG_TEXT}!`, false],
  ["(?<=(a+)+)b", `${LONG_TEXT}!`, false],
  ["^(?:\\w+\\s?)+$", `${LONG_TEXT}!`, false],
];

describe("backtracking", () => {
  const rows = CASES.map(([pattern, text, isCheap]) => ({
    pattern,
    text,
    isCheap,
    title: `${pattern} is ${isCheap ? "" : "not "}cheap for ${text.length} characters`,
  }));
  it.each(rows)("$title", ({ pattern, text, isCheap }) => {
    const nfa = getBacktrackingAutomaton(pattern, DEFAULT_LIMITS.maxStates);
    expect(nfa && isCheapToBacktrack(nfa, text, MAX_STEPS, new Budget(DEFAULT_LIMITS))).toBe(isCheap);
  });
});
