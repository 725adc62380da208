/** Turns patterns into tables that programs in any language read in the same way. */
import { createLinearMatcher, type LinearMatcher } from "./linear-matcher.js";
import { getPatternSyntax } from "./pattern-syntax.js";

/**
 * A condition on a text: that `automaton` accepts it, or with `negate` does not. The text has at least `min` and at most `max`
 * code points, where they are given.
 */
interface PatternTest {
  readonly negate?: true;
  readonly min?: number;
  readonly max?: number;
  readonly automaton: LinearMatcher;
}

/** The conditions of a pattern. A text matches the pattern if it fulfils all of them. */
export type PortablePattern = readonly PatternTest[];

/** The formats with the largest tables are `uri-reference` and `ipv6`, which have about 3,000 states before they are minimized. */
const LIMITS = { maxStates: 5_000, maxTable: 100_000, maxSearchSteps: 5_000_000 };

const patterns = new Map<string, PortablePattern | undefined>();

/**
 * Returns the conditions of a pattern in u mode. Returns undefined if its automaton is too large, or if it has a backreference
 * to a group that matches many texts.
 */
export function createPortablePattern(source: string): PortablePattern | undefined {
  if (!patterns.has(source)) patterns.set(source, createTests(source));
  return patterns.get(source);
}

function createTests(source: string): PortablePattern | undefined {
  const tests: PatternTest[] = [];
  for (const part of getPatternSyntax(source).parts) {
    const automaton = createLinearMatcher(part.source, LIMITS);
    if (automaton === undefined) return undefined;
    const { min, max = Number.POSITIVE_INFINITY } = part.size ?? {};
    tests.push({
      ...(part.negate && { negate: true }),
      ...(min !== undefined && { min }),
      ...(Number.isFinite(max) && { max }),
      automaton: minimizeStates(automaton),
    });
  }
  return tests;
}

/** Merges the states from which the same texts match, by refining groups of states until the steps of all members agree. */
function minimizeStates([starts, classes, steps, accepting]: LinearMatcher): LinearMatcher {
  let groups: readonly number[] = accepting;
  for (let count = 0; ; ) {
    const numbers = new Map<string, number>();
    groups = steps.map((row, state) => {
      const key = [groups[state], ...row.map((next) => (next < 0 ? next : groups[next]))].join();
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
    if (numbers.size === count) break;
    count = numbers.size;
  }
  const merged: number[][] = [];
  const ends: (0 | 1)[] = [];
  for (const [state, group] of groups.entries()) {
    merged[group] ??= (steps[state] ?? []).map((next) => (next < 0 ? next : (groups[next] ?? next)));
    ends[group] ??= accepting[state] ?? 0;
  }
  return [starts, classes, merged, ends];
}
