/** If this fails, the answer to a question depends on the speed of the machine or on earlier questions. */
import { describe, expect, it } from "vitest";
import { Budget, DEFAULT_LIMITS, LimitError } from "../../generator/contain/budget.js";
import { matchesPattern } from "../../generator/contain/regex/matches-pattern.js";

function measureCost(pattern: string, text: string): number {
  const budget = new Budget(DEFAULT_LIMITS);
  matchesPattern(pattern, text, budget);
  return budget.spent;
}

describe("budget", () => {
  it("is charged the same for a cached match", () => {
    const first = measureCost("^(?:[a-f]{3}-){4}[^x]+$", "abc-abc-abc-abc-def");
    expect(first).toBeGreaterThan(0);
    expect(measureCost("^(?:[a-f]{3}-){4}[^x]+$", "abc-abc-abc-abc-def")).toBe(first);
  });

  it("has a deadline that a forked budget shares", () => {
    const expired = new Budget({ ...DEFAULT_LIMITS, timeoutMs: -1 });
    expect(() => expired.fork(1_000).spend(300)).toThrow(LimitError);
    const budget = new Budget(DEFAULT_LIMITS);
    expect(() => budget.fork(1_000).spend(300)).not.toThrow();
    expect(() => budget.fork(1_000).spend(1_001)).toThrow("more than 1000 steps");
  });
});
