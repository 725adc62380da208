/** If this fails, RegExp hangs on long texts, or the slow matcher is used for harmless patterns. */
import { describe, expect, it } from "vitest";
import { Budget, DEFAULT_LIMITS } from "../../generator/contain/budget.js";
import { isCheapToBacktrack } from "../../generator/contain/regex/backtracking.js";
import { getBacktrackingAutomaton } from "../../generator/contain/regex/nfa.js";

const MAX_STEPS = 200_000;
const long = "a".repeat(40);

/** Patterns and texts. The last member is true if a backtracking matcher needs few steps for them. */
const CASES: readonly (readonly [pattern: string, text: string, isCheap: boolean])[] = [
  ["^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "12345678-1234-1234-1234-123456789012", true],
  ["^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", long.repeat(100), true],
  ["^[a-z]+(?:\\.[a-z]+)*$", `${long}.${long}!`, true],
  ["^(?:/(?:[^~/]|~[01])*)*$", `/${long}/${long}~`, true],
  ["a*a*b", long, true],
  ["^(a|a)*$", "aaa!", true],
  ["^(a|a)*$", `${long}!`, false],
  ["^(?:a|aa)+$", `${long}!`, false],
  ["(a*)*b", long, false],
  ["^(?:a{0,5}){0,30}$", `${long}!`, false],
  ["^(?:(a|a)\\1)*$", `${long}${long}!`, false],
  ["(?:a*a*a*a*[])|b", long.repeat(10), false],
  ["(?=(a+)+$)a", `${long}!`, false],
  ["(?<=(a+)+)b", `${long}!`, false],
  ["^(?:\\w+\\s?)+$", `${long}!`, false],
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
